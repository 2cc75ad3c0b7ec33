"""The last date that a text names: in numbers, or with the name of a month in twelve languages."""

from __future__ import annotations

import pytest

from agentws.core.notes import dates
from tests.table import holds

DAY = "2026-11-20"
ROWS: list[tuple[str, str]] = [
    ("Pay the rent by 2026-12-01", "2026-12-01"),
    ("📅 2026-11-24", "2026-11-24"),
    ("due:2026-11-24", "2026-11-24"),
    ("2026-11-24 or 2026-12-24", "2026-12-24"),
    ("the letter of 2026-11-10", ""),
    ("today, 2026-11-20", "2026-11-20"),
    ("file 12026-12-01 and x2026-12-01 and 2026-12-011", ""),
    ("rent 1200", ""),
    ("Demo on November 24", "2026-11-24"),
    ("Demo on Nov 24th, 14:00", "2026-11-24"),
    ("Draft: Nov 24-26", "2026-11-26"),
    ("am 24. Dezember", "2026-12-24"),
    ("el 24 de diciembre", "2026-12-24"),
    ("le 1er janvier, puis le 3 mars", "2027-03-03"),
    ("24 de dezembro", "2026-12-24"),
    ("il 24 dicembre", "2026-12-24"),
    ("24 декабря", "2026-12-24"),
    ("٢٤ ديسمبر", "2026-12-24"),
    ("24 दिसंबर", "2026-12-24"),
    ("12月24日まで", "2026-12-24"),
    ("截至12月24日", "2026-12-24"),
    ("12월 24일까지", "2026-12-24"),
    # A month without a day, a day without a month, a number that is no day, a name that is a word.
    ("in December", ""),
    ("at 24", ""),
    ("December 32", ""),
    ("December 2026", ""),
    ("13月24日", ""),
    ("12月32日", ""),
    ("you may 24 times", ""),
    ("march 24 miles", ""),
    ("April 4", "2027-04-04"),
    ("may 4 and May 24", ""),
    ("March 5", "2027-03-05"),
    # The year is the nearest one: six months ahead is this year's, what is over is nobody's date.
    ("October 3", ""),
    ("June 3", ""),
]


def test_the_last_date_that_is_not_over_is_the_one() -> None:
    def check(row: tuple[str, str]) -> None:
        assert dates.of(row[0], day=DAY) == row[1]

    holds(check, ROWS)


def test_the_year_is_the_nearest_one() -> None:
    assert dates.of("September 4", day="2026-03-05") == "2026-09-04"
    assert dates.of("October 4", day="2026-03-05") == ""
    assert dates.of("May 4", day="2026-11-20") == ""
    assert dates.of("2020-01-01") == "2020-01-01"
    assert dates.of("May 4") == ""


@pytest.mark.parametrize(
    ("title", "words"),
    [
        ("Tide Log: 2030-03-04 — Late Herring", "Tide Log — Late Herring"),
        ("2030-03-04 & 2030-03-05 Pier Notes", "Pier Notes"),
        ("Tide Log — 2030-03-04 (Evening Watch)", "Tide Log (Evening Watch)"),
        ("2030-03-04 (Monday)", ""),
        ("Montag, 4. März 2030", ""),
        ("March 4, 2030 — Pier Notes", "Pier Notes"),
        ("4 de marzo de 2030: muelle", "muelle"),
        ("2030年3月4日 海の日", "海の日"),
        ("Buoys (Mon, 4 March): eel", "Buoys: eel"),
        ("Sun spots / 04.03.2030 / ⚓", "Sun spots / ⚓"),
        ("Release 1.2.3 of 12 boats & a May queen", "Release 1.2.3 of 12 boats & a May queen"),
    ],
)
def test_a_title_is_left_without_dates_and_what_joined_them(title: str, words: str) -> None:
    assert dates.without(title) == words
