"""Merge what spans several files: journals, moved and archived files, records of compaction, forgotten text, names."""
