"""Past states of the documents, kept in git."""
