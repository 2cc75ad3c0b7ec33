"""Vectors of texts, an extra: what makes them, and where they are kept. Nothing here is imported without it."""
