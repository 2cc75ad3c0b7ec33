"""What an installation may write. Pure."""
