"""Entries of MEMORY.md that speak of the same and say something else, by the words that they share. Pure."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING

from agentws.formats.documents import managed
from agentws.planning.notes import similarity

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

MOST = 5
_FEWEST_SHARED = 2
_FEWEST_COUNTED, _COMMON = 6, 3
"""Of so many lines, a word that every third one has says nothing about their matter."""


@dataclass(frozen=True, slots=True)
class Line:
    """A line of MEMORY.md: its `name` in a brief (a number, or FILE:LINE), its text, the day on which it was said."""

    name: str
    text: str
    day: str = ""


class Lines:
    """Lines, by their words."""

    def __init__(self, lines: Iterable[Line]) -> None:
        self._words = [(line, {*similarity.words(managed.without_day(line.text))}) for line in lines]
        counts = Counter(word for _, words in self._words for word in words)
        is_many = len(self._words) >= _FEWEST_COUNTED
        self._common = {word for word, count in counts.items() if is_many and count * _COMMON > len(self._words)}

    def disagreeing(self) -> list[tuple[Line, Line]]:
        """Return the pairs of lines that speak of the same, the newer line first, and the newest pair first."""
        pairs = [
            sorted((line, other), key=lambda each: each.day, reverse=True)
            for (line, words), (other, others) in combinations(self._words, 2)
            if words != others and self._is_near(words, others)
        ]
        pairs.sort(key=lambda pair: pair[0].day, reverse=True)
        return [(newer, older) for newer, older in pairs[:MOST]]

    def near(self, text: str) -> Sequence[Line]:
        """Return the lines that speak of the same as a text."""
        words = {*similarity.words(managed.without_day(text))}
        return [line for line, others in self._words if self._is_near(words, others)]

    def _is_near(self, words: set[str], others: set[str]) -> bool:
        ours, theirs = words - self._common, others - self._common
        shared = len(ours & theirs)
        return shared >= _FEWEST_SHARED and 2 * shared >= max(len(ours), len(theirs))
