"""Merge the parts of a workspace state beyond single files: journals, compaction's moves and records, names."""
