"""Which lines say most that no line before them says. Pure.

It counts words and knows none of them.
"""

from __future__ import annotations

import heapq
import math

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Sequence

_SAID = 0.4
"""What is left of a word's worth each time a line before says it."""


def by_news(
    lines: Sequence[Sequence[str]],
    worth: Sequence[float],
    said: Iterable[Iterable[str]] = (),
    days: Sequence[Collection[str]] = (),
) -> Iterator[int]:
    """Return the places of lines, given as their words, the most telling first.

    `worth` is that of each line besides, as a factor; `said` are the words of what is known already, a line each. Where
    the `days` of each line are given, a word counts the more of them it comes back on; one of one day counts nothing.
    """
    counts: dict[str, int] = {}
    for words in lines:
        for word in words:
            counts[word] = counts.get(word, 0) + 1
    rarity = {word: math.log(1 + len(lines) / count) for word, count in counts.items()}
    for word, on in _days_of(lines, days).items():
        rarity[word] *= 1 - 1 / len(on)
    known: dict[str, int] = {}
    for line in said:
        _count(known, line)

    def gain(at: int) -> float:
        return worth[at] * sum(rarity[word] * math.pow(_SAID, known.get(word, 0)) for word in lines[at])

    heap = [(-gain(at), at) for at in range(len(lines))]
    heapq.heapify(heap)
    while heap:
        _, at = heapq.heappop(heap)
        now = gain(at)
        if heap and now < -heap[0][0]:
            heapq.heappush(heap, (-now, at))  # a line before it has said some of that
            continue
        yield at
        _count(known, lines[at])


def _days_of(lines: Sequence[Sequence[str]], days: Sequence[Collection[str]]) -> dict[str, set[str]]:
    found: dict[str, set[str]] = {}
    for words, on in zip(lines, days, strict=False):
        for word in words:
            found.setdefault(word, set()).update(on)
    return found


def _count(known: dict[str, int], words: Iterable[str]) -> None:
    for word in words:
        known[word] = known.get(word, 0) + 1
