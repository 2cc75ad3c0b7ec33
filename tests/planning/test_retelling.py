"""Of a log that is too long each part is told by what tells most of it."""

from __future__ import annotations

from agentws.formats import markdown
from agentws.planning import retelling
from agentws.planning.lines import Line


def part(heading: str, *texts: str, form: str = markdown.ITEM) -> list[Line]:
    return [Line(f"- {text}", age=0, path=(heading,), form=form) for text in texts]


def told(*parts: list[Line]) -> list[str]:
    lines = [line for one in parts for line in one]
    return retelling.parts(lines, range(len(lines)))


def test_a_part_that_is_too_long_keeps_how_it_began_and_ended_and_what_came_of_it() -> None:
    filler = [f"Looked at shelf {n} and wrote down what stands there, from the left to the right" for n in range(200)]
    filler[120] = "Root cause: the list was sorted by the wrong column"

    found = " ".join(told(part("Archive", "Began with the archive", *filler, "All boxes are in the cellar")))

    assert "Began with the archive" in found
    assert "Root cause: the list was sorted by the wrong column" in found
    assert "All boxes are in the cellar" in found
    assert len(found) < 8000


def test_a_short_part_gives_its_room_to_a_long_one() -> None:
    long = [f"Looked at shelf {n} of the archive and found nothing there" for n in range(90)]

    short, *others = told(part("Garden", "Watered the roses"), part("Archive", *long), part("Evening", "Slept"))

    assert short == "Garden: Watered the roses"
    assert sum(len(one) for one in others) > 4500


def test_no_line_is_longer_than_it_may_be_and_all_of_it_stays_bounded() -> None:
    parts = [part(f"Part {n}", "word " * 4000, *["x" * 900] * 40) for n in range(60)]

    found = told(*parts)

    assert max(map(len, found)) <= 2 * retelling.MOST_LINE
    assert sum(map(len, found)) < 12000
    assert found[-1].startswith("Part 59: ")


def test_a_signature_is_not_told() -> None:
    closing = Line("*Robin 🌱*", age=0, path=("Work",), form=markdown.PARAGRAPH)

    assert told(part("Work", "Painted the fence"), [closing]) == ["Work: Painted the fence"]
