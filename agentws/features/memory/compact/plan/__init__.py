"""Compaction: what it keeps of old days, and how that enters memory. Pure."""
