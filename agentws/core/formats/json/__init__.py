"""JSON without the json package, and JSON settings edited in place."""
