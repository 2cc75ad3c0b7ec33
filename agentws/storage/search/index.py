"""What the index tells: how many units hold a term, which they are, and what stands in them."""

from __future__ import annotations

from agentws.storage.search import schema

TYPE_CHECKING = False
if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Collection, Iterable, Iterator, Sequence
    from typing import Any

_AT_ONCE = 500
PREFIX = "*"
"""At the end of what is asked for: any term that begins so."""


class FileState:
    """A file as the index holds it: its number, the stamp and the digest of what was read."""

    __slots__ = ("digest", "number", "room", "stamp")

    def __init__(self, number: int, room: str, stamp: str, digest: str) -> None:
        self.number = number
        self.room = room
        self.stamp = stamp
        self.digest = digest


class Index:
    """An open index. Everything here raises sqlite3.Error where the file is damaged."""

    __slots__ = ("connection", "path")

    def __init__(self, connection: sqlite3.Connection, path: str) -> None:
        self.connection = connection
        self.path = path

    def version(self) -> str:
        """Return what made it, empty where it does not say."""
        found = self.connection.execute("SELECT value FROM meta WHERE key = 'version'").fetchone()
        return str(found[0]) if found else ""

    def files(self) -> dict[str, FileState]:
        """Return every file that it holds."""
        rows = self.connection.execute("SELECT path, number, room, stamp, digest FROM files")
        return {path: FileState(*rest) for path, *rest in rows}

    def totals(self) -> tuple[int, int]:
        """Return how many units there are, and how many terms stand in them."""
        units, terms = self.connection.execute("SELECT sum(units), sum(terms) FROM files").fetchone()
        return units or 0, terms or 0

    def counts(self, terms: Iterable[str]) -> dict[str, int]:
        """Return how many units hold each term."""
        ask = "SELECT count FROM terms WHERE term = ?"
        found = {term: self.connection.execute(ask, (term,)).fetchone() for term in terms}
        return {term: row[0] if row else 0 for term, row in found.items()}

    def postings(self, term: str) -> Iterator[int]:
        """Yield the numbers of the units that hold a term."""
        text = term.removesuffix(PREFIX) if term != PREFIX else term
        quoted = '"{}"'.format(text.replace('"', '""'))
        asked = f"{quoted} *" if term != text else quoted
        rows = self.connection.execute("SELECT rowid FROM postings WHERE postings MATCH ?", (asked,))
        return (number for (number,) in rows)

    def on_days(self, first: str, last: str) -> Iterator[int]:
        """Yield the numbers of the units of these days."""
        rows = self.connection.execute("SELECT id FROM units WHERE day BETWEEN ? AND ?", (first, last))
        return (number for (number,) in rows)

    def marked(self, rooms: Collection[str], since: str, until: str, task: str) -> Iterator[tuple[int, str, str]]:
        """Yield (number, kind, tags) of the units in these rooms, between these days, of this task; empty: of any."""
        asked, given = ["1"], []
        if rooms:
            asked.append(f"room IN ({','.join('?' * len(rooms))})")
            given += sorted(rooms)
        for condition, value in (("day >= ?", since), ("day <= ?", until), ("task = ?", task)):
            if value:
                asked.append(condition)
                given.append(value)
        ask = f"SELECT id, kind, tags FROM units WHERE {' AND '.join(asked)}"  # noqa: S608 - ours alone
        return iter(self.connection.execute(ask, given))

    def rows(self, numbers: Sequence[int]) -> Iterator[tuple[int, str, tuple[Any, ...]]]:
        """Yield (number, path, row) of these units, in order; those that are not there are left out."""
        paths: dict[int, str] = {}
        for start in range(0, len(numbers), _AT_ONCE):
            some = numbers[start : start + _AT_ONCE]
            marks = ",".join("?" * len(some))
            ask = f"SELECT id, {', '.join(schema.COLUMNS)} FROM units WHERE id IN ({marks})"  # noqa: S608 - ours alone
            found = {row[0]: row[1:] for row in self.connection.execute(ask, some)}
            for number in some:
                if number in found:
                    file = number >> schema.ROOM_BITS
                    if file not in paths:
                        paths[file] = self._path(file)
                    yield number, paths[file], found[number]

    def _path(self, number: int) -> str:
        found = self.connection.execute("SELECT path FROM files WHERE number = ?", (number,)).fetchone()
        return str(found[0]) if found else ""

    def close(self) -> None:
        """Close it."""
        self.connection.close()
