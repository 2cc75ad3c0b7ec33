"""This installation: its state folder, its keys, what it remembers."""
