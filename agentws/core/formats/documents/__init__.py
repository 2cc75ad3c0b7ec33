"""Formats of a workspace's documents: a reader and writer for each kind of file."""
