"""Text checks: letters, invisible characters, sizes, origins."""
