"""What the logs say nearly every day."""

from __future__ import annotations

import pytest

from agentws.planning.lines import Line, bare
from agentws.planning.standing import routine
from tests.planning.standing import lines_of

DAYS = [f"2026-09-{day:02d}" for day in range(1, 21)]


def find(lines: list[Line]) -> list[tuple[str, int]]:
    return [(bare(lines[habit.index].text), habit.days) for habit in routine.find(lines)]


def logs(line: str, days: list[str]) -> dict[str, str]:
    return {day: f"{line if day in days else '- rain'}\n" for day in DAYS}


def test_what_came_on_most_of_the_last_days_is_told_once() -> None:
    lines = lines_of(logs("- Both lamps lit at seven, diary copied", DAYS[-7:]))

    (habit,) = routine.find(lines)

    assert habit.days == 7
    assert {lines[index].day for index in habit.indices} == set(DAYS[-7:])
    assert lines[habit.index].day == DAYS[-1]


def test_the_time_of_day_may_differ() -> None:
    days = {day: f"- 07:{n:02d} backup of the brain pushed\n" for n, day in enumerate(DAYS[-4:])}

    assert find(lines_of(days)) == [("07:03 backup of the brain pushed", 4)]


def test_what_has_another_number_each_day_is_no_routine() -> None:
    days = {day: f"- 07:00 invoice {n} of the boat yard paid\n" for n, day in enumerate(DAYS[-4:])}

    assert find(lines_of(days)) == []


@pytest.mark.parametrize("days", [DAYS[-2:], DAYS[-4:], DAYS[:10]])
def test_what_came_on_fewer_than_half_of_the_last_ten_is_not_routine(days: list[str]) -> None:
    assert find(lines_of(logs("- Both lamps lit at seven, diary copied", days))) == []


def test_often_on_one_day_is_one_day() -> None:
    assert find(lines_of({DAYS[0]: "- Both lamps lit at seven, diary copied\n" * 9})) == []


@pytest.mark.parametrize(
    "line",
    [
        "- Bank token still missing, get it from the dashboard",
        "- [ ] get the bank token from the dashboard",
        "## Carried over\n- get the bank token from the dashboard",
    ],
)
def test_what_is_carried_unfinished_every_day_is_not_routine(line: str) -> None:
    assert find(lines_of(logs(line, DAYS))) == []


def test_memory_is_no_day() -> None:
    line = "- Both lamps lit at seven, diary copied"

    assert find(lines_of(dict.fromkeys(DAYS[:2], line), memory=line)) == []


def test_the_most_frequent_comes_first() -> None:
    days = dict.fromkeys(DAYS[-5:], "- Both lamps lit at seven\n- backup of the brain pushed\n")
    days[DAYS[-6]] = "- backup of the brain pushed\n"

    assert [count for _, count in find(lines_of(days))] == [6, 5]


def test_nothing_is_found_in_nothing() -> None:
    assert find([]) == []
    assert find(lines_of({DAYS[0]: ""})) == []


def test_thousands_of_lines_are_read_in_time() -> None:
    text = "".join(f"- sent part{n}x of the widget shop to buyer{n * 7}y at the gate\n" for n in range(1500))

    assert len(find(lines_of(dict.fromkeys(DAYS[:4], text)))) == 1500
