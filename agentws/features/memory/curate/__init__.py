"""curate: what stands in MEMORY.md, what may enter it, and what its author answers."""
