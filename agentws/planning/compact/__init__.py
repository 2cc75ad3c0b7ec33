"""What compaction keeps of old days, and how it is folded into memory. Pure."""
