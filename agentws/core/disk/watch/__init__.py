"""Watching a workspace for file changes, and which changes matter."""
