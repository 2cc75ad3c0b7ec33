"""MEMORY.md and its like: by entry under its headings."""

from __future__ import annotations

import pytest

from tests.features.sync.plan.sides import DIGEST, MEMORY, text, told

PAGE = (
    "# Memory\n\n## People\n\n- Sam: Berlin, short answers\n- Anna\n\n## Machines\n\n| a | b |\n|---|---|\n| x | 1 |\n"
)
SECTION = "# Memory\n\n## From the logs\n\n### Decisions\n\n- Fig indoors from October\n\n### Facts\n\n- Tap leaks\n"
HEAD = "# Digest of the logs\n\nChosen by agentws from compacted days; not reviewed. Newest week first.\n"
W40 = "\n## 2026-W40\n\n- 2026-10-02 Maria asked for the export\n"
COUNT = "\n## Not shown\n\n- {} more lines stay in the logs of these days\n"


def test_what_each_side_added_stands_below_its_heading_and_the_same_bullet_once() -> None:
    ours = PAGE.replace("- Anna\n", "- Anna\n- Tom\n") + "| y | 2 |\n"
    theirs = PAGE.replace("- Anna\n", "- Anna\n- Tom\n- Ada\n") + "| z | 3 |\n\n## New\n\nProse.\n"

    assert text(MEMORY, PAGE, ours, theirs) == (
        PAGE.replace("- Anna\n", "- Anna\n- Tom\n- Ada\n") + "| y | 2 |\n| z | 3 |\n\n## New\n\nProse.\n"
    )


def test_of_a_bullet_that_both_edited_both_stand_one_after_the_other() -> None:
    made, conflicts = told(MEMORY, PAGE, PAGE.replace("Berlin", "Lisbon"), PAGE.replace("Berlin", "Madrid"))

    assert "- Sam: Lisbon, short answers\n- Sam: Madrid, short answers\n- Anna\n" in made
    sides = ["- Sam: Berlin, short answers", "- Sam: Lisbon, short answers", "- Sam: Madrid, short answers"]
    assert conflicts == [("entry", "Memory › People", *sides)]


@pytest.mark.parametrize("below", ["", "\n- Sam: Berlin\n"], ids=["alone", "with-entries"])
def test_of_a_title_that_both_changed_one_stands_and_the_other_is_offered(below: str) -> None:
    made, conflicts = told("notes/trip.md", f"# Trip\n{below}", f"# Trip to Rome\n{below}", f"# Trips\n{below}")

    assert made == f"# Trip to Rome\n{below}"
    assert conflicts == [("field", "", "# Trip", "# Trip to Rome", "# Trips")]


def test_the_title_that_a_page_is_called_by_stands() -> None:
    made, _ = told("tasks/pay-ben.md", "# Pay\n", "# Pay the landlord\n", "# Pay Ben\n")

    assert made == "# Pay Ben\n"


@pytest.mark.parametrize(
    ("ours", "theirs", "made"),
    [
        ("- two\n", "- one\n- new\n- two\n", "- new\n- two\n"),
        ("- two\n", "- one\n- two\n- new\n", "- two\n- new\n"),
        ("", "- one\n- new\n- two\n", "- new\n"),
    ],
)
def test_the_blank_line_below_a_heading_stays_whatever_stands_first_there(ours: str, theirs: str, made: str) -> None:
    head = "# Memory\n\n## People\n\n"
    left = told(MEMORY, f"{head}- one\n- two\n", head + ours, head + theirs)[0]

    assert left.rstrip() == (head + made).rstrip()


TREES = "# Memory\n\n## People\n\n"
TREE = "- The {} bears fruit\n"


def _trees(*names: str) -> str:
    return TREES + "".join(TREE.format(name) for name in names)


def test_a_bullet_that_one_side_edited_while_both_got_another_that_is_as_like_stands_once() -> None:
    ours, theirs = _trees("plum", "pear"), _trees("plum", "fig", "quince")

    made, conflicts = told(MEMORY, _trees("fig"), ours, theirs)

    assert sorted(made.splitlines()) == sorted(_trees("plum", "quince", "pear").splitlines())
    assert not conflicts


def test_a_fact_that_both_added_below_different_headings_stands_once() -> None:
    base = "# Memory\n\nFacts.\n\n- Sam\n"
    ours = base + "- The cat likes fish\n"
    theirs = base + "\n## Remembered\n\n- The dog\n- The cat likes fish\n"

    assert text(MEMORY, base, ours, theirs) == theirs
    assert text(MEMORY, base, theirs, theirs) == text(MEMORY, ours, theirs, ours) == theirs
    assert text("knowledge/cat.md", base, ours, theirs).count("fish") == 2


def test_a_fact_that_stood_at_two_places_already_stays_at_both() -> None:
    base = "# Memory\n\n- a\n\n## B\n\n- a\n"

    assert text(MEMORY, base, base + "- b\n", base.replace("- a\n\n", "- a\n- c\n\n")).count("- a\n") == 2


