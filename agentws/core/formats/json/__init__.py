"""JSON without the json package, and settings edited in place."""
