"""Which lines of the notes the next day is likely to need."""

from __future__ import annotations

import pytest

from agentws.planning import salience
from agentws.planning.lines import Line
from agentws.planning.standing import unfinished
from agentws.planning.words import words


def line(text: str, *, age: int = 0, parent: int | None = None) -> Line:
    return Line(text, age=age, parent=parent)


def choose(lines: list[Line], room: int, *, bonus: dict[int, float] | None = None) -> tuple[list[str], dict[int, int]]:
    chosen, folded = salience.choose(
        lines,
        salience.worth(lines),
        room=room,
        yardstick=100,
        price=lambda index: len(lines[index].text),
        take=lambda index: None,
        bonus=lambda index: (bonus or {}).get(index, 0.0),
    )
    return [lines[index].text for index in sorted(chosen)], folded


@pytest.mark.parametrize(
    "text",
    [
        "- [ ] buy milk",
        "TODO: call Sam",
        "Waiting for Sam's answer",
        "**Next steps** for the release",
        "still needs a key",
    ],
)
def test_what_is_still_to_be_done_is_recognised(text: str) -> None:
    assert unfinished.may_be_open(line(text))


@pytest.mark.parametrize("text", ["- [x] bought milk", "Called Sam", "the next day was sunny", "autodoc built"])
def test_what_is_not_open_is_not_taken_for_it(text: str) -> None:
    assert not unfinished.may_be_open(line(text))


def test_names_numbers_and_paths_are_told_from_plain_words() -> None:
    found = words("- Deployed widget to ops.example.com with Robin, ticket 4711")

    assert found["robin"]
    assert found["4711"]
    assert found["example"]
    assert not found["widget"]


def test_room_goes_to_rare_names_before_common_words() -> None:
    routine = [line(f"- the daily check of the server ran fine again, run {n}") for n in range(40)]
    rare = line("- Marleen Brandt called about invoice 88213")

    shown, _ = choose([*routine, rare], room=60)

    assert shown == [rare.text]


def test_what_was_written_lately_comes_before_what_was_written_long_ago() -> None:
    old, new = line("- met Quentin Ashby in Leipzig", age=9), line("- met Rosalind Moore in Dresden", age=0)

    shown, _ = choose([old, new], room=32)

    assert shown == [new.text]


def test_what_must_not_be_missed_comes_first() -> None:
    told = line("- Rosalind Moore visited Dresden and Prague by train 4711")
    open_item = line("- [ ] answer the mail")

    shown, _ = choose([told, open_item], room=60, bonus={1: 0.3})

    assert open_item.text in shown


def test_lines_that_say_the_same_are_folded_and_counted() -> None:
    lines = [line(f"- {hour}:00 backup of the brain repo pushed to GitLab") for hour in range(10, 15)]

    shown, folded = choose(lines, room=1000)

    assert len(shown) == 1
    assert list(folded.values()) == [5]


def test_lines_that_differ_in_a_number_are_never_folded() -> None:
    lines = [line(f"- Egbert Pohl paid the invoice of March, {amount} euros") for amount in (300, 450)]

    shown, folded = choose(lines, room=1000)

    assert len(shown) == 2
    assert not folded


def test_a_child_brings_its_parent_along() -> None:
    parent, child = line("- release checklist"), line("  - Marleen Brandt signs form 88213", parent=0)

    shown, _ = choose([parent, child], room=1000)

    assert shown == [parent.text, child.text]


def test_the_choice_never_costs_more_than_the_room() -> None:
    lines = [line(f"- Person{n} called about matter {n * 7919}") for n in range(50)]

    for room in (0, 10, 100, 1000):
        shown, _ = choose(lines, room)
        assert sum(map(len, shown)) <= room
