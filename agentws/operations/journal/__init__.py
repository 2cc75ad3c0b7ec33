"""journal: what can be done with the events that are recorded."""
