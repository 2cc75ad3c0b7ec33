"""What a text may contain: letters, invisible characters, sizes, its origin."""
