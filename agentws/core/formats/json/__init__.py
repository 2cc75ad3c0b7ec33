"""Formats in JSON: read without the json package, edited in place, and made of Python values."""
