"""Plans of search: units to index, terms of texts, parsed questions, and the ranking of candidates. Pure."""
