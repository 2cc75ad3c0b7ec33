"""Entries that were carried over from day to day, joined into one hit that names the other days. Pure."""

from __future__ import annotations

from collections import Counter
from math import ceil

from agentws.features.search.plan import unit as _unit

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from agentws.core.notes.entry import Entry
    from agentws.features.search.plan.rank import Ranked
    from agentws.features.search.plan.unit import Unit

_LOOKED_AT = 100
"""How many of the best hits are compared."""
_MOST_CHARS = 600
"""Longer entries are not carried over by hand."""
_LIKELY = 0.6
"""The least share of their terms that two entries with the same meaning have in common."""
_NEARLY = 0.7
"""Two entries say the same if the shorter one has this share of the longer one's words, and no others."""
_MOST_TOLD = 20


class _Line:
    """A unit for comparison; its entries are read on first use, as few comparisons need them."""

    __slots__ = ("_entries", "terms", "unit")

    def __init__(self, unit: Unit) -> None:
        self.unit = unit
        self.terms = frozenset(unit.terms)
        self._entries: list[Entry] | None = None

    @property
    def entries(self) -> list[Entry]:
        """The unit's entry and those nested in it."""
        if self._entries is None:
            from agentws.core.notes import reading  # few searches compare entries

            self._entries = reading.read(self.unit.text, path="")
        return self._entries

    def is_same(self, other: _Line) -> bool:
        """Return whether both units say the same on two different days."""
        ours, theirs = self.unit, other.unit
        if ours.day == theirs.day or (ours.state, ours.src, ours.kind) != (theirs.state, theirs.src, theirs.kind):
            return False
        if len(self.terms & other.terms) < _LIKELY * max(len(self.terms), len(other.terms)):
            return False
        return ours.text == theirs.text or self._says_the_same(other)

    def _says_the_same(self, other: _Line) -> bool:
        return len(self.entries) == len(other.entries) and all(
            _is_same(entry, another) for entry, another in zip(self.entries, other.entries, strict=True)
        )


def _is_same(entry: Entry, other: Entry) -> bool:
    """Return whether at most one of two entries has words of its own, and few, and at most one own names or numbers."""
    from agentws.core.notes import identifiers, similarity

    shorter, longer = sorted(({*similarity.words(each.body)} for each in (entry, other)), key=len)
    if len(shorter) < _NEARLY * len(longer) or not shorter <= longer:
        return False
    ours, theirs = ({*identifiers.of(each.body), *identifiers.numbers(each.body)} for each in (entry, other))
    return ours <= theirs or theirs <= ours


def joined(ranked: Sequence[Ranked], units: Sequence[Unit]) -> tuple[list[Ranked], Mapping[int, list[Unit]]]:
    """Return the hits without those carried over, and by unit number the units of other days that say the same.

    `units` are all candidates, also those with the same text, which `ranked` has only once.
    """
    kept: list[Ranked] = []
    also: dict[int, list[Unit]] = {}
    same_text: dict[str, list[Unit]] = {}
    for unit in units:
        if _is_carried(unit):
            same_text.setdefault(unit.text, []).append(unit)
    lines = _Lines([hit.unit for hit in ranked[:_LOOKED_AT] if _is_carried(hit.unit)])
    for hit in ranked[:_LOOKED_AT]:
        if not _is_carried(hit.unit):
            kept.append(hit)
            continue
        line = _Line(hit.unit)
        best = lines.same(line)
        if best is None:
            kept.append(hit)
        also.setdefault((best or line).unit.id, []).extend(same_text.get(hit.unit.text, ()))
    others = {line.unit.id: _elsewhere(line.unit, also[line.unit.id]) for line in lines.every}
    return [*kept, *ranked[_LOOKED_AT:]], others


class _Lines:
    """Lines with different meanings, by their rarest terms.

    Two sets that share _LIKELY of their terms share one of the rarest few of each, in any order of rarity, so most
    lines are never compared with each other.
    """

    def __init__(self, units: Sequence[Unit]) -> None:
        self.every: list[_Line] = []
        self._counts = Counter(term for unit in units for term in set(unit.terms))
        self._by_term: dict[str, list[int]] = {}

    def same(self, line: _Line) -> _Line | None:
        """Return the first line that says the same; without one, add this line and return None."""
        rare = sorted(sorted(line.terms), key=self._counts.__getitem__)
        rare = rare[: len(rare) - ceil(_LIKELY * len(rare)) + 1]
        likely = {at for term in rare for at in self._by_term.get(term, ())}
        best = next((self.every[at] for at in sorted(likely) if self.every[at].is_same(line)), None)
        if best is None:
            for term in rare:
                self._by_term.setdefault(term, []).append(len(self.every))
            self.every.append(line)
        return best


def _is_carried(unit: Unit) -> bool:
    return unit.room == _unit.LOGS and bool(unit.day) and len(unit.text) <= _MOST_CHARS


def _elsewhere(unit: Unit, units: Sequence[Unit]) -> list[Unit]:
    """Return one unit for each other day, the newest first."""
    days = {each.day: each for each in sorted(units, key=lambda each: (each.path, -each.line)) if each.day != unit.day}
    return [days[day] for day in sorted(days, reverse=True)][:_MOST_TOLD]
