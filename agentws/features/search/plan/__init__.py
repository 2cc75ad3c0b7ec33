"""Recall: what is indexed, how text becomes terms, what a question asks, how candidates are ranked. Pure."""
