"""sync: one agent on several machines, kept in step through a git repository or a folder."""
