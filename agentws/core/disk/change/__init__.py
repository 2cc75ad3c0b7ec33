"""Changes of documents as one: the transaction, and the record by which each is undone."""
