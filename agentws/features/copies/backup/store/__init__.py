"""Storage of backups: reading the workspace, and the destinations (folder, git repository, restic)."""
