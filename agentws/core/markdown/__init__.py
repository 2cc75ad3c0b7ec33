"""Markdown parsing: blocks, headings, fences, lists, entries."""
