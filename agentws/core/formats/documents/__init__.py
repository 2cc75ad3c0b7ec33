"""Readers and writers for each kind of file in a workspace."""
