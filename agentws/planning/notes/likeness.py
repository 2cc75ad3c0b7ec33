"""Which lines say the same, and which speak of the same matter in other words: by words and names alone. Pure."""

from __future__ import annotations

import math

from agentws.planning.notes import identifiers, similarity

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from agentws.planning.notes.entry import Entry

_NEARLY = 0.7
_HALF = 0.5
_FEWEST_COMMON = 3
_FEWEST_SHARED = 2
_LEAST_SHARE = 0.42
"""Of what the words of a line tell, a line on the same matter has so much."""
_COMMON = 3
"""A word that every third line has tells nothing."""


class ComparedEntry:
    """An entry for comparison: its `words`, what makes it another statement where it differs (`exact`), its `fact`."""

    __slots__ = ("_exact", "entry", "fact", "words")

    def __init__(self, entry: Entry) -> None:
        self.entry = entry
        self.words = frozenset(entry.words)
        self.fact = identifiers.fact(entry.body) if ":" in entry.body or "：" in entry.body else None
        self._exact: frozenset[str] | None = None

    @property
    def exact(self) -> frozenset[str]:
        """See the class."""
        if self._exact is None:
            self._exact = frozenset((*self.entry.identifiers, *identifiers.numbers(self.entry.body)))
        return self._exact


def is_said(entry: ComparedEntry, by: ComparedEntry) -> bool:
    """Return whether `by` says it already: nearly all of its words, and everything exact."""
    common = len(entry.words & by.words)
    return 0 < common >= _NEARLY * len(entry.words) and entry.exact <= by.exact | by.words


def is_same(entry: ComparedEntry, other: ComparedEntry) -> bool:
    """Return whether two lines say the same: nearly the same words, where only one of them has words of its own."""
    shorter, longer = sorted((entry.words, other.words), key=len)
    if len(shorter) < _NEARLY * len(longer) or not shorter <= longer:
        return False
    return entry.exact <= other.exact or other.exact <= entry.exact


def is_rival(entry: ComparedEntry, other: ComparedEntry) -> bool:
    """Return whether two lines say something else of the same: of one name, of one file, or but for a few words."""
    if has_other_value(entry, other):
        return _subject(entry.entry) == _subject(other.entry)
    common = len(entry.words & other.words)
    if common < _FEWEST_COMMON:
        return False
    if common >= _NEARLY * max(len(entry.words), len(other.words)):
        return True
    is_half = common >= _HALF * min(len(entry.words), len(other.words))
    return is_half and not set(entry.entry.identifiers).isdisjoint(other.entry.identifiers)


def has_other_value(entry: ComparedEntry, other: ComparedEntry) -> bool:
    """Return whether both are `name: value` with the same name and another value."""
    return bool(entry.fact and other.fact and entry.fact[0] == other.fact[0] and entry.fact[1] != other.fact[1])


def _subject(entry: Entry) -> frozenset[str]:
    """The words of the innermost heading, without numbers; nothing for one that names the day of a log."""
    heading = entry.headings[-1] if entry.headings else ""
    if entry.day and entry.day in heading:
        return frozenset()
    return frozenset(word for word in similarity.words(heading) if not any(map(str.isdigit, word)))


class Weights:
    """The weight of each word: the more, the fewer of some lines have it."""

    __slots__ = ("_counts", "_lines")

    def __init__(self, lines: Iterable[Iterable[str]]) -> None:
        self._counts: dict[str, int] = {}
        self._lines = 1
        for words in lines:
            self._lines += 1
            for word in words:
                self._counts[word] = self._counts.get(word, 0) + 1

    def _is_rare(self, word: str) -> bool:
        count = self._counts.get(word, 1)
        return count == 1 or count * _COMMON <= self._lines

    def of(self, words: Iterable[str]) -> float:
        """Return what words tell together."""
        return sum(math.log(1 + self._lines / self._counts.get(word, 1)) for word in words)

    def share(self, one: Collection[str], other: Collection[str]) -> float:
        """Return how much of what a line tells another one says too: both as their words."""
        common = [word for word in {*one}.intersection(other) if self._is_rare(word)]
        if len(common) < _FEWEST_SHARED:
            return 0.0
        ours = self.of(one)
        return self.of(common) / min(ours, max(self.of(other), ours / 2))

    def is_near(self, one: Collection[str], other: Collection[str], least: float = _LEAST_SHARE) -> bool:
        """Return whether two lines speak of the same matter: most likely, for nothing is read."""
        return self.share(one, other) >= least
