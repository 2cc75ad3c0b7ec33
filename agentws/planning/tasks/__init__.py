"""Changes of a task by a verb, and waits. Pure."""
