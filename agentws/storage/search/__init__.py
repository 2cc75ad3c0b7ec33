"""The index of recall: SQLite in the cache folder, derived from the files and never a source."""
