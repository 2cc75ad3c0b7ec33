"""What a hook records, and what it answers."""
