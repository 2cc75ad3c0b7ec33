"""The past state that a word means. Pure."""
