"""hook: what a host's hooks say, as events of the journal; and what the host is told."""
