"""MEMORY.md: compaction, curation, and where a line is from."""
