"""Two current statements about the same thing that give different values."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentws.planning.lines import bare
from agentws.planning.standing import disagreeing
from tests.planning.standing import lines_of

DAYS = [f"2026-09-{day:02d}" for day in range(1, 21)]
OLD, TUE, WED = DAYS[0], DAYS[-2], DAYS[-1]
RAIN = dict.fromkeys(DAYS, "- rain\n")


def said(memory: str, logs: dict[str, str]) -> list[tuple[str, str]]:
    lines = lines_of({**RAIN, **logs}, memory=memory)
    return [(bare(lines[pair.kept].text), bare(lines[pair.noted].text)) for pair in disagreeing.find(lines)]


@pytest.mark.parametrize(
    ("kept", "noted"),
    [
        ("## Widget shop\n- Port: 8080", "## Widget shop\n- Port: 8081"),
        ("## Widget shop\n- **Owner:** Sam Doe", "## widget shop\n- Owner: Marleen Brandt"),
        ("## Widget shop\n- Address: https://a.example.com", "## Widget shop\n- Address: https://b.example.com"),
        ("- The bakery of Sam has 12 ovens in the cellar", "- The bakery of Sam has 14 ovens in the cellar"),
        ("- The bakery of Sam has **12** ovens in the cellar.", "- the bakery of sam has 14 ovens in the cellar"),
    ],
)
def test_the_same_thing_with_another_value_disagrees(kept: str, noted: str) -> None:
    assert len(said(kept, {WED: noted})) == 1


@pytest.mark.parametrize(
    ("kept", "noted"),
    [
        ("## Widget shop\n- Port: 8080", "## Widget shop\n- Port: 8080"),
        ("## Widget shop\n- Port: 8080", "## Widget shop\n- Port: **8080**."),
        ("## Widget shop\n- Port: 8080", "## Bank\n- Port: 8081"),
        ("## Widget shop\n- Port: 8080\n- Port: 9090", "## Widget shop\n- Port: 8081"),
        ("## Widget shop\n- Owner: Sam", "## Widget shop\n- Owner: Sam Doe, of the harbour"),
        ("## Widget shop\n- Key: /keys/shop.pem", "## Widget shop\n- Key: /keys/<redacted>"),
        ("## Widget shop\n- Status: green", "## Widget shop\n- Status: red"),
        ("## Widget shop\n- Updated: 2026-09-01", "## Widget shop\n- Updated: 2026-09-20"),
        ("## Widget shop\n- Opened: at 09:00", "## Widget shop\n- Opened: at 10:30"),
        ("- The bakery of Sam has 12 ovens in the cellar", "- The bakery of Sam has 14 ovens in the garden"),
        ("- The bakery of Sam has 12 ovens and 3 cats there", "- The bakery of Sam has 14 ovens and 2 cats there"),
        ("- So far the list has 12 names of bakers", "- So far the list has 14 names of bakers"),
        ("- Sorted letters until 2026-09-12 with Sam", "- Sorted letters until 2026-09-19 with Sam"),
        ("- Wrote day 12 of the garden diary", "- Wrote day 14 of the garden diary"),
        ("- Printed edition #12 of the garden paper", "- Printed edition #14 of the garden paper"),
        ("- 12 ovens", "- 14 ovens"),
        ("```\n- Port: 8080\n```", "```\n- Port: 8081\n```"),
    ],
)
def test_what_is_not_sure_is_left_out(kept: str, noted: str) -> None:
    assert said(kept, {WED: noted}) == []


def test_the_newest_log_counts() -> None:
    kept = "## Widget shop\n- Port: 8080"

    assert said(kept, {TUE: "## Widget shop\n- Port: 8081", WED: "## Widget shop\n- Port: 8080"}) == []
    assert said(kept, {TUE: "## Widget shop\n- Port: 8080", WED: "## Widget shop\n- Port: 8081"}) != []


def test_an_old_log_may_have_been_right_then() -> None:
    assert said("## Widget shop\n- Port: 8080", {OLD: "## Widget shop\n- Port: 8081"}) == []


def test_two_logs_do_not_disagree_for_the_world_moves_on() -> None:
    assert said("- rain", {TUE: "## Widget shop\n- Port: 8080", WED: "## Widget shop\n- Port: 8081"}) == []


def test_a_thing_is_told_once() -> None:
    kept = "## Widget shop\n- The number of ovens in the cellar: 12"

    assert len(said(kept, {WED: kept.replace("12", "14")})) == 1


@given(st.text(max_size=200))
def test_what_is_said_twice_in_the_same_words_never_disagrees(text: str) -> None:
    assert said(text, {WED: text}) == []
