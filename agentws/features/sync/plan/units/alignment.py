"""Alignment of two lists of keys: pairs equal keys, those in the same order first. Pure, almost linear."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Sequence
from itertools import chain

Pairs = dict[int, int]
"""Index in the first list → index in the second."""


def align(own: Sequence[str], other: Sequence[str]) -> Pairs:
    """Align two lists: return the pairs of equal keys, those in the same order first, then moved ones."""
    start = 0
    ends = (len(own), len(other))
    while start < min(ends) and own[start] == other[start]:
        start += 1
    behind = 0
    while behind < min(ends) - start and own[ends[0] - behind - 1] == other[ends[1] - behind - 1]:
        behind += 1
    pairs = {at: at for at in range(start)}
    pairs |= {ends[0] - at: ends[1] - at for at in range(1, behind + 1)}
    inner = (ends[0] - behind, ends[1] - behind)
    if start < min(inner):
        _anchored(own, other, start, inner, pairs)
        _moved(own, other, start, inner, pairs)
    return pairs


def _anchored(own: Sequence[str], other: Sequence[str], start: int, ends: tuple[int, int], pairs: Pairs) -> None:
    """Pair keys that occur once in both lists, in order, and then equal neighbours of these."""
    counts, others = Counter(own[start : ends[0]]), Counter(other[start : ends[1]])
    places = {other[at]: at for at in range(start, ends[1]) if others[other[at]] == 1}
    once = [(at, places[own[at]]) for at in range(start, ends[0]) if counts[own[at]] == 1 and own[at] in places]
    taken = set(range(start))
    for at, place in longest([place for _, place in once], [at for at, _ in once]):
        pairs[at] = place
        taken.add(place)
    forth = ((at, pairs.get(at - 1, start - 1 if at == start else ends[1]) + 1) for at in range(start, ends[0]))
    downwards = range(ends[0] - 1, start - 1, -1)
    back = ((at, pairs.get(at + 1, ends[1] if at + 1 == ends[0] else 0) - 1) for at in downwards)
    for at, place in chain(forth, back):  # evaluated lazily: each pair helps the next
        if at not in pairs and start <= place < ends[1] and place not in taken and own[at] == other[place]:
            pairs[at] = place
            taken.add(place)


def longest(places: Sequence[int], names: Sequence[int]) -> list[tuple[int, int]]:
    """Return the longest increasing subsequence of `places`, each with its name: the pairs in order of an alignment."""
    tops: list[int] = []
    last: list[int] = []
    before: list[int] = []
    for index, place in enumerate(places):
        at = bisect_left(tops, place)
        tops[at : at + 1] = [place]
        last[at : at + 1] = [index]
        before.append(last[at - 1] if at else -1)
    spans = []
    index = last[-1] if last else -1
    while index >= 0:
        spans.append((names[index], places[index]))
        index = before[index]
    return spans[::-1]


def _moved(own: Sequence[str], other: Sequence[str], start: int, ends: tuple[int, int], pairs: Pairs) -> None:
    """Pair equal keys that are left, in order."""
    taken = set(pairs.values())
    left: dict[str, list[int]] = {}
    for place in range(ends[1] - 1, start - 1, -1):
        if place not in taken:
            left.setdefault(other[place], []).append(place)
    for at in range(start, ends[0]):
        if at not in pairs and left.get(own[at]):
            pairs[at] = left[own[at]].pop()
