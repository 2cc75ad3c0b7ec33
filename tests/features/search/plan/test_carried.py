"""Entries carried over from day to day are one answer."""

from __future__ import annotations

import random

import pytest

from agentws.features.search.plan import rank, ranked_hits
from agentws.features.search.plan.ranked_hits import _Line, _Lines
from tests.features.search.plan.made import unit

_WORDS = "kiln glaze fuse clay wheel shelf key yard rain bowl cone slip".split()  # noqa: SIM905


def test_lines_are_compared_wherever_they_share_enough() -> None:
    chance = random.Random(11)
    for _ in range(60):
        units = [
            unit("- " + " ".join(chance.sample(_WORDS, chance.randint(1, 7))), at, day=f"2031-04-{at + 1:02d}")
            for at in range(25)
        ]
        lines = _Lines(units)
        every: list[_Line] = []
        for one in units:
            line = _Line(one)
            expected = next((each for each in every if each.is_same(line)), None)
            if expected is None:
                every.append(line)
            found = lines.same(line)
            assert (found and found.unit.id) == (expected and expected.unit.id)


@pytest.mark.parametrize("again", ["- [ ] fire the kiln with cone six", "- [ ] Fire the kiln with cone six !7"])
def test_the_better_one_stays_and_tells_of_the_other(again: str) -> None:
    first = unit("- [ ] fire the kiln with cone six", 1, day="2031-04-02")
    other = unit(again, 2, day="2031-04-05")
    lone = unit("- glaze the bowl", 3, day="2031-04-06")
    for one in (first, other):
        one.state = "open"
    ranked = [rank.Ranked(one, 1.0, []) for one in (other, lone, first)]

    kept, also = ranked_hits.joined(ranked, [first, other, lone])

    assert [one.unit.id for one in kept] == [2, 3]
    assert [one.id for one in also[2]] == [1]
