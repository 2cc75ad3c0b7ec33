"""What a log says for form's sake alone."""

from __future__ import annotations

import pytest

from agentws.planning.compaction import idle
from tests.planning.compaction.values import day, keep, old, texts


@pytest.mark.parametrize(
    "text",
    [
        "None",
        "None new — the harbor was closed",
        "None — no talk of the whole crew with Ana. The harbor was closed.",
        "[No new questions recorded today — a day of rest]",
        "No new tasks",
        "Answer: NO NEW ALERTS FOUND - the harbor was closed",
        "Nothing to report",
        "Ready",
        "Ready and operational. Awaiting direction.",
        "Ready for work",
        "KESTREL CYCLE ACTIVATED",
        "Fog horn: operational",
        "Status: active",
        "All systems operational",
        "Damage: None - a short gust, normal operation since",
    ],
)
def test_what_tells_that_there_was_nothing_says_nothing(text: str) -> None:
    assert idle.says_nothing(text)


@pytest.mark.parametrize(
    "text",
    [
        "None of the workers may be restarted by hand",
        "No pending tasks may be closed without Ana",
        "No new sailors: crew healthy but small, Ana wants two more by May",
        "No mast has a seal, so the small boat is what we show",
        "Ready for the regatta of Porto on the first Sunday",
        "The ferry has no timetable and works well for carrying goats",
        "NO helpers: paint each boat by hand",
        "Done with Kestrel: the parser reads invoices now",
    ],
)
def test_what_begins_like_it_and_tells_something_stays(text: str) -> None:
    assert not idle.says_nothing(text)


def test_nothing_of_the_kind_is_kept_even_where_there_is_room() -> None:
    log = day("## Decisions\n\n- None new — the harbor was closed\n- Kestrel reads invoices from Porto first\n")

    kept = keep(log, entries=(old("2026-01-01 Harbor: None — no active session with Ana", kind="Decisions"),))

    assert [text for text in texts(kept) if "None" in text] == []
    assert {one.reason for one in kept.dropped} == {idle.EMPTY}


def test_what_is_marked_to_stay_stays() -> None:
    assert texts(keep(day("- All systems operational !10\n"))) != []
