"""The mirror of the newest work: what the newest backup lacks, copied after each session. docs/format/backup.md."""
