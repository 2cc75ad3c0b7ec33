"""What the bytes of a workspace mean: text to frozen values and back. Pure."""
