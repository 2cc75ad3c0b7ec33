"""The tables of the index. FTS5 is only a posting list: terms are ours, joined by spaces, and so are all scores.

The units of a file have numbers in a row, with at least one free behind them, so that those beside each other are
neighbours. What all units of a file share stands with the file; a unit that differs says so itself.
"""

from __future__ import annotations

VERSION = "3"
COLUMNS = (
    *("line", "end_line", "day", "time", "room", "form", "kind", "state", "importance", "tags", "src", "audience"),
    *("headings", "head", "task", "text"),
)
"""The fields of a unit, as they are given and told."""
_SIGNS = '!"#$%&()*+,-./:;<=>?@[\\]^_`{|}~'
"""All but the apostrophe, which no term holds; other scripts are part of terms for the tokenizer anyway."""
TABLES = (
    "CREATE TABLE meta (key TEXT PRIMARY KEY, value) WITHOUT ROWID",
    "CREATE TABLE files (first INTEGER PRIMARY KEY, behind INTEGER NOT NULL, path TEXT NOT NULL UNIQUE, "
    "room TEXT NOT NULL, day TEXT NOT NULL, task TEXT NOT NULL, stamp TEXT NOT NULL, digest TEXT NOT NULL, "
    "size INTEGER NOT NULL, "
    "units INTEGER NOT NULL, terms INTEGER NOT NULL)",
    "CREATE TABLE headings (id INTEGER PRIMARY KEY, path TEXT NOT NULL UNIQUE, count INTEGER NOT NULL)",
    "CREATE TABLE units (id INTEGER PRIMARY KEY, line INTEGER NOT NULL, end_line INTEGER, day TEXT, time TEXT, "
    "form TEXT, kind TEXT, state TEXT, importance INTEGER, tags TEXT, src TEXT, audience TEXT, heading INTEGER, "
    "head TEXT, task TEXT, text TEXT NOT NULL)",
    "CREATE INDEX days ON units(day) WHERE day IS NOT NULL",
    "CREATE TABLE terms (term TEXT PRIMARY KEY, count INTEGER NOT NULL) WITHOUT ROWID",
    "CREATE VIRTUAL TABLE postings USING fts5(terms, content='', columnsize=0, detail=none, "
    f"""tokenize="ascii tokenchars '{_SIGNS.replace('"', '""')}'")""",
    "CREATE VIEW entries AS SELECT u.id AS id, f.path AS path, u.line AS line, "
    "coalesce(u.end_line, u.line) AS end_line, coalesce(u.day, f.day) AS day, coalesce(u.time, '') AS time, "
    "f.room AS room, coalesce(u.form, 'item') AS form, coalesce(u.kind, '') AS kind, "
    "coalesce(u.state, '') AS state, coalesce(u.importance, 0) AS importance, coalesce(u.tags, '') AS tags, "
    "coalesce(u.src, '') AS src, coalesce(u.audience, 'main') AS audience, coalesce(h.path, '') AS headings, "
    "coalesce(u.head, '') AS head, coalesce(u.task, f.task) AS task, u.text AS text "
    "FROM units u JOIN files f ON f.first = (SELECT max(first) FROM files WHERE first <= u.id) "
    "LEFT JOIN headings h ON h.id = u.heading",
)
