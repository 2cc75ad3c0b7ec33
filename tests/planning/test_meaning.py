"""Under which heading of a handoff a line of a log comes: what waits, what failed, what is only to be known."""

from __future__ import annotations

import pytest

from agentws.formats import handoff
from agentws.planning import inferring
from agentws.planning.unended import Log

MUCH = "".join(f"- Sorted box {n} of the archive by {name}\n" for n, name in enumerate("abcdefghijklmnopqrstuvwx", 10))


def log(text: str) -> Log:
    return Log("memory/2026-11-20.md", "2026-11-20", text)


def test_what_is_missing_and_was_not_tried_is_pending() -> None:
    found = inferring.read(log("## Missing keys (need Sam's help)\n- ❌ `/srv/keys/mail` — get it from the printer\n"))

    assert found[handoff.FAILED] == []
    assert found[handoff.PENDING] == [
        "Missing keys (need Sam's help): ❌ `/srv/keys/mail` — get it from the printer",
    ]


@pytest.mark.parametrize(
    "text",
    [
        "## Missing keys\n- ❌ The mail key: copying it failed with a timeout\n",
        "## Tests\n- ❌ The pump, the second one in the cellar\n",
    ],
)
def test_what_is_crossed_out_elsewhere_or_was_tried_stays_a_failed_attempt(text: str) -> None:
    found = inferring.read(log(text))

    assert len(found[handoff.FAILED]) == 1
    assert found[handoff.PENDING] == []


def test_what_is_only_to_be_known_is_no_next_step() -> None:
    found = inferring.read(
        log(
            f"## Work\n{MUCH}\n## Next Session Must Know\n- The pump is up, but the valve needs opening\n"
            "- Ada is the one who knows the garden\n- Call the printer about the cover\n"
        )
    )

    assert found[handoff.NEXT] == ["The pump is up, but the valve needs opening", "Call the printer about the cover"]
    assert found[handoff.DOING][-1] == "Next Session Must Know: Ada is the one who knows the garden"
    assert found[handoff.PENDING] == []


def test_a_form_that_is_to_be_filled_in_tells_of_nothing() -> None:
    found = inferring.read(log("## Answers\n- ✗ {errand} failed Cause: {cause} Steps: {all the steps}\n"))

    assert found[handoff.FAILED] == []


def test_a_route_with_names_in_braces_is_no_form() -> None:
    found = inferring.read(log("## Work\n- GET /shops/{shop}/parcels/{parcel} failed with a timeout\n"))

    assert len(found[handoff.FAILED]) == 1


@pytest.mark.parametrize(
    ("listed", "told"),
    [
        (
            "1. Paint the fence\n2. Next: ask the printer about the cover\n3. Sell the map\n",
            "Paint the fence; … Sell the map",
        ),
        ("1. Next: ask the printer about the cover\n2. Sell the map\n", "… Sell the map"),
        ("1. Paint the fence\n2. Next: ask the printer about the cover\n", "Paint the fence; …"),
        (
            "- Paint the fence\n- Next: ask the printer about the cover\n- Sell the map\n",
            "Paint the fence; Sell the map",
        ),
    ],
)
def test_a_step_that_is_told_elsewhere_leaves_a_mark_in_its_order(listed: str, told: str) -> None:
    found = inferring.read(log(f"## Order\n{listed}\n## Evening\n- Slept\n"))

    assert found[handoff.DOING] == [f"Order: {told}", "Evening: Slept"]
    assert found[handoff.PENDING] == ["Next: ask the printer about the cover"]


def test_a_second_part_of_the_same_name_is_told_where_it_stands() -> None:
    found = inferring.read(log("## Work\n- Painted the fence\n\n## Lunch\n- Ate soup\n\n## Work\n- Sold the map\n"))

    assert found[handoff.DOING] == ["Work: Painted the fence", "Lunch: Ate soup", "Work: Sold the map"]
