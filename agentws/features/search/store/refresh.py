"""Refresh of the SQLite index: writes only units that differ, all within one transaction."""

from __future__ import annotations

import time
from collections import Counter

from agentws.core.formats import digest
from agentws.features.search.plan.unit import COLUMNS
from agentws.features.search.store import schema
from agentws.features.search.store.index import FileState, Index

TYPE_CHECKING = False
if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable, Iterable, Sequence
    from typing import Any

    Row = tuple[Any, ...]

_INSERT = f"INSERT INTO units VALUES ({', '.join('?' * 17)})"
_ADD = "INSERT INTO postings(rowid, terms) VALUES (?, ?)"
_TAKE_OUT = "INSERT INTO postings(postings, rowid, terms) VALUES ('delete', ?, ?)"
_HASH = "INSERT INTO postings(postings, rank) VALUES ('hashsize', ?)"
_MOST_HASH_BYTES, _USUAL_HASH_BYTES = 8 << 20, 1 << 20
"""How much FTS5 gathers in memory before it writes, for a new index and else: one large write needs no merging."""
_COUNT = "INSERT INTO terms VALUES (?, ?) ON CONFLICT(term) DO UPDATE SET count = count + excluded.count"
_FILE = f"INSERT OR REPLACE INTO files VALUES ({', '.join('?' * 11)})"
_ROWS = f"SELECT id, {', '.join(COLUMNS)} FROM entries WHERE id >= ? AND id < ?"
_TICK_NS = 20_000_000
"""Longer than the step of a file system's clock."""
_MOST_COUNTED = 20_000
"""Terms whose counts are held in memory."""
_GROWS = 16
"""Spare unit numbers of a file that outgrew its range: as many as it has units, and this many more."""
_AT = {name: at for at, name in enumerate(COLUMNS)}


class File:
    """A file to refresh in the index: its path, its room, the stamp from before it was read, and its bytes.

    If it `only_grows` (its lines never change), only whole lines are indexed, and only new ones are read.
    """

    __slots__ = ("data", "only_grows", "path", "room", "stamp")

    def __init__(self, path: str, room: str, stamp: str, data: bytes, *, only_grows: bool = False) -> None:
        self.only_grows = only_grows
        if only_grows:
            data = data[: data.rfind(b"\n") + 1]
        self.path = path
        self.room = room
        self.stamp = stamp
        self.data = data


def settled(stamp: str, now_ns: int | None = None) -> str:
    """Return the stamp of a file, empty if it changed so recently that another change could have the same stamp."""
    now_ns = time.time_ns() if now_ns is None else now_ns
    times = stamp.split()[1:3]
    is_settled = bool(times) and all(int(each) < now_ns - _TICK_NS for each in times)
    return stamp if is_settled else ""


def make(connection: sqlite3.Connection, version: str) -> None:
    """Make the tables and views of a new index, in a transaction that the caller ends."""
    connection.execute("BEGIN")
    for table in schema.TABLES:
        connection.execute(table)
    for name, view in schema.VIEWS.items():
        connection.execute(f"CREATE VIEW {name} AS {view}")
    connection.execute("INSERT INTO meta VALUES ('version', ?)", (version,))
    connection.execute(_HASH, (_MOST_HASH_BYTES,))


