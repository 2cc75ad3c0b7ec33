"""The schema of the SQLite index. FTS5 is only a posting list: agentws makes the terms and all scores.

The units of a file have numbers in a row, with at least one free behind them, so that adjacent numbers are neighbours
in a file. Values that the units of a file share are stored with the file; a unit stores only what differs.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

VERSION = "9"
STORED = (
    *("id", "line", "end_line", "day", "time", "form", "kind", "state", "importance", "tags", "src", "audience"),
    *("heading", "head", "task", "text", "is_first"),
)
"""The columns of the table `units`."""
HEADING_AT = STORED.index("heading")
_SIGNS = '!"#$%&()*+,-./:;<=>?@[\\]^_`{|}~'
"""All ASCII signs but the apostrophe, which no term holds; the tokenizer takes other scripts as parts of terms."""
TABLES = (
    "CREATE TABLE meta (key TEXT PRIMARY KEY, value) WITHOUT ROWID",
    "CREATE TABLE files (first INTEGER PRIMARY KEY, behind INTEGER NOT NULL, path TEXT NOT NULL UNIQUE, "
    "room TEXT NOT NULL, day TEXT NOT NULL, task TEXT NOT NULL, stamp TEXT NOT NULL, digest TEXT NOT NULL, "
    "size INTEGER NOT NULL, "
    "units INTEGER NOT NULL, terms INTEGER NOT NULL)",
    "CREATE TABLE headings (id INTEGER PRIMARY KEY, path TEXT NOT NULL UNIQUE, count INTEGER NOT NULL)",
    "CREATE TABLE units (id INTEGER PRIMARY KEY, line INTEGER NOT NULL, end_line INTEGER, day TEXT, time TEXT, "
    "form TEXT, kind TEXT, state TEXT, importance INTEGER, tags TEXT, src TEXT, audience TEXT, heading INTEGER, "
    "head TEXT, task TEXT, text TEXT NOT NULL, is_first INTEGER)",
    "CREATE INDEX days ON units(day) WHERE day IS NOT NULL",
    "CREATE TABLE terms (term TEXT PRIMARY KEY, count INTEGER NOT NULL) WITHOUT ROWID",
    "CREATE VIRTUAL TABLE postings USING fts5(terms, content='', columnsize=0, detail=none, "
    f"""tokenize="ascii tokenchars '{_SIGNS.replace('"', '""')}'")""",
    "CREATE VIEW entries AS SELECT u.id AS id, f.path AS path, u.line AS line, "
    "coalesce(u.end_line, u.line) AS end_line, coalesce(u.day, f.day) AS day, coalesce(u.time, CASE "
    "WHEN u.text GLOB '- [0-2][0-9]:[0-5][0-9] *' THEN substr(u.text, 3, 5) ELSE '' END) AS time, "
    "f.room AS room, coalesce(u.form, 'item') AS form, coalesce(u.kind, '') AS kind, "
    "coalesce(u.state, '') AS state, coalesce(u.importance, 0) AS importance, coalesce(u.tags, '') AS tags, "
    "coalesce(u.src, '') AS src, coalesce(u.audience, 'main') AS audience, coalesce(h.path, '') AS headings, "
    "coalesce(u.head, '') AS head, coalesce(u.task, f.task) AS task, u.text AS text, "
    "coalesce(u.is_first, 0) AS is_first "
    "FROM units u JOIN files f ON f.first = (SELECT max(first) FROM files WHERE first <= u.id) "
    "LEFT JOIN headings h ON h.id = u.heading",
)


def time_in(text: str) -> str:
    """Return the time with which the text of most entries begins, so that it is not stored twice; empty if none."""
    if text[4:5] != ":" or text[:2] != "- " or text[7:8] != " ":
        return ""
    digits = text[2:4] + text[5:7]
    return text[2:7] if digits.isascii() and digits.isdecimal() and digits[0] < "3" and digits[2] < "6" else ""


