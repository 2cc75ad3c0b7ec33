"""A hint stands in everything that its pattern matches; else the pattern would never be tried there."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agentws.planning.compaction import copied, leaving, tiers, withheld
from agentws.planning.compaction.hinted import Hinted

MODULES = (copied, leaving, tiers, withheld)


def patterns() -> list[Hinted]:
    """Every one of them, also those that stand in tables."""
    found: list[Hinted] = []
    for module in MODULES:
        for value in vars(module).values():
            rows = value if isinstance(value, tuple) else ((value,),)
            found += [each for row in rows if isinstance(row, tuple) for each in row if isinstance(each, Hinted)]
    return found


@pytest.mark.parametrize("pattern", patterns(), ids=lambda pattern: pattern.hints[0])
def test_what_a_pattern_matches_contains_one_of_its_hints(pattern: Hinted) -> None:
    # Python's own letters are compared without regard to case, others (ſ, İ) are nobody's words here.
    plain = re.compile(pattern.compiled.pattern, pattern.compiled.flags & ~re.UNICODE | re.ASCII)

    @settings(max_examples=200, deadline=None, derandomize=True)
    @given(st.from_regex(plain))
    def check(text: str) -> None:
        assert pattern.is_in(text) == (pattern.compiled.search(text) is not None)

    check()


def test_without_a_hint_nothing_is_found() -> None:
    pattern = Hinted(r"\bkeys?\b", "lock|key")
    texts = ["the keys", "a lock", "monkey", "", "KEY"]

    assert [pattern.is_in(text) for text in texts] == [True, False, False, False, False]
