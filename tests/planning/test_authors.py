"""Who wrote a daily log, where that was another agent."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentws.planning import authors


@pytest.mark.parametrize(
    "title",
    [
        "2026-09-18 — Heron Daily Log",
        "Heron Daily Log",
        "Daily Log — Heron",
        "2026-09-18 Daily Memory — Heron 🪶",
        "Heron's session log",
        "Heron’s notes of 2026-09-18",
        "2026-09-18 (written by Heron)",
        "Log of Friday, kept by the Heron",
    ],
)
def test_a_title_may_name_another_agent(title: str) -> None:
    assert authors.other(title, "", own="Robin") == "Heron"


@pytest.mark.parametrize(
    "title",
    [
        "",
        "2026-09-18",
        "2026-09-18, Friday",
        "Friday Daily Log",
        "Daily Log — Friday",
        "Daily Notes — September",
        "Daily Log — Sep 18",
        "Daily Log — continued",
        "Daily Log — Summary",
        "Daily Log — 2026-09-18",
        "My Daily Log",
        "Today's Log",
        "This week's notes",
        "Yesterday's session log, continued",
        "the customer's notes",
        "The day the harbour was flooded by rain",
        "Blog drafts: written by hand",
        "Memory leak in the shop",
    ],
)
def test_most_titles_name_nobody(title: str) -> None:
    assert authors.other(title, "", own="Robin") == ""


@pytest.mark.parametrize("own", ["Robin", "robin", "Robin the Second"])
def test_ones_own_log_is_nobody_elses(own: str) -> None:
    assert authors.other("2026-09-18 — Robin Daily Log", "", own=own) == ""


def test_what_is_declared_counts_before_the_title() -> None:
    assert authors.other("Robin Daily Log", "Heron", own="Robin") == "Heron"
    assert authors.other("Heron Daily Log", "Robin", own="Robin") == ""


@given(st.text(max_size=100), st.text(max_size=20))
def test_the_name_stands_in_the_title(title: str, own: str) -> None:
    assert authors.other(title, "", own=own) in title


def test_a_very_long_title_is_read_in_time() -> None:
    for part in ("-", "A", "a's ", " by ", "daily log ", "x log -"):
        authors.other(part * 2000, "", own="Robin")
