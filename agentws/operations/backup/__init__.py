"""backup: copies of the workspace in a folder, verified, and restored; drill tries whether that works."""
