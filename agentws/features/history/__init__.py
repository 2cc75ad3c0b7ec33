"""Recorded states of the documents: history, diff, restore, undo."""
