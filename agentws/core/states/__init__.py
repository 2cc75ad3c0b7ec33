"""Trees of files over git: history, and what sync and backups store."""