def test_two_bullets_that_became_the_same_one_stand_once() -> None:
    base = "- fig and plum\n- Between.\n- plum and pear\n"
    ours, theirs = base.replace("fig and plum", "plum"), base.replace("plum and pear", "plum")

    made, _ = told(MEMORY, base, ours, theirs)

    assert made.count("- plum\n") == 1


def test_what_both_added_is_no_edit_of_what_one_side_removed() -> None:
    made, conflicts = told(MEMORY, _trees("fig"), _trees("pear"), _trees("fig", "pear"))

    assert (made.count(TREE.format("pear")), made.count("fig"), conflicts) == (1, 0, [])


def test_a_bullet_that_one_side_removed_and_the_other_edited_stays() -> None:
    made, conflicts = told(MEMORY, PAGE, PAGE.replace("- Anna\n", ""), PAGE.replace("- Anna", "- Anna is Sam's sister"))

    assert "- Anna is Sam's sister\n" in made
    assert [conflict[0] for conflict in conflicts] == ["removal"]


def test_a_section_that_one_side_removed_keeps_only_what_the_other_added_there() -> None:
    without = PAGE[: PAGE.index("## People")] + PAGE[PAGE.index("## Machines") :]
    made, conflicts = told(MEMORY, PAGE, without, PAGE.replace("- Anna\n", "- Anna\n- Tom\n"))

    assert made.count("## People") == 1
    assert "- Tom\n" in made
    assert "Anna" not in made
    assert [conflict[0] for conflict in conflicts] == ["removal"]


def test_a_renamed_heading_takes_along_what_the_other_side_added() -> None:
    renamed, added = PAGE.replace("## People", "## Friends"), PAGE.replace("- Anna\n", "- Anna\n- Tom\n")

    assert text(MEMORY, PAGE, renamed, added) == renamed.replace("- Anna\n", "- Anna\n- Tom\n")


def test_a_moved_bullet_is_where_one_side_has_put_it_as_the_other_edited_it() -> None:
    base = "- one\n- two and more\n- three\n"

    assert text(MEMORY, base, "- two and more\n- one\n- three\n", base.replace("more", "much more")) == (
        "- two and much more\n- one\n- three\n"
    )


def test_boxes_of_nested_items_are_ticked_by_either_side() -> None:
    base = "- [ ] a\n  - [ ] b\n  - [ ] c\n"

    ours, theirs = "- [ ] a\n  - [x] b\n  - [ ] c\n", "- [x] a\n  - [ ] b at noon\n  - [X] c\n"
    assert text(MEMORY, base, ours, theirs) == "- [x] a\n  - [x] b at noon\n  - [X] c\n"
    assert text(MEMORY, "- [x] a\n", "- [ ] a\n", "- [x] a\n- b\n") == "- [ ] a\n- b\n"
    assert told(MEMORY, "- [ ] a\n", "- [x] a\n", "- [x] ❌ a\n")[1] == [
        ("entry", "", "- [ ] a", "- [x] a", "- [x] ❌ a")
    ]


def test_line_ends_that_one_side_changed_change_nothing_else() -> None:
    windows = PAGE.replace("\n", "\r\n")

    assert text(MEMORY, PAGE, windows, PAGE.replace("Berlin", "Lisbon")) == windows.replace("Berlin", "Lisbon")


def test_the_managed_section_has_no_bullet_and_no_heading_twice() -> None:
    ours = SECTION.replace("- Tap leaks\n", "- Pump fixed on Monday\n- Key is with Ada\n")
    theirs = SECTION.replace("- Tap leaks\n", "- Hose bought in May\n- Key is with Ada\n")

    assert text(MEMORY, SECTION, ours, theirs) == SECTION.replace(
        "- Tap leaks\n", "- Hose bought in May\n- Pump fixed on Monday\n- Key is with Ada\n"
    )


def test_the_weeks_of_the_digest_stay_newest_first_and_nobody_is_asked_about_its_count() -> None:
    one, two = "\n## 2026-W41\n\n- 2026-10-09 Fig\n", "\n## 2026-W41\n\n- 2026-10-09 Fig\n- 2026-10-08 Rose\n"
    ours = HEAD + one + W40 + COUNT.format(9)
    theirs = HEAD + "\n## 2026-W42\n\n- 2026-10-14 Hose\n" + two + W40 + COUNT.format(16)

    made = text(DIGEST, HEAD + W40 + COUNT.format(8), ours, theirs)

    assert made == HEAD + "\n## 2026-W42\n\n- 2026-10-14 Hose\n" + two + W40 + COUNT.format(16)


def test_paragraphs_of_two_sides_stay_two() -> None:
    assert text(MEMORY, "# T\n", "# T\nOne.\n", "# T\nTwo.\n") == "# T\nOne.\n\nTwo.\n"


def test_without_a_base_what_both_have_stands_once() -> None:
    assert text(MEMORY, None, "# M\n- a\n- c\n", "# M\n- b\n- c\n\nText\n") == "# M\n- a\n- b\n- c\n\nText\n"
