"""Three-way merge of a text by units (headings, items, fields, lines): match them, order them, and merge each."""
