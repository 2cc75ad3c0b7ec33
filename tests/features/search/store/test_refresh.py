"""When the stamp of a file may be relied on."""

from __future__ import annotations

from agentws.features.search.store import refresh

NOW = 1_800_000_000_000_000_000
LONG_AGO, JUST_NOW = NOW - 1_000_000_000, NOW - 1_000_000


def test_a_stamp_holds_only_once_the_clock_has_gone_on() -> None:
    assert refresh.settled(f"12 {LONG_AGO} {LONG_AGO} 7", NOW) == f"12 {LONG_AGO} {LONG_AGO} 7"
    assert refresh.settled(f"12 {LONG_AGO} {JUST_NOW} 7", NOW) == ""
    assert refresh.settled(f"12 {JUST_NOW} {LONG_AGO} 7", NOW) == ""
    assert refresh.settled(f"12 {NOW + 5} {NOW + 5} 7", NOW) == ""
    assert refresh.settled("?", NOW) == refresh.settled("", NOW) == ""