class Refresh:
    """A refresh of the files in an index, within a transaction that the caller opens and ends.

    `rows` makes the rows of a file from a line on, `terms` returns (terms of a row, number of terms in its text).
    """

    def __init__(
        self,
        connection: sqlite3.Connection,
        *,
        rows: Callable[[str, str, bytes, int], Iterable[Row]],
        terms: Callable[[Row], tuple[Iterable[str], int]],
    ) -> None:
        self._connection = connection
        self._rows = rows
        self._terms = terms
        self._counts: Counter[str] = Counter()
        self._headings: Counter[int] = Counter()
        self._heading_ids: dict[str, int] = {}
        self._index = Index(connection, "")
        end = connection.execute("SELECT max(behind) FROM files").fetchone()[0]
        self._is_new = end is None
        self._end = end or 1

    def put(self, file: File) -> None:
        """Write the differing units of a file to the index."""
        state = self._index.file(file.path)
        if state is not None and state.room == file.room:
            if state.digest == digest.quick(file.data):
                self._connection.execute("UPDATE files SET stamp = ? WHERE first = ?", (file.stamp, state.first))
                return
            if file.only_grows and state.units and state.digest == digest.quick(file.data[: state.size]):
                self._grow(file, state)
                return
        rows = list(self._rows(file.path, file.room, file.data, 1))
        day, task = (rows[0][_AT["day"]], rows[0][_AT["task"]]) if rows else ("", "")
        is_fitting = state is not None and len(rows) < state.behind - state.first
        if state is not None and not (is_fitting and (state.room, state.day, state.task) == (file.room, day, task)):
            self.drop(file.path)
            state = self._new(file.room, day, task, len(rows), len(rows) + _GROWS)
            self._write(state, rows, is_new=True)
        elif state is None:
            state = self._new(file.room, day, task, len(rows), len(rows) if file.only_grows else 2)
            self._write(state, rows, is_new=True)
        else:
            self._write(state, rows, is_new=False)
        state.units = len(rows)
        self._keep(file, state)

    def _grow(self, file: File, state: FileState) -> None:
        """Add the units of the lines that were appended to a file."""
        lines = file.data.count(b"\n", 0, state.size)
        rows = list(self._rows(file.path, file.room, file.data[state.size :], lines + 1))
        if state.units + len(rows) >= state.behind - state.first:
            self.drop(file.path)
            self.put(file)
            return
        self._write(state, rows, is_new=True, start=state.first + state.units)
        state.units += len(rows)
        self._keep(file, state)

    def _new(self, room: str, day: str, task: str, units: int, spare: int) -> FileState:
        """Reserve numbers for the units of a file, and spare ones: one stays free, so that files are not neighbours."""
        state = FileState(self._end, self._end + units + max(2, spare), room, day, task)
        self._end = state.behind
        return state

    def _keep(self, file: File, state: FileState) -> None:
        state.stamp, state.digest, state.size = file.stamp, digest.quick(file.data), len(file.data)
        row = (state.first, state.behind, file.path, state.room, state.day, state.task, state.stamp, state.digest)
        self._connection.execute(_FILE, (*row, state.size, state.units, state.terms))

    def drop(self, path: str) -> None:
        """Remove a file and its units from the index."""
        state = self._index.file(path)
        if state is not None:
            self._write(state, [], is_new=False)
            self._connection.execute("DELETE FROM files WHERE first = ?", (state.first,))

    def finish(self) -> None:
        """Finish a refresh: write how many units hold each term and are below each heading."""
        if self._is_new:
            self._connection.execute(_HASH, (_USUAL_HASH_BYTES,))
        self._keep_counts()
        changed = [(count, number) for number, count in self._headings.items() if count]
        self._connection.executemany("UPDATE headings SET count = count + ? WHERE id = ?", changed)
        left = [(number,) for number, count in self._headings.items() if count <= 0]
        self._connection.executemany("DELETE FROM headings WHERE id = ? AND count <= 0", left)

    def _keep_counts(self) -> None:
        """Write how many units hold each term; what a million events say has more terms than memory should hold."""
        counts, self._counts = self._counts, Counter()
        self._connection.executemany(_COUNT, sorted(each for each in counts.items() if each[1]))
        gone = [(term,) for term, count in counts.items() if count < 0]
        self._connection.executemany("DELETE FROM terms WHERE term = ? AND count <= 0", gone)

    def _write(self, state: FileState, rows: Sequence[Row], *, is_new: bool, start: int | None = None) -> None:
        """Replace the rows of a file, writing only those that differ; with `is_new` they are added."""
        old: dict[int, Row] = {}
        if not is_new:
            old = {row[0]: row[1:] for row in self._connection.execute(_ROWS, (state.first, state.behind))}
        added: list[tuple[int, Row, str]] = []
        for at, row in enumerate(rows, state.first if start is None else start):
            if (known := old.pop(at, None)) == row:
                continue
            if known is not None:
                self._take_out(at, known, state)
            terms, length = self._terms(row)
            state.terms += length
            distinct = sorted(terms)
            self._counts.update(distinct)
            added.append((at, row, " ".join(distinct)))
        for at, row in old.items():
            self._take_out(at, row, state)
        self._connection.executemany(_INSERT, [self._stored(at, row, state) for at, row, _ in added])
        self._connection.executemany(_ADD, ((at, terms) for at, _, terms in added))
        if len(self._counts) > _MOST_COUNTED:
            self._keep_counts()

    def _stored(self, number: int, row: Row, state: FileState) -> Row:
        """Return the columns to store: usual values, and those of the whole file, are NULL."""
        line, end_line, day, time, _, form, kind, state_, importance, tags, src, audience, *rest = row
        headings, head, task, text, is_first = rest
        return (
            *(number, line, None if end_line == line else end_line, None if day == state.day else day),
            *(None if time == schema.time_in(text) else time, None if form == "item" else form, kind or None),
            *(state_ or None, importance or None, tags or None, src or None),
            *(None if audience == "main" else audience, self._heading(headings) if headings else None, head or None),
            *(None if task == state.task else task, text, is_first or None),
        )

    def _heading(self, path: str) -> int:
        if path not in self._heading_ids:
            made = self._connection.execute("INSERT OR IGNORE INTO headings(path, count) VALUES (?, 0)", (path,))
            if made.rowcount == 1:
                self._heading_ids[path] = int(made.lastrowid or 0)
            else:
                row = self._connection.execute("SELECT id FROM headings WHERE path = ?", (path,)).fetchone()
                self._heading_ids[path] = row[0]
        number = self._heading_ids[path]
        self._headings[number] += 1
        return number

    def _take_out(self, number: int, row: Row, state: FileState) -> None:
        own_terms, length = self._terms(row)
        state.terms -= length
        terms = sorted(own_terms)
        self._counts.subtract(terms)
        if path := row[_AT["headings"]]:
            self._heading(path)
            self._headings[self._heading_ids[path]] -= 2
        self._connection.execute(_TAKE_OUT, (number, " ".join(terms)))
        self._connection.execute("DELETE FROM units WHERE id = ?", (number,))
