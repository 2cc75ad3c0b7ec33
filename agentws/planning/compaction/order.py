"""Which lines of the digest come first: what waits, then what says most that no line before it says. Pure.

It counts words and knows none of them.
"""

from __future__ import annotations

import heapq
import math
from collections import Counter
from datetime import date
from typing import TYPE_CHECKING

from agentws.formats import origin
from agentws.planning.notes import similarity

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from agentws.planning.compaction.candidates import Candidate

_SAID = 0.4
"""What is left of a word's worth each time a line before says it."""
_A_WEEK = 0.98
"""What is left of a line's worth for each week that it is older."""
_FRAME_CHARS = 30
_STRENGTH, _IMPORTANCE, _DAY = 0.3, 0.1, 0.2


def of(lines: Sequence[Candidate], newest: str) -> Iterator[Candidate]:
    """Return lines, the most telling first: what may stand in MEMORY.md, the rest, what comes from outside."""
    waiting = [one for one in lines if one.counts]
    yield from sorted(waiting, key=_waits, reverse=True)
    yield from _covering([one for one in lines if not one.counts and not origin.is_outside(one.src)], newest)
    yield from _covering([one for one in lines if origin.is_outside(one.src)], newest)


def _waits(one: Candidate) -> tuple[bool, int, bool, str]:
    return one.kind == "rule", one.importance, one.kind != "fact", one.day


def weight(one: Candidate) -> float:
    """Return how much a line weighs by its marks and by how often it was said: 1 for most."""
    return 1 + _STRENGTH * one.strength + _IMPORTANCE * one.importance + _DAY * (len(one.days) - 1)


def _covering(lines: Sequence[Candidate], newest: str) -> Iterator[Candidate]:
    words = [similarity.words(one.text) for one in lines]
    counts = Counter(word for each in words for word in each)
    rarity = {word: math.log(1 + len(lines) / count) for word, count in counts.items()}
    said: Counter[str] = Counter()

    def gain(at: int) -> float:
        one = lines[at]
        new: float = sum(rarity[word] * math.pow(_SAID, said[word]) for word in words[at])
        age = math.pow(_A_WEEK, _weeks(one.day, newest))
        return new * weight(one) * age / (len(one.text) + _FRAME_CHARS)

    heap = [(-gain(at), at) for at in range(len(lines))]
    heapq.heapify(heap)
    while heap:
        _, at = heapq.heappop(heap)
        now = gain(at)
        if heap and now < -heap[0][0]:
            heapq.heappush(heap, (-now, at))  # a line before it has said some of that
            continue
        yield lines[at]
        said.update(words[at])


def _weeks(day: str, newest: str) -> float:
    return (date.fromisoformat(newest) - date.fromisoformat(day)).days / 7 if day and newest else 0.0
