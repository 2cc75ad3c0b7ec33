"""watch: what changes in a workspace is recorded, and what is lost is said, while a process runs that nothing needs."""
