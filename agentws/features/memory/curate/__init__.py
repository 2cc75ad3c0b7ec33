"""curate: the brief for the author of MEMORY.md, the answer that edits MEMORY.md, and a person's review."""
