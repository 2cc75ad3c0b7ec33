"""Plans of history: which past state a word means. Pure."""
