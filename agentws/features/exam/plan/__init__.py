"""Plans of exam: the questions of a first one. Pure."""
