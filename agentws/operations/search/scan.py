"""Candidates from the files themselves, where there is no index to ask: the same ones, found more slowly."""

from __future__ import annotations

from agentws.errors import AgentwsError
from agentws.operations.search import reading, sources
from agentws.planning.search import candidates
from agentws.planning.search.rank import Stats

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from agentws.planning.search.query import Query
    from agentws.planning.search.unit import Unit
    from agentws.storage.workspace.stores import Stores

_ROOM = 1 << 20
"""How many units a file may have; a number leaves as much room between files, so that none stand beside each other."""


class Scan:
    """All units of a workspace, read just now."""

    def __init__(self, stores: Stores) -> None:
        self._units: dict[int, Unit] = {}
        self._postings: dict[str, list[int]] = {}
        self._length = 0
        reader = reading.Reader(stores)
        files = sources.of(stores)
        for number, (path, room) in enumerate(sorted(files.items(), key=_by_day), 1):
            try:
                data = stores.files.read(path)
            except AgentwsError:
                continue
            for at, one in enumerate(reader.units(path, room, data)):
                one.id = number * _ROOM + at
                self._add(one)

    def _add(self, one: Unit) -> None:
        self._units[one.id] = one
        self._length += len(one.terms)
        for term in one.indexed:
            self._postings.setdefault(term, []).append(one.id)

    def stats(self, terms: Iterable[str]) -> Stats:
        """Return what is known of these terms."""
        count = len(self._units)
        return Stats(count, self._length / count if count else 0.0, {term: len(self._of(term)) for term in terms})

    def candidates(self, query: Query, stats: Stats, accepts: Callable[[Unit], bool] | None = None) -> list[Unit]:
        """Return the units that are to be ranked, and those beside them."""
        found = candidates.chosen(
            query,
            units=stats.units,
            df=stats.df,
            postings=lambda term: self._accepted(self._of(term), accepts),
            on_days=lambda first, last: self._accepted(self._on_days(first, last), accepts),
        )
        every = [*found, *candidates.beside(found)]
        return [self._units[number] for number in every if number in self._units]

    def _of(self, term: str) -> list[int]:
        if not term.endswith(candidates.PREFIX):
            return self._postings.get(term, [])
        begin = term[:-1]
        return sorted({number for key, found in self._postings.items() if key.startswith(begin) for number in found})

    def _on_days(self, first: str, last: str) -> Iterable[int]:
        return (number for number, one in self._units.items() if first <= one.day <= last)

    def _accepted(self, numbers: Iterable[int], accepts: Callable[[Unit], bool] | None) -> Iterable[int]:
        return numbers if accepts is None else (number for number in numbers if accepts(self._units[number]))


def _by_day(one: tuple[str, str]) -> tuple[str, str]:
    from agentws.formats import layout

    return layout.day_of(one[0].rpartition("/")[2]) or "", one[0]
