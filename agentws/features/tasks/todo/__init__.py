"""Open items of notes: list, close, drop."""
