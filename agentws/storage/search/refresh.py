"""The index brought up to date: only units that differ are written, all within one transaction."""

from __future__ import annotations

from collections import Counter

from agentws.formats import digest
from agentws.storage.search import schema
from agentws.storage.search.index import FileState, Index

TYPE_CHECKING = False
if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable, Iterable, Sequence
    from typing import Any

    Row = tuple[Any, ...]

_INSERT = f"INSERT INTO units VALUES ({', '.join('?' * (len(schema.COLUMNS) + 1))})"  # noqa: S608 - ours alone
_ADD = "INSERT INTO postings(rowid, terms) VALUES (?, ?)"
_TAKE_OUT = "INSERT INTO postings(postings, rowid, terms) VALUES ('delete', ?, ?)"
_COUNT = "INSERT INTO terms VALUES (?, ?) ON CONFLICT(term) DO UPDATE SET count = count + excluded.count"
_FILE = "INSERT OR REPLACE INTO files VALUES (?, ?, ?, ?, ?, ?, ?)"


class File:
    """A file as it is now: its path, its room, the stamp before it was read, and what stands in it."""

    __slots__ = ("data", "path", "room", "stamp")

    def __init__(self, path: str, room: str, stamp: str, data: bytes) -> None:
        self.path = path
        self.room = room
        self.stamp = stamp
        self.data = data


def make(connection: sqlite3.Connection, version: str) -> None:
    """Make the tables of a new index."""
    for table in schema.TABLES:
        connection.execute(table)
    connection.execute("INSERT INTO meta VALUES ('version', ?)", (version,))


class Refresh:
    """Changes an index within a transaction that the caller opens and ends.

    `rows` makes the rows of a file, `terms` tells of a row (terms, how many stand in its text).
    """

    def __init__(
        self,
        connection: sqlite3.Connection,
        *,
        rows: Callable[[str, str, bytes], Iterable[Row]],
        terms: Callable[[Row], tuple[Iterable[str], int]],
    ) -> None:
        self._connection = connection
        self._rows = rows
        self._terms = terms
        self._counts: Counter[str] = Counter()
        self._known = Index(connection, "").files()
        self._numbers = {state.number for state in self._known.values()}

    def put(self, file: File) -> None:
        """Let the index hold this file as it is now."""
        state = self._known.get(file.path)
        seal = digest.quick(file.data)
        if state is not None and state.digest == seal and state.room == file.room:
            self._connection.execute("UPDATE files SET stamp = ? WHERE number = ?", (file.stamp, state.number))
            return
        rows = list(self._rows(file.path, file.room, file.data))[: schema.MOST_UNITS]
        number = state.number if state is not None else self._new_number(rows)
        length = self._write(number, rows, is_new=state is None)
        self._connection.execute(_FILE, (number, file.path, file.room, file.stamp, seal, len(rows), length))
        self._known[file.path] = FileState(number, file.room, file.stamp, seal)

    def drop(self, path: str) -> None:
        """Take a file out of the index."""
        state = self._known.pop(path, None)
        if state is not None:
            self._write(state.number, [], is_new=False)
            self._connection.execute("DELETE FROM files WHERE number = ?", (state.number,))

    def finish(self) -> None:
        """Write how many units hold each term."""
        self._connection.executemany(_COUNT, sorted(each for each in self._counts.items() if each[1]))
        gone = [(term,) for term, count in self._counts.items() if count < 0]
        self._connection.executemany("DELETE FROM terms WHERE term = ? AND count <= 0", gone)

    def _new_number(self, rows: Sequence[Row]) -> int:
        """The number of a new file: newer days have greater ones, so that of equals the newer is found."""
        day = rows[0][2] if rows else ""
        number = _ordinal(day) << schema.FILE_BITS
        while number in self._numbers:
            number += 1
        self._numbers.add(number)
        return number

    def _write(self, number: int, rows: Sequence[Row], *, is_new: bool) -> int:
        """Let the file of this number have these rows; return how many terms stand in all of them."""
        first = number << schema.ROOM_BITS
        old: dict[int, Row] = {}
        if not is_new:
            ask = f"SELECT id, {', '.join(schema.COLUMNS)} FROM units WHERE id BETWEEN ? AND ?"  # noqa: S608 - ours
            last = first + schema.MOST_UNITS + 1
            old = {row[0]: row[1:] for row in self._connection.execute(ask, (first, last))}
        length = 0
        added: list[tuple[int, Row, str]] = []
        for at, row in enumerate(rows, first):
            terms, size = self._terms(row)
            length += size
            if (known := old.pop(at, None)) == row:
                continue
            if known is not None:
                self._take_out(at, known)
            distinct = sorted(set(terms))
            self._counts.update(distinct)
            added.append((at, row, " ".join(distinct)))
        for at, row in old.items():
            self._take_out(at, row)
        self._connection.executemany(_INSERT, ((at, *row) for at, row, _ in added))
        self._connection.executemany(_ADD, ((at, terms) for at, _, terms in added))
        return length

    def _take_out(self, number: int, row: Row) -> None:
        terms = sorted(set(self._terms(row)[0]))
        self._counts.subtract(terms)
        self._connection.execute(_TAKE_OUT, (number, " ".join(terms)))
        self._connection.execute("DELETE FROM units WHERE id = ?", (number,))


def _ordinal(day: str) -> int:
    """The number of an ISO day, 1 where it names none."""
    try:
        year, month, date = int(day[:4]), int(day[5:7]), int(day[8:10])
    except ValueError:
        return 1
    return (year * 12 + month) * 31 + date
