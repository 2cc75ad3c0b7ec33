"""What notes say: the entries of logs, MEMORY.md and tasks, what is open among them, and what is over."""
