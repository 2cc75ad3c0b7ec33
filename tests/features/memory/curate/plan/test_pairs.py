"""Entries that speak of the same and say something else are shown beside each other."""

from __future__ import annotations

from agentws.features.memory.curate.plan.brief import MOST_PAIRS, Line, Lines

OTHERS = [
    Line(str(at), text) for at, text in enumerate(("Kim paints boats", "Tea comes in tins", "Ada lives in Turku"), 10)
]


def pairs(*lines: Line) -> list[tuple[str, str]]:
    return [(one.name, other.name) for one, other in Lines([*lines, *OTHERS]).disagreeing()]


def test_two_values_of_one_matter_are_a_pair_the_newer_one_first() -> None:
    old, new = (
        Line("1", "The backup runs on Sundays", "2026-10-02"),
        Line("2", "The backup runs on Fridays", "2026-11-02"),
    )

    assert pairs(old, new) == [("2", "1")]
    assert pairs(Line("1", "備份在星期日執行", "2026-10-02"), Line("2", "備份在星期五執行", "2026-11-02")) == [
        ("2", "1")
    ]


def test_the_same_words_and_the_day_behind_them_are_no_disagreement() -> None:
    assert pairs(Line("1", "SQLite for the index (2 Nov)"), Line("2", "SQLite for the index (3 Nov 2025)")) == []


def test_lines_that_share_a_word_or_two_of_many_are_no_pair() -> None:
    lines = Line("1", "The ferry leaves the north pier at nine"), Line("2", "The pump of the well leaks when it rains")

    assert pairs(*lines) == []


def test_the_newest_pairs_are_shown_and_not_all_of_very_many() -> None:
    matters = ("garden backup", "north ferry", "well pump", "lawn mower", "kitchen radio", "harbour crane")
    old = [Line(f"{at}", f"The {matter} runs on Sundays", f"2026-10-{at + 1:02d}") for at, matter in enumerate(matters)]
    new = [
        Line(f"{at}n", f"The {matter} runs on Fridays", f"2026-11-{at + 1:02d}") for at, matter in enumerate(matters)
    ]

    found = pairs(*old, *new)

    assert found == [(f"{at}n", f"{at}") for at in range(5, 0, -1)]
    assert len(found) == MOST_PAIRS


def test_what_speaks_of_the_same_as_a_text_is_found() -> None:
    lines = Lines([Line("1", "The backup runs on Sundays"), *OTHERS])

    assert [line.name for line in lines.near("Our backup runs on Fridays")] == ["1"]
    assert lines.near("Rain all day") == []
