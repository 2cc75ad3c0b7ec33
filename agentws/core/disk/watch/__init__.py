"""Changes of files as they happen, and which of them matter."""
