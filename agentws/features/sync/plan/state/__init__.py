"""The parts of a whole state: journals, what compaction moved and wrote down, names."""
