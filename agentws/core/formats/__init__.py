"""File formats of a workspace: bytes to frozen values and back. Pure."""
