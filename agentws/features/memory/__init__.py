"""MEMORY.md: `compact` adds marked lines of old logs to it, `curate` edits it, `why` shows a line's origin."""
