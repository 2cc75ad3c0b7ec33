"""How much is tried: all of it where `AGENTWS_THOROUGH` is set (`make crash`, `make hostile`), else a sample."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TypeVar

THOROUGH = bool(os.environ.get("AGENTWS_THOROUGH"))
Point = TypeVar("Point")


def some(points: Sequence[Point], most: int = 4) -> list[Point]:
    """All points in the thorough form; else at most so many, evenly spread, the first and the last among them."""
    if THOROUGH or len(points) <= most:
        return list(points)
    return [points[round(n * (len(points) - 1) / (most - 1))] for n in range(most)]
