"""The scanned corpus: takes candidates from the files themselves if there is no index, the same ones but slower."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from agentws.core.disk.cache import Cache
from agentws.core.ports import VectorStore
from agentws.core.stores.stores import Stores
from agentws.errors import AgentwsError
from agentws.features.search import masking, reading, sources
from agentws.features.search.filters import Filter
from agentws.features.search.plan import candidates, unit as _unit
from agentws.features.search.plan.query import Query
from agentws.features.search.plan.rank import Stats
from agentws.features.search.plan.unit import Unit

_ROOM = 1 << 20
"""Distance between the first unit numbers of two files, so that units of different files are never neighbours."""


class Scan:
    """A corpus of all units of a workspace, just read from its files."""

    is_fresh = True
    failures: tuple[type[Exception], ...] = ()

    def __init__(self, stores: Stores) -> None:
        self._units: dict[int, Unit] = {}
        self._postings: dict[str, list[int]] = {}
        self._length = 0
        self._without_units: list[str] = []
        reader = reading.Reader(stores)
        self._places: dict[str, tuple[int, int]] = {}
        for number, (path, (room, _)) in enumerate(sources.of(stores).items(), 1):
            first = number * _ROOM
            self._places[path] = (first, first + _ROOM)
            count = 0
            for count, unit in enumerate(_read(stores, reader, path, room), 1):
                unit.id = first + count - 1
                self._add(unit)
            if not count and room != _unit.JOURNAL:
                self._without_units.append(path)

    def _add(self, unit: Unit) -> None:
        self._units[unit.id] = unit
        self._length += len(unit.terms)
        for term in unit.indexed:
            self._postings.setdefault(term, []).append(unit.id)

    def stats(self, terms: Iterable[str]) -> Stats:
        """Return the counts of the scanned units for these terms, as ranking needs them."""
        count = len(self._units)
        return Stats(count, self._length / count if count else 0.0, self._counts(terms), self._counts)

    def candidates(self, query: Query, stats: Stats, among: Filter | None = None) -> list[Unit]:
        """Return the scanned units to rank for a query, and those beside them."""

        def kept(numbers: Iterable[int]) -> Iterable[int]:
            return numbers if among is None else (each for each in numbers if among.accepts(self._units[each]))

        chosen = candidates.chosen(
            query,
            units=stats.units,
            df=stats.df,
            postings=lambda term: kept(self._of(term)),
            on_days=lambda first, last: kept(self._on_days(first, last)),
            files=self._files,
        )
        units = candidates.ordered(self.units(list(chosen)), chosen)
        return units + self.units(candidates.beside(units))

    def units(self, numbers: list[int]) -> list[Unit]:
        """Return the scanned units with these numbers; missing ones are left out."""
        return [self._units[number] for number in numbers if number in self._units]

    def newest(self, among: Filter, most: int) -> list[Unit]:
        """Return the newest scanned units that pass a filter."""
        numbers = [number for number, unit in self._units.items() if among.accepts(unit)]
        return self.units(candidates.newest(numbers, self._files(), most))

    def without_units(self) -> list[str]:
        """Return the paths of the files that have no unit."""
        return self._without_units

    def nearest(self, vector: Any, store: VectorStore, among: Filter | None, _: Cache) -> list[int]:
        """Return the numbers of the scanned units nearest to a vector, the nearest first."""
        from agentws.features.search.vectors import places

        own = (unit for unit in self._units.values() if among is None or among.accepts(unit))
        return places.among(own, vector, store)

    def every(self) -> Iterator[Unit]:
        """Yield all scanned units, those of the newest files first."""
        units_by_path: dict[str, list[Unit]] = {}
        for unit in self._units.values():
            units_by_path.setdefault(unit.path, []).append(unit)
        for path in reversed(candidates.by_day(units_by_path)):
            yield from reversed(units_by_path[path])

    def close(self) -> None:
        """Do nothing: a scan holds no file open."""

    def _files(self) -> list[tuple[int, int]]:
        return candidates.newest_files(self._places)

    def _counts(self, terms: Iterable[str]) -> dict[str, int]:
        return {term: len(self._of(term)) for term in terms}

    def _of(self, term: str) -> list[int]:
        if term == candidates.PREFIX or not term.endswith(candidates.PREFIX):
            return self._postings.get(term, [])
        begin = term[:-1]
        return sorted(
            {number for key, positions in self._postings.items() if key.startswith(begin) for number in positions}
        )

    def _on_days(self, first: str, last: str) -> Iterable[int]:
        return (
            number for number, unit in self._units.items() if first <= unit.day <= last and unit.form != _unit.RECORD
        )


def _read(stores: Stores, reader: reading.Reader, path: str, room: str) -> Iterator[Unit]:
    try:
        data = sources.content(stores.files, path, room)
    except AgentwsError:
        return
    units = reader.units(path, room, data)
    is_whole = stores.shared is None or not path.endswith(".md")
    yield from units if is_whole else _placed(units, masking.lines(stores.whole.files.read(path)))


def _placed(units: Iterable[Unit], data: bytes) -> Iterator[Unit]:
    """Yield the units of a file that was read in part, with their line numbers in the whole file."""
    lines = _unit.plain(data.decode("utf-8", "surrogateescape")).split("\n")
    at = 0
    for unit in units:
        first, _, rest = unit.text.partition("\n")
        if first in lines[at:]:
            at = lines.index(first, at)
            unit.line, unit.end_line = at + 1, at + 1 + (rest.count("\n") + 1 if rest else 0)
            at += 1
        yield unit
