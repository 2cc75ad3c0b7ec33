"""The right of an installation to write. Pure."""
