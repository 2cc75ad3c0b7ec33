"""Counting tokens, exactly or bounded. Pure."""
