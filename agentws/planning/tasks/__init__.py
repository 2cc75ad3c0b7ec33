"""What a verb changes in a task, and what a task waits for. Pure."""
