"""How much is tried: all of it where `AGENTWS_THOROUGH` is set (`make crash`, `make hostile`), else a sample."""

from __future__ import annotations

import os
import zlib
from collections.abc import Iterable, Sequence
from itertools import combinations, product
from typing import TypeVar

THOROUGH = bool(os.environ.get("AGENTWS_THOROUGH"))
Point = TypeVar("Point")


def some(points: Sequence[Point], most: int = 4) -> list[Point]:
    """All points in the thorough form; else at most so many, evenly spread, the first and the last among them."""
    if THOROUGH or len(points) <= most:
        return list(points)
    return [points[round(n * (len(points) - 1) / (most - 1))] for n in range(most)]


def in_turn(name: str, cases: Sequence[Point], most: int) -> Sequence[Point]:
    """At most so many, evenly spread; which ones is decided by the name, so that tests of one table take all of it."""
    step = -(-len(cases) // most)
    return cases[zlib.crc32(name.encode()) % step :: step]


def meeting(*axes: Iterable[object]) -> list[tuple[object, ...]]:
    """All combinations in the thorough form; else as few as it takes that each two values of two axes meet in one."""
    every = list(product(*axes))
    if THOROUGH:
        return every
    met = {row: set(combinations(enumerate(row), 2)) for row in every}
    missing, taken = set().union(*met.values()), []
    while missing:
        taken.append(max(every, key=lambda row: len(met[row] & missing)))
        missing -= met[taken[-1]]
    return taken
