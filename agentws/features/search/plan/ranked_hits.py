"""Ranked hits: carried entries joined into one, later decisions before earlier ones, and the neighbours of a hit. Pure.

No words are interpreted, so this holds in every language: a later decision about the same comes before the earlier one,
whether it repeats it, changes it or takes it back.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from math import ceil

from agentws.core.markdown import notes
from agentws.core.notes.entry import Entry
from agentws.features.search.plan import features, terms, unit as _unit
from agentws.features.search.plan.query import Query
from agentws.features.search.plan.rank import Ranked, Stats
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
    """Return whether at most one of two entries has its own words, and few, and at most one own names or numbers."""
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


_MOST_SIBLING_CHARS = 400
_SHORT_CHARS = 200
_FARTHEST = 8
_BEGINNING = 40
_FORMS = ("item", "row")


def siblings(unit: Unit, units: Callable[[list[int]], list[Unit]]) -> list[Unit]:
    """Return the siblings of a unit: its list if small, else the two beside it; none if it is long, lone or timed.

    `units` returns units by their numbers.
    """
    if unit.room == _unit.JOURNAL or unit.form not in _FORMS or "\n" in unit.text or len(unit.text) > _SHORT_CHARS:
        return []
    if not unit.headings or notes.time_in(unit.text[:_BEGINNING]):
        return []
    by_id = {passage.id: passage for passage in units([*range(unit.id - _FARTHEST, unit.id), *_behind(unit.id)])}
    before = _row(unit, [by_id.get(unit.id - step) for step in range(1, _FARTHEST + 1)])[::-1]
    behind = _row(unit, [by_id.get(unit.id + step) for step in range(1, _FARTHEST + 1)])
    is_whole = max(len(before), len(behind)) < _FARTHEST
    if is_whole and sum(len(passage.text) for passage in (*before, *behind)) <= _MOST_SIBLING_CHARS:
        return [*before, *behind]
    return [passage for passage in (*before[-1:], *behind[:1]) if len(passage.text) <= _SHORT_CHARS]


def _behind(number: int) -> range:
    return range(number + 1, number + _FARTHEST + 1)


def _row(unit: Unit, others: Sequence[Unit | None]) -> list[Unit]:
    """Return the first of `others`, as far as they are in the unit's list."""
    kept: list[Unit] = []
    for passage in others:
        if (
            passage is None
            or passage.path != unit.path
            or passage.headings != unit.headings
            or passage.form != unit.form
        ):
            break
        kept.append(passage)
    return kept


LATER = "later"
"""The reason of a score that was raised to that of an older entry."""
"""How many of the best hits are compared."""


def newest_first(
    ranked: Sequence[Ranked], query: Query, stats: Stats, day_of: Callable[[Unit], str], *, most: int
) -> list[Ranked]:
    """Return the best `most` hits, each behind those that replaced it; these get its score if theirs is lower.

    A standing entry replaces an older one, and any that has ended, when it has all words of the question that the other
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
