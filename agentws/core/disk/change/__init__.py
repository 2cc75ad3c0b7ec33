"""Changes of several documents as one transaction, and the records by which each can be undone."""
