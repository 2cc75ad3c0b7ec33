"""Curation of MEMORY.md by its author: the brief, the operations of an answer and their checks. Pure."""
