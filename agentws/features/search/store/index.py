"""Queries of the SQLite index: counts of terms, the units that hold them, and the rows of units."""

from __future__ import annotations

from bisect import bisect_right
from operator import itemgetter

from agentws.features.search.store import schema

TYPE_CHECKING = False
if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
    from typing import Any

_AT_ONCE = 500
_MOST_HEADINGS = 20_000
_FIRST = itemgetter(0)
_STATE = "SELECT path, first, behind, room, day, task, stamp, digest, size, units, terms"
_UNITS = f"SELECT {', '.join(schema.STORED)} FROM units WHERE id IN ("
_MADE = (
    "SELECT sql FROM sqlite_master WHERE sql IS NOT NULL "
    "AND NOT (type = 'table' AND sql GLOB 'CREATE TABLE ''postings_*')"
)
"""All statements of the schema but those of the tables in which FTS5 keeps its lists."""
PREFIX = "*"
"""At the end of a term: any term with this beginning."""


class FileState:
    """A file as the index holds it: the range of its unit numbers (`first`, `behind`), the counts of its units and of
    their terms, the stamp, digest and size in bytes of the content that was indexed.
    """

    __slots__ = ("behind", "day", "digest", "first", "room", "size", "stamp", "task", "terms", "units")

    def __init__(self, first: int, behind: int, room: str, day: str, task: str) -> None:
        self.first = first
        self.behind = behind
        self.room = room
        self.day = day
        self.task = task
        self.stamp = self.digest = ""
        self.size = self.units = self.terms = 0


