"""Doors for other programs' ways of asking: each module speaks one of them."""
