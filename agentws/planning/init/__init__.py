"""What `init` would do to a folder. Pure."""
