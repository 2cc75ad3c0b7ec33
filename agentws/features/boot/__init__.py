"""Boot: the text that an agent starts with."""
