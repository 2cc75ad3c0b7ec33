"""What sync decides: one state of files made of two and of what both came from."""
