"""What a log says of work that broke off: what is known is told apart from what is not."""

from __future__ import annotations

import pytest

from agentws.formats import handoff
from agentws.planning import inferring
from agentws.planning.unended import Log

MUCH = "".join(f"- Sorted box {n} of the archive by {name}\n" for n, name in enumerate("abcdefghijklmnopqrstuvwx", 10))


def log(text: str, *, before: str = "") -> Log:
    earlier = Log("memory/2026-11-19.md", "2026-11-19", before) if before else None
    return Log("memory/2026-11-20.md", "2026-11-20", text, before=earlier)


def test_what_the_end_of_a_log_leaves_open_is_pending() -> None:
    found = inferring.read(log(f"## Work\n{MUCH}\n## Open\n- Sam has to name the colour\n"))

    assert found[handoff.PENDING] == ["Sam has to name the colour"]
    assert found[handoff.PERHAPS] == []


def test_what_was_open_long_before_the_end_is_perhaps_still_open() -> None:
    found = inferring.read(log(f"## Open\n- Sam has to name the colour\n\n## Work\n{MUCH}"))

    assert found[handoff.PENDING] == []
    assert found[handoff.PERHAPS] == ["Sam has to name the colour"]


def test_what_a_later_line_says_is_done_is_not_told_at_all() -> None:
    found = inferring.read(
        log(f"## Open\n- Deploy the parcel tracker\n\n## Work\n{MUCH}- ✅ Deployed the parcel tracker\n")
    )

    assert found[handoff.PERHAPS] == []
    assert found[handoff.PENDING] == []


def test_what_the_day_before_left_open_is_told_with_its_date() -> None:
    found = inferring.read(log(f"## Work\n{MUCH}", before="## Next steps\n- Call the printer about the cover\n"))

    assert found[handoff.PERHAPS] == ["(2026-11-19) Call the printer about the cover"]


def test_of_the_day_before_nothing_else_is_told() -> None:
    before = "## Work\n- Painted the fence\n- **Decision:** green paint\n- The pump failed\n- Not pushed yet\n"

    found = inferring.read(log("## Work\n- Watered the roses\n", before=before))

    assert found[handoff.DOING] == ["Work: Watered the roses"]
    assert not found[handoff.DECISIONS] + found[handoff.FAILED] + found[handoff.AT_RISK]


def test_an_item_that_is_open_again_at_the_end_is_told_once() -> None:
    item = "- Ask the landlord for the second key\n"

    found = inferring.read(log(f"## Open\n{item}\n## Work\n{MUCH}\n## Still open\n{item}"))

    assert found[handoff.PENDING] == ["Ask the landlord for the second key"]
    assert found[handoff.PERHAPS] == []


def test_an_open_item_is_told_with_what_is_listed_below_it() -> None:
    found = inferring.read(log("## Open\n- Set the keys at the provider\n  - PUBLIC_KEY\n  - PRIVATE_KEY\n"))

    assert found[handoff.PENDING] == ["Set the keys at the provider; PUBLIC_KEY; PRIVATE_KEY"]


@pytest.mark.parametrize("heading", ["Problems solved today", "Fixes deployed tonight", "Issues resolved"])
def test_what_stands_below_a_heading_that_says_it_is_over_is_not_open(heading: str) -> None:
    found = inferring.read(
        log(f"## Next session\n\n### {heading}\n1. Transport was blocked by the proxy, now polling\n")
    )

    assert not found[handoff.PENDING] + found[handoff.NEXT] + found[handoff.PERHAPS] + found[handoff.FAILED]


def test_what_still_does_not_work_is_pending_and_no_failed_attempt() -> None:
    found = inferring.read(log("## Fleet\n- Two of the lamps are still broken\n"))

    assert found[handoff.PENDING] == ["Fleet: Two of the lamps are still broken"]
    assert found[handoff.FAILED] == []


def test_what_was_not_saved_long_before_something_was_is_doubtful() -> None:
    found = inferring.read(log(f"## Work\n- The draft is not committed\n{MUCH}- Committed all that was there\n"))

    assert found[handoff.AT_RISK] == []
    assert found[handoff.PERHAPS] == ["Work: The draft is not committed"]


def test_a_part_of_a_log_is_told_by_how_it_began_and_how_it_ended() -> None:
    lines = "".join(f"- {word} the roof of the shed\n" for word in ("Drew", "Bought", "Measured", "Sawed", "Tarred"))

    found = inferring.read(log(f"## Shed\n{lines}\n## Garden\n- Watered the roses\n"))

    assert found[handoff.DOING] == [
        "Shed: Drew the roof of the shed; Bought the roof of the shed; Sawed the roof of the shed; Tarred the roof of "
        "the shed",
        "Garden: Watered the roses",
    ]