def whole(row: Sequence[Any], file: Sequence[Any], headings: Mapping[int, str]) -> tuple[Any, ...]:
    """Return the row of a unit from its stored columns, (first, path, room, day, task) of its file, and the headings.

    The view `entries` returns the same.
    """
    (
        _,
        line,
        end_line,
        day,
        time,
        form,
        kind,
        state,
        importance,
        tags,
        src,
        audience,
        heading,
        head,
        task,
        text,
        is_first,
    ) = row
    return (
        *(
            line,
            end_line or line,
            file[3] if day is None else day,
            time_in(text) if time is None else time,
            file[2],
            form or "item",
            kind or "",
        ),
        *(state or "", importance or 0, tags or "", src or "", audience or "main", headings.get(heading, "")),
        *(head or "", file[4] if task is None else task, text, is_first or 0),
    )


def _json_field(name: str) -> str:
    """Return SQL for a field of the JSON in a header, a record or an event, NULL for units without JSON."""
    return f"CASE WHEN substr(head, 1, 1) = '{{' THEN json_extract(head, '$.{name}') END"


VIEWS = {
    "memories": (
        "SELECT text AS content, CASE WHEN room IN ('tasks', 'handoffs', 'contexts') THEN 'working' "
        "WHEN room = 'logs' AND path NOT LIKE 'memory/archive/%' THEN 'session' ELSE 'longterm' END AS memory_type, "
        "nullif(importance, 0) AS importance, nullif(day || CASE time WHEN '' THEN '' ELSE 'T' || time END, '') "
        "AS created_at, NULL AS accessed_at, path, line, src, kind, state, tags, task, "
        "replace(headings, char(31), ' > ') AS heading FROM entries "
        "WHERE room NOT IN ('journal', 'data') AND form NOT IN ('record', 'header')"
    ),
    "events": (
        f"SELECT {_json_field('session')} AS session_id, {_json_field('kind')} AS event_type, "
        f"text AS content, {_json_field('tool')} AS tool_name, {_json_field('input')} AS tool_input, "
        f"{_json_field('output')} AS tool_output, {_json_field('at')} AS timestamp, "
        "nullif(importance, 0) AS importance, path, line, src, task FROM entries WHERE room = 'journal'"
    ),
    "sessions": (
        "SELECT session_id, min(timestamp) AS started_at, "
        "max(CASE event_type WHEN 'session.ended' THEN timestamp END) AS ended_at, count(*) AS events, "
        "max(CASE event_type WHEN 'session.started' THEN content END) AS goal "
        "FROM events WHERE session_id IS NOT NULL GROUP BY session_id"
    ),
    "tasks": (
        f"SELECT task AS slug, {_json_field('title')} AS title, {_json_field('status')} AS status, "
        f"{_json_field('priority')} AS priority, {_json_field('due')} AS due, "
        f"{_json_field('waiting_on')} AS waiting_on, {_json_field('created')} AS created_at, "
        f"{_json_field('updated')} AS updated_at, path, src FROM entries "
        "WHERE room = 'tasks' AND form IN ('header', 'record')"
    ),
    "handoffs": (
        f"SELECT {_json_field('session')} AS session_id, {_json_field('at')} AS created_at, "
        f"{_json_field('status')} AS status, {_json_field('origin')} AS origin, "
        "(SELECT group_concat(o.text, char(10)) FROM entries o WHERE o.path = e.path AND o.form <> 'record') "
        "AS content, path, src FROM entries e WHERE room = 'handoffs' AND form = 'record'"
    ),
    "data": (
        # SQLite may evaluate a query's condition on `row` before that on `room`.
        "SELECT substr(path, 6, length(path) - 11) AS name, CASE WHEN json_valid(head) THEN head END AS row, "
        "path, line FROM entries WHERE room = 'data'"
    ),
    "sources": (
        f"SELECT coalesce({_json_field('entry')}, {_json_field('stated')}, "
        f"{_json_field('left')}) AS entry, {_json_field('kind')} AS kind, "
        f"{_json_field('src')} AS src, {_json_field('first')} AS first, "
        f"{_json_field('confirmed')} AS confirmed, {_json_field('state')} AS state, "
        f"{_json_field('sources')} AS sources, {_json_field('run')} AS run, path, line "
        "FROM entries WHERE path = 'memory/sources.jsonl'"
    ),
}
"""The views for `agentws sql` and other programs: docs/guides/search.md."""
STATEMENTS = frozenset((*TABLES, *(f"CREATE VIEW {name} AS {view}" for name, view in VIEWS.items())))
"""All statements that make an index; an index with any other one is not used."""
