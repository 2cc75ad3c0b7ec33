"""Tasks, a file each, and open items."""
