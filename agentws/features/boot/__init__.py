"""Boot: the text with which an agent starts."""
