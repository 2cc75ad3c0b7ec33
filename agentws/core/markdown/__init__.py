"""The one reader of Markdown: blocks, headings, fences, lists, entries."""
