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


def test_what_a_watch_finds_again_and_again_is_told_as_it_was_last() -> None:
    watch = "Stale: the list of the garden is open since 14:50, nobody works at it, waiting for Sam or for the night"
    hours = [part(f"Watch {hour}:26", f"{watch} ({hour - 14} h)") for hour in range(15, 23)]

    found = told(part("Noon", "Painted the fence in front of the house"), *hours, part("Night", "Sold the map"))

    assert [one.partition(": ")[0] for one in found] == ["Noon", "Watch 21:26", "Watch 22:26", "Night"]


def test_parts_that_tell_of_different_things_in_one_form_are_all_told() -> None:
    things = ("fence", "gate", "pump", "roof", "door")
    parts = [part(f"Checkpoint {n}", f"Done with the {one} of Ada, next {n}") for n, one in enumerate(things)]

    assert len(told(*parts)) == len(things)


def test_the_end_of_a_long_day_has_more_room_than_its_share() -> None:
    parts = [part(f"Part {n}", *[f"Looked at shelf {s} of room {n} for the map" for s in range(20)]) for n in range(30)]

    found = told(*parts)

    sizes = [sum(len(one) for one in found if one.startswith(f"Part {n}:")) for n in range(30)]
    assert min(sizes[26:]) > 1.4 * max(sizes[:26])


def test_what_a_paragraph_forbids_is_told_though_the_paragraph_is_cut() -> None:
    paragraph = f"Copied {', '.join(f'map {n} of the garden' for n in range(40))}. The old one is off-limits until May."
    filler = [f"Looked at shelf {n} and wrote down what stands there" for n in range(200)]

    found = " ".join(told(part("Maps", paragraph), part("Archive", *filler), part("Evening", *filler)))

    assert "… The old one is off-limits until May." in found


def test_what_stands_behind_a_list_is_not_told_under_the_words_above_it() -> None:
    offer = Line("- Offer for Ada", age=0, path=("Work",))
    below = [Line(f"  - {n} forms for {'the garden ' * 5}", age=0, path=("Work",), parent=0) for n in range(9)]
    behind = Line("- Painted the fence", age=0, path=("Work",))

    lines = [offer, *below, behind]
    first, second, third = retelling.parts(lines, range(len(lines)))

    assert first.startswith("Work: Offer for Ada; 0 forms")
    assert second.startswith("Work: Offer for Ada: ")
    assert third == "Work: Painted the fence"
