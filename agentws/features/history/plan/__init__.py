"""Decides which past state a word means. Pure."""
