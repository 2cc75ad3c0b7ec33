"""Backups: create, verify, restore, drill."""
