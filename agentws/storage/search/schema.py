"""The tables of the index. FTS5 is only a posting list: terms are ours, joined by spaces, and so are all scores."""

from __future__ import annotations

VERSION = "1"
ROOM_BITS = 20
"""A unit's number is that of its file, this many bits to the left, and its place in the file."""
FILE_BITS = 16
"""A file's number is its day, this many bits to the left, and its place among the files of that day."""
MOST_UNITS = (1 << ROOM_BITS) - 2
_SIGNS = '!"#$%&()*+,-./:;<=>?@[\\]^_`{|}~'
"""All but the apostrophe, which no term holds; other scripts are part of terms for the tokenizer anyway."""
COLUMNS = (
    *("line", "end_line", "day", "time", "room", "form", "kind", "state", "importance", "tags", "src", "audience"),
    *("headings", "head", "task", "text"),
)
TABLES = (
    "CREATE TABLE meta (key TEXT PRIMARY KEY, value) WITHOUT ROWID",
    "CREATE TABLE files (number INTEGER PRIMARY KEY, path TEXT NOT NULL UNIQUE, room TEXT NOT NULL, "
    "stamp TEXT NOT NULL, digest TEXT NOT NULL, units INTEGER NOT NULL, terms INTEGER NOT NULL)",
    "CREATE TABLE units (id INTEGER PRIMARY KEY, line INTEGER, end_line INTEGER, day TEXT, time TEXT, room TEXT, "
    "form TEXT, kind TEXT, state TEXT, importance INTEGER, tags TEXT, src TEXT, audience TEXT, headings TEXT, "
    "head TEXT, task TEXT, text TEXT)",
    "CREATE TABLE terms (term TEXT PRIMARY KEY, count INTEGER NOT NULL) WITHOUT ROWID",
    "CREATE VIRTUAL TABLE postings USING fts5(terms, content='', columnsize=0, detail=none, "
    f"""tokenize="ascii tokenchars '{_SIGNS.replace('"', '""')}'")""",
)
