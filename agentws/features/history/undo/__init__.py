"""Undo and redo of agentws's changes in a workspace."""
