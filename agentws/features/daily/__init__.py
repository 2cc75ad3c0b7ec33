"""The daily verbs: log, todo, remember, config, open and docs."""
