"""What may enter MEMORY.md, and how its author says so: the brief, its operations and their checks. Pure."""
