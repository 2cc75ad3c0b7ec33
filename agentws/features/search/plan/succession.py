"""Succession among hits that match alike: the entry that replaced another comes first. Pure.

No words are interpreted, so this holds in every language: a later decision about the same comes before the earlier one,
whether it repeats it, changes it or takes it back.
"""

from __future__ import annotations

from agentws.features.search.plan import features, terms

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence

    from agentws.features.search.plan.query import Query
    from agentws.features.search.plan.rank import Ranked, Stats
    from agentws.features.search.plan.unit import Unit

LATER = "later"
"""The reason of a score that was raised to that of an older entry."""
_LOOKED_AT = 100
"""How many of the best hits are compared."""


def newest_first(
    ranked: Sequence[Ranked], query: Query, stats: Stats, day_of: Callable[[Unit], str], *, most: int
) -> list[Ranked]:
    """Return the best `most` hits, each behind those that replaced it; these get its score if theirs is lower.

    A standing entry replaces an older one, and any that is over, when it has all words of the question that the other
    one has, or when both share at least half of the shorter one's words by weight. `day_of` returns the ISO day of a
    unit, empty if unknown: no unit is older or newer than such a one.
    """
    near = ranked[:_LOOKED_AT]
    replaceable = [each for each in near if each.unit.is_standing or each.unit.is_over]
    if len(replaceable) < 2:
        return list(ranked[:most])
    statements = _Statements(replaceable, query, stats, day_of)
    ordered: dict[int, Ranked] = {}

    def place(hit: Ranked) -> None:
        for newer in statements.replacing(hit):
            if newer.unit.id not in ordered:
                if newer.score < hit.score:
                    newer.marks = [*newer.marks, (LATER, hit.score - newer.score)]
                    newer.score = hit.score
                place(newer)
        ordered.setdefault(hit.unit.id, hit)

    for hit in ranked:
        if len(ordered) >= most:
            break
        place(hit)
    return list(ordered.values())[:most]


class _Statements:
    """The words, days and weights of the entries that may replace or be replaced."""

    def __init__(self, hits: Sequence[Ranked], query: Query, stats: Stats, day_of: Callable[[Unit], str]) -> None:
        self._days = {hit.unit.id: day_of(hit.unit) for hit in hits}
        self._newest = sorted(hits, key=lambda hit: (self._days[hit.unit.id], hit.unit.line), reverse=True)
        self._asked = {hit.unit.id: {*query.terms}.intersection(hit.unit.terms) for hit in hits}
        self._words = {hit.unit.id: frozenset(terms.of(_body(hit.unit))) for hit in hits}
        every = sorted(frozenset().union(*self._words.values()))
        counts: Mapping[str, int] = stats.counts(every) if stats.counts else {}
        # A word of both entries must not weigh less than a word of one, only because two entries have it.
        self._weights = {term: features.idf(stats.units, max(2, counts.get(term, 0))) for term in every}
        self._whole = {number: self._weight(words) for number, words in self._words.items()}

    def replacing(self, hit: Ranked) -> list[Ranked]:
        """Return the entries that replaced this one, the newest first."""
        if hit.unit.id not in self._days:
            return []
        return [other for other in self._newest if self._is_newer(other.unit, hit.unit) and self._fits(other, hit)]

    def _is_newer(self, unit: Unit, other: Unit) -> bool:
        if not unit.is_standing:
            return False
        if other.is_over:
            return True
        first, second = self._days[other.id], self._days[unit.id]
        return bool(first) and (
            second > first or (second == first and unit.path == other.path and unit.line > other.line)
        )

    def _fits(self, newer: Ranked, older: Ranked) -> bool:
        asked = self._asked[older.unit.id]
        if asked and asked <= self._asked[newer.unit.id]:
            return True
        shared = self._weight(self._words[newer.unit.id] & self._words[older.unit.id])
        return shared > 0 and 2 * shared >= min(self._whole[newer.unit.id], self._whole[older.unit.id])

    def _weight(self, words: Collection[str]) -> float:
        return sum(self._weights[word] for word in sorted(words))


def _body(unit: Unit) -> str:
    """Return the words of a unit's first entry, without marks and time."""
    from agentws.core.notes import reading  # few searches compare entries

    entries = reading.read(unit.text, path="")
    return entries[0].body if entries else unit.text
