"""The journal on disk: appended to, recovered, rotated, read. Specified in docs/format/journal.md."""
