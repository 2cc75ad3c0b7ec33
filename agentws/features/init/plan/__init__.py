"""The plan of `init` for a folder. Pure."""
