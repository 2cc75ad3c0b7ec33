"""Trees of files over git: history's states of the documents, and what sync and backups store."""
