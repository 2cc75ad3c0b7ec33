"""Which past state a word means. Pure."""
