"""Log, remember, config, open, docs."""
