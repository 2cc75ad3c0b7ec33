"""Rendering of results: as lines for people, and as JSON fields for scripts."""
