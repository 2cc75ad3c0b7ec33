"""The order of the digest: what waits, then what says most that no line before it says. Pure.

It counts words and knows none of them.
"""

from __future__ import annotations

import math
from datetime import date
from typing import TYPE_CHECKING

from agentws.planning.notes import coverage, similarity

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from agentws.planning.compact.candidates import Candidate

_A_WEEK = 0.99
"""What is left of a line's worth for each week that it is older."""
_FRAME_CHARS = 30
_STRENGTH, _IMPORTANCE, _DAY = 0.3, 0.1, 0.2
_NESTED = 0.1
"""What is left of the weight of a line that only says more of the one above it: that one is the matter."""


def of(lines: Sequence[Candidate], newest: str) -> Iterator[Candidate]:
    """Return lines, the most telling first: what may stand in MEMORY.md, the rest, what comes from outside."""
    waiting = [one for one in lines if one.counts]
    yield from sorted(waiting, key=_waits, reverse=True)
    yield from _covering([one for one in lines if not one.counts and not one.is_outside], newest)
    yield from _covering([one for one in lines if one.is_outside], newest)


def _waits(one: Candidate) -> tuple[bool, int, bool, str]:
    return one.kind == "rule", one.importance, one.kind != "fact", one.day


def weight(one: Candidate) -> float:
    """Return how much a line weighs by its marks and by how often it was said: 1 for most."""
    weight = 1 + _STRENGTH * one.strength + _IMPORTANCE * one.importance + _DAY * (len(one.days) - 1)
    return weight * _NESTED if one.is_nested else weight


def _covering(lines: Sequence[Candidate], newest: str) -> Iterator[Candidate]:
    ages = (math.pow(_A_WEEK, _weeks(one.day, newest)) for one in lines)
    worth = [weight(one) * age / (len(one.text) + _FRAME_CHARS) for one, age in zip(lines, ages, strict=True)]
    for at in coverage.by_news([similarity.words(one.text) for one in lines], worth):
        yield lines[at]


def _weeks(day: str, newest: str) -> float:
    return (date.fromisoformat(newest) - date.fromisoformat(day)).days / 7 if day and newest else 0.0
