"""Lines that say nearly the same: which chosen line tells another one already. Pure."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from agentws.planning.compaction.lines import Line

_FEWEST_ALIKE = 3
_ALIKE = 0.8
_MOST_LINES = 200
"""Lines that share a word: one that is in more finds the last of them alone, so that the cost stays linear."""


class Alike:
    """Knows which line that was added says nearly the same as another one.

    `either`: it is enough that the shorter of the two is contained in the other. Two lines that differ in a number, a
    name in quotation marks, or anything else that is exact (lines.py) say two things; only the time of day that they
    begin with may differ.
    """

    __slots__ = ("_by_word", "_either", "_lines")

    def __init__(self, lines: Sequence[Line], *, either: bool = False) -> None:
        self._lines = lines
        self._either = either
        self._by_word: dict[str, list[int]] = {}

    def add(self, index: int) -> None:
        """Note a line."""
        for word in self._lines[index].words:
            self._by_word.setdefault(word, []).append(index)

    def nearest(self, index: int) -> int | None:
        """The line that was added and tells line `index` already, None where there is none."""
        line = self._lines[index]
        if len(line.words) < _FEWEST_ALIKE:
            return None
        shared: dict[int, int] = {}
        common = []
        for word in line.words:
            others = self._by_word.get(word, ())
            if len(others) > _MOST_LINES:
                common.append(word)
                continue
            for other in others:
                shared[other] = shared.get(other, 0) + 1
        if common:
            self._share_common(common, shared)
        return self._best(line, shared)

    def _best(self, line: Line, shared: dict[int, int]) -> int | None:
        """The line that shares the most words with `line`, if those are enough and both name the same."""
        least = _ALIKE * (_FEWEST_ALIKE if self._either else max(len(line.words), _FEWEST_ALIKE))
        likely = sorted((-count, other) for other, count in shared.items() if count >= least)
        found = next((one for one in likely if line.says_again(self._lines[one[1]])), None)
        if found is None:
            return None
        count, nearest = found
        size = min(len(line.words), len(self._lines[nearest].words)) if self._either else len(line.words)
        return nearest if -count >= _ALIKE * max(size, _FEWEST_ALIKE) else None

    def _share_common(self, common: Sequence[str], shared: dict[int, int]) -> None:
        """Count the words that are in very many lines, for the lines that were found and for the last of the many."""
        rarest = min(common, key=lambda word: len(self._by_word[word]))
        for other in self._by_word[rarest][-_MOST_LINES:]:
            shared.setdefault(other, 0)
        for other in shared:
            words = self._lines[other].words
            shared[other] += sum(word in words for word in common)
