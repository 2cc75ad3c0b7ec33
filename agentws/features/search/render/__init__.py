"""Rendering of `agentws search`, `index` and `sql`: text for people, fields for scripts."""
