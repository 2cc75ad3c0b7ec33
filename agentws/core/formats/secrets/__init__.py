"""Secrets: their shapes, and a text without them."""
