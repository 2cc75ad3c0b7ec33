"""Texts as units, of two sides and of what both came from: which is which, in what order, and what of each stays."""
