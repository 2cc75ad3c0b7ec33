"""The index of search."""
