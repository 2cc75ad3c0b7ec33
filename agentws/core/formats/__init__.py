"""The meaning of a workspace's bytes: text to frozen values and back. Pure."""
