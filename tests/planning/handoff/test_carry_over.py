"""What an automatic handoff takes over of those that it follows."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentws.formats.documents import handoff
from agentws.planning.handoff import carry_over
from agentws.planning.handoff.carry_over import Carried, CarriedOver
from agentws.planning.notes import reading


def note(number: int, *pending: str, before: str = "") -> CarriedOver:
    """What a note of 8 o'clock on the `number`th leaves open."""
    found = {handoff.PENDING: handoff.listed(pending), handoff.CARRIED: before}
    place = f"handoffs/{number}.md"
    return carry_over.left(found, place=place, when=f"2026-11-{number:02} 08:00", is_answered=True)


def test_the_newest_stay_whatever_note_they_stand_in() -> None:
    old = note(3, "Three old words")
    new = note(9, "Nine new words", before="- (2026-11-05) Five words between them\n- 4 more in handoffs/1.md\n")

    assert Carried([old, new], {}, []).lines(2) == [
        "(2026-11-09 08:00) Nine new words",
        "(2026-11-05) Five words between them",
        "5 more in handoffs/3.md, handoffs/1.md",
    ]


def test_what_is_counted_elsewhere_is_counted_where_lines_of_the_same_note_are_dropped_too() -> None:
    several = [note(9, "One of these words", "Another of those", before="- 4 more in handoffs/1.md\n")]

    assert Carried(several, {}, []).lines(1)[1:] == ["5 more in handoffs/9.md"]
    assert Carried(several, {}, []).lines(0) == ["6 more in handoffs/9.md"]
    assert Carried(several, {}, []).lines() == [
        "(2026-11-09 08:00) One of these words", "(2026-11-09 08:00) Another of those", "4 more in handoffs/1.md",
    ]  # fmt: skip


def test_many_places_are_counted() -> None:
    several = [note(number, f"Thing {number} to do") for number in range(1, 9)]

    assert Carried(several, {}, []).lines(0) == [
        "8 more in handoffs/1.md, handoffs/2.md, handoffs/3.md, handoffs/4.md and 4 others"
    ]


def test_words_of_a_person_that_look_like_a_count_are_none() -> None:
    assert Carried([note(9, before="- 3 more in the box\n")], {}, []).lines() == [
        "(2026-11-09 08:00) 3 more in the box"
    ]


@pytest.mark.parametrize("how", ["3 older, possibly done", "3 older, perhaps over"])
def test_a_count_of_open_items_is_not_carried_over_in_todays_words_nor_in_those_of_earlier_versions(how: str) -> None:
    several = [note(9, "Water the roses", f"{how}: agentws todo --stale")]

    assert Carried(several, {}, []).lines() == ["(2026-11-09 08:00) Water the roses"]


@pytest.mark.parametrize(
    "how", ["2 passages from outside, not shown", "2 from outside, not shown", "2 from outside, left out here"]
)
def test_a_count_of_words_from_outside_is_not_what_a_note_says_in_todays_words_nor_in_those_of_earlier_versions(
    how: str,
) -> None:
    found = {handoff.DOING: handoff.listed([f"{how}: agentws handoff list", "Moving the address book"])}
    made = carry_over.left(found, place="handoffs/9.md", when="2026-11-09 08:00", is_answered=True)

    assert Carried([made], {}, []).lines() == ["(2026-11-09 08:00) Moving the address book"]


def test_lines_that_differ_in_a_number_say_two_things() -> None:
    several = [note(9, "Send the report of room 12 to Sam"), note(8, "Send the report of room 14 to Sam")]

    assert len(Carried(several, {}, []).lines()) == 2
    assert len(Carried([*several, note(7, "Send Sam the report of room 12")], {}, []).lines()) == 2


@pytest.mark.parametrize(
    ("line", "is_done"),
    [
        ("- 07:00 ✅ Send the report to Sam", False),
        ("- 09:00 ✅ Send the report to Sam: by mail", True),
        ("- 09:00 [done] Send the report to Sam (closes ^t3fk)", True),
        ("- [x] Send the report to Sam", True),
        ("- ~~Send the report to Sam~~", True),
        ("- 09:00 Send the report to Sam", False),
        ("- 09:00 ✅ Send the report to Kim", False),
        ("- 09:00 Did not send the report to Sam", False),
        ("- 09:00 ✅ Send the report to Sam (via net:mail)", False),
        ("- 09:00 ✅ Send the report #12 to Sam", False),
    ],
)
def test_what_a_log_says_later_is_done_is_left_out(line: str, is_done: bool) -> None:
    said = carry_over.since(reading.read(f"# Day\n\n{line}\n", path="memory/2026-11-09.md", day="2026-11-09"), [])

    assert (Carried([note(9, "Send the report to Sam")], {}, said).lines() == []) == is_done


def test_what_an_earlier_version_called_perhaps_open_goes_on() -> None:
    found = {
        handoff.PERHAPS: "- (2026-11-05) Five words between them\n- a line of its own\n- 4 more in handoffs/1.md\n"
    }
    left = carry_over.left(found, place="handoffs/9.md", when="2026-11-09 08:00", is_answered=True)

    assert Carried([left], {}, []).lines() == [
        "(2026-11-09 08:00) a line of its own", "(2026-11-05) Five words between them", "4 more in handoffs/1.md",
    ]  # fmt: skip


@given(st.lists(st.text(alphabet="-*_[]x #`~✅\nab日:|>^", max_size=20), max_size=6))
def test_whatever_stands_in_a_note_is_carried_over_once(texts: list[str]) -> None:
    left = note(9, *texts)

    lines = Carried([left], {}, []).lines()

    assert len(lines) == len({*lines}) <= len(left.items)
    assert all(line.startswith("(2026-11-09 08:00) ") for line in lines)
