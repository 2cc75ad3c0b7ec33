"""The content of notes: entries of logs, MEMORY.md and tasks, open items, and what closes them."""
