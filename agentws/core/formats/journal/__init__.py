"""Formats of the journal: events, the lines and segments that hold them, seals, purges, retractions."""
