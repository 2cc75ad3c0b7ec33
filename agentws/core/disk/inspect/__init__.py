"""Read-only inspection of a workspace and its disk: scans, mounts, programs, temporary files."""