class Index:
    """An open SQLite index. All methods raise sqlite3.Error if the file is damaged."""

    __slots__ = ("_files", "_headings", "_places", "_seen", "_totals", "connection", "path")

    def __init__(self, connection: sqlite3.Connection, path: str) -> None:
        self.connection = connection
        self.path = path
        self._places: list[int] = []
        self._files: list[tuple[Any, ...]] = []
        self._headings: dict[int, str] = {}
        self._totals: tuple[int, int] | None = None
        self._seen = -1

    def is_unchanged(self) -> bool:
        """Return whether the index was not written since the last call; if it was, cached reads are dropped."""
        seen = int(self.connection.execute("PRAGMA data_version").fetchone()[0])
        is_as_before, self._seen = seen == self._seen, seen
        if not is_as_before:
            self._places, self._files, self._totals = [], [], None
            self._headings.clear()
        return is_as_before

    def version(self) -> str:
        """Return the version that made the index, empty if it has none, or if its tables, views or triggers differ."""
        made = {sql for (sql,) in self.connection.execute(_MADE)}
        if made != schema.STATEMENTS:
            return ""
        row = self.connection.execute("SELECT value FROM meta WHERE key = 'version'").fetchone()
        return str(row[0]) if row else ""

    def files(self) -> dict[str, FileState]:
        """Return the state of every indexed file, by path."""
        return {path: _state(row) for path, *row in self.connection.execute(f"{_STATE} FROM files")}

    def file(self, path: str) -> FileState | None:
        """Return the state of the indexed file at `path`, None if it is not indexed."""
        row = self.connection.execute(f"{_STATE} FROM files WHERE path = ?", (path,)).fetchone()
        return _state(row[1:]) if row else None

    def stamps(self) -> Iterator[tuple[str, tuple[str, str]]]:
        """Yield (path, (room, stamp)) of every indexed file: all that a search needs of most files."""
        for path, room, stamp in self.connection.execute("SELECT path, room, stamp FROM files"):
            yield path, (room, stamp)

    def rooms(self) -> Iterator[tuple[str, int, int]]:
        """Yield (room, files, units) of each room that has files in the index."""
        ask = "SELECT room, count(*), sum(units) FROM files GROUP BY room"
        return iter(self.connection.execute(ask))

    def without_units(self) -> list[str]:
        """Return the paths of the files, the journal's apart, that have content but no unit."""
        rows = self.connection.execute("SELECT path FROM files WHERE units = 0 AND size > 2 AND room <> 'journal'")
        return [path for (path,) in rows]

    def places(self) -> dict[str, tuple[int, int]]:
        """Return the range of unit numbers (first, behind) of each indexed file, by path."""
        rows = self.connection.execute("SELECT path, first, behind FROM files")
        return {path: (first, behind) for path, first, behind in rows}

    def totals(self) -> tuple[int, int]:
        """Return how many units the index holds, and how many terms are in them."""
        if self._totals is None:
            units, terms = self.connection.execute("SELECT sum(units), sum(terms) FROM files").fetchone()
            self._totals = units or 0, terms or 0
        return self._totals

    def counts(self, terms: Iterable[str]) -> dict[str, int]:
        """Return how many units of the index hold each term."""
        counts = dict.fromkeys(terms, 0)
        every = list(counts)
        for start in range(0, len(every), _AT_ONCE):
            some = every[start : start + _AT_ONCE]
            ask = f"SELECT term, count FROM terms WHERE term IN ({','.join('?' * len(some))})"
            counts.update(self.connection.execute(ask, some))
        return counts

    def postings(self, term: str) -> Iterator[int]:
        """Yield the numbers of the units in the index that hold a term."""
        text = term.removesuffix(PREFIX) if term != PREFIX else term
        quoted = '"{}"'.format(text.replace('"', '""'))
        asked = f"{quoted} *" if term != text else quoted
        rows = self.connection.execute("SELECT rowid FROM postings WHERE postings MATCH ?", (asked,))
        return map(_FIRST, rows)

    def on_days(self, first: str, last: str) -> Iterator[int]:
        """Yield the numbers of the units of the days from `first` to `last`, without records."""
        files = "SELECT first, behind FROM files WHERE day BETWEEN ? AND ?"
        for begin, behind in self.connection.execute(files, (first, last)).fetchall():
            ask = "SELECT id FROM units WHERE id >= ? AND id < ? AND day IS NULL AND form IS NOT 'record'"
            yield from (number for (number,) in self.connection.execute(ask, (begin, behind)))
        own = "SELECT id FROM units WHERE day IS NOT NULL AND day BETWEEN ? AND ? AND form IS NOT 'record'"
        yield from (number for (number,) in self.connection.execute(own, (first, last)))

    def marked(self, rooms: Collection[str], since: str, until: str, task: str) -> Iterator[tuple[int, str, str]]:
        """Yield (number, kind, tags) of the units in these rooms, days and task; an empty argument allows all."""
        asked, given = ["form <> 'record'"], []
        if rooms:
            asked.append(f"room IN ({','.join('?' * len(rooms))})")
            given += sorted(rooms)
        for condition, value in (("day >= ?", since), ("day <= ?", until), ("task = ?", task)):
            if value:
                asked.append(condition)
                given.append(value)
        ask = f"SELECT id, kind, tags FROM entries WHERE {' AND '.join(asked)}"
        return iter(self.connection.execute(ask, given))

    def rows(self, numbers: Sequence[int]) -> Iterator[tuple[int, str, tuple[Any, ...]]]:
        """Yield (number, path, row) of the units in the index with these numbers; missing ones are left out."""
        if not self._files:
            self._files = self.connection.execute(
                "SELECT first, path, room, day, task FROM files ORDER BY first"
            ).fetchall()
            self._places = [first for first, *_ in self._files]
        for start in range(0, len(numbers), _AT_ONCE):
            some = numbers[start : start + _AT_ONCE]
            rows = self.connection.execute(f"{_UNITS}{','.join('?' * len(some))})", some).fetchall()
            headings = self._named({row[schema.HEADING_AT] for row in rows})
            for row in rows:
                at = bisect_right(self._places, row[0]) - 1
                if at >= 0:
                    yield row[0], self._files[at][1], schema.whole(row, self._files[at], headings)

    def _named(self, numbers: set[int | None]) -> Mapping[int, str]:
        """Return the heading paths of these heading numbers."""
        if len(self._headings) > _MOST_HEADINGS:
            self._headings.clear()
        lacking = [number for number in numbers if number and number not in self._headings]
        ask = f"SELECT id, path FROM headings WHERE id IN ({','.join('?' * len(lacking))})"
        self._headings.update(self.connection.execute(ask, lacking) if lacking else ())
        return self._headings

    def texts(self, first: int, behind: int) -> Iterator[tuple[int, str, str]]:
        """Yield (number, form, text) of the units with numbers from `first` up to `behind`."""
        ask = "SELECT id, coalesce(form, 'item'), text FROM units WHERE id >= ? AND id < ?"
        return iter(self.connection.execute(ask, (first, behind)))

    def close(self) -> None:
        """Close the connection of the index."""
        self.connection.close()


def _state(row: Sequence[Any]) -> FileState:
    *places, stamp, seal, size, units, terms = row
    state = FileState(*places)
    state.stamp, state.digest, state.size, state.units, state.terms = stamp, seal, size, units, terms
    return state
