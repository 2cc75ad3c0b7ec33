"""What brings a line forward besides its words."""

from __future__ import annotations

import pytest

from agentws.formats import notes
from agentws.planning import days, excerpt
from agentws.planning.days import Pool
from agentws.planning.lines import Shelf

MET = {"Anna": "roof", "Boris": "cellar", "Clara": "garden", "Dora": "fence", "Emil": "gate", "Frida": "well"}
ORDINARY = [f"- met {name} about the {thing}" for name, thing in MET.items()]


def first(lines: list[str], *, wanted: tuple[str, ...] = (), older: str = "- a quiet day\n") -> str:
    """The one line that is shown of a day where only one fits, besides the first of the newest day."""
    text = "".join(f"{line}\n" for line in lines)
    shelves = [
        Shelf(excerpt.entries(notes.read(older), by_position=True), frame=1, day="2026-11-19"),
        Shelf(excerpt.entries(notes.read(text), by_position=True), frame=1, day="2026-11-18"),
    ]
    return days.choose(Pool(shelves, wanted=wanted), 62, len, line=30).excerpts[1].text


@pytest.mark.parametrize("place", range(6))
@pytest.mark.parametrize(
    ("mark", "wanted"), [(" !9", ()), (" #garden", ("#garden",)), (" #task:move", ("#task:move",))]
)
def test_what_matters_comes_first_wherever_it_stands(place: int, mark: str, wanted: tuple[str, ...]) -> None:
    lines = list(ORDINARY)
    lines[place] += mark

    assert first(lines, wanted=wanted) == f"{lines[place]}\n"


def test_the_newest_day_is_told_by_one_line_even_where_others_tell_more() -> None:
    shelves = [
        Shelf(excerpt.entries(notes.read("- swept\n"), by_position=True), frame=1, day="2026-11-19"),
        Shelf(excerpt.entries(notes.read("\n".join(ORDINARY)), by_position=True), frame=1, day="2026-11-18"),
    ]

    made = days.choose(Pool(shelves), 70, len, line=30)

    assert made.excerpts[0].text == "- swept\n"


def test_a_label_does_not_stand_for_the_newest_day() -> None:
    newest = Shelf(excerpt.entries(notes.read("**Notes:**\n\n- swept the yard\n"), by_position=True), frame=1, day="x")

    made = days.choose(Pool([newest]), 18, len, line=30)

    assert made.excerpts[0].text == "- swept the yard\n"


def test_thousands_of_open_items_in_logs_that_are_shown_whole_are_chosen_in_time() -> None:
    text = "".join(f"- [ ] item{n} of shelf{n * 7}\n" for n in range(6_000))
    shelves = [
        Shelf(excerpt.entries(notes.read("- rain\n"), by_position=True), frame=1, day=f"2026-11-1{day}")
        for day in (9, 8)
    ]
    shelves.append(Shelf(excerpt.entries(notes.read(text), by_position=True), frame=1, day="2026-11-01"))

    (section,) = days.standing(Pool(shelves, today="2026-11-20"), 10**6, len, older_than_days=2)

    assert section.count("\n- 19 d · item") == 6_000
