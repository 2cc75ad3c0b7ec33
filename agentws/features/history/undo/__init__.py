"""Undo and redo of the changes of a workspace."""
