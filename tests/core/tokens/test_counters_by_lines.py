"""Counting by lines, and remembering what each costs, gives the counts of whole texts."""

from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from agentws.core.disk.system import shipped
from agentws.core.tokens import counters

COUNTERS = {name: counters.counter(name, shipped.open_o200k) for name in counters.NAMES}
BY_LINES = {name: counters.ByLines(counter, {}) for name, counter in COUNTERS.items()}
PIECES = (
    "\n",
    "\r",
    "\n\n",
    " ",
    "\t",
    "/",
    "- ",
    "#",
    "word",
    "Über",
    "１",
    "12",
    "\x1c",
    "\u2028",
    "\x85",
    "…",
    "'s",
)


@given(st.lists(st.one_of(st.sampled_from(PIECES), st.text(max_size=5)), max_size=40).map("".join))
@pytest.mark.parametrize("name", counters.NAMES)
def test_lines_cost_together_what_the_text_costs(name: str, text: str) -> None:
    assert BY_LINES[name].units(text) == COUNTERS[name].units(text)
    assert BY_LINES[name].units(text) == COUNTERS[name].units(text)


def test_what_is_known_is_not_counted_again() -> None:
    known = {"- one\n": 1000}
    counter = counters.ByLines(COUNTERS["o200k_base"], known)

    assert counter.units("- one\n- two\n") == 1000 + COUNTERS["o200k_base"].units("- two\n")
    assert list(counter.learned) == ["- two\n"]
