"""Forgetting: where a text occurs, and the documents without it. Pure."""
