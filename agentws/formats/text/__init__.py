"""Characters: what acts or hides, letters, sizes, patterns."""
