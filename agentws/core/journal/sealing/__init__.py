"""Seals of the journal and their verification; purged, retired and compressed segments."""
