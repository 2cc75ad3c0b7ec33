"""Backups: create, list, verify, restore, remove, drill."""
