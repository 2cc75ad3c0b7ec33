"""Markdown: read, escaped, quoted, shown inside boot's frame."""
