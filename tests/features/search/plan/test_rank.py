"""The order of candidates, and why."""

from __future__ import annotations

import random

import pytest

from agentws.features.search.plan import features, query, rank
from agentws.features.search.plan.weights import TABLES
from tests.features.search.plan.made import first, ranked, stats, unit

_NOTES = (
    "- The kiln in the yard was rewired by Odile, fuse 40 A",
    "- Lunch with Marek, soup again",
    "- Bought clay for the yard sale",
    "- Marek asked who has the key of the kiln",
    "- Rain all day, nothing dried",
)


def test_who_names_more_of_the_question_stands_first() -> None:
    assert first("Who rewired the kiln?", _NOTES) == _NOTES[0]
    assert first("Where is the key of the kiln?", _NOTES) == _NOTES[3]


def test_the_order_does_not_depend_on_that_of_the_candidates() -> None:
    units = [unit(text, 10 * at) for at, text in enumerate(_NOTES)]
    expected = [(one.unit.text, one.score) for one in ranked("kiln key of the yard", units)]
    for seed in range(5):
        mixed = random.Random(seed).sample(units, len(units))
        assert [(one.unit.text, one.score) for one in ranked("kiln key of the yard", mixed)] == expected


def test_the_reasons_sum_to_the_score() -> None:
    units = [unit(text, at, headings=("Yard",)) for at, text in enumerate(_NOTES)]
    units[1].importance, units[2].room, units[3].form, units[4].room = 9, "memory", "heading", "journal"
    for one in ranked('the kiln "in the yard" mar* on 2 April', units):
        assert one.score == pytest.approx(sum(adds for _, _, adds in one.reasons))
        assert [name for name, _, _ in one.reasons][: len(features.NAMES)] == list(features.NAMES)


def test_a_day_that_the_question_names_stands_before_others() -> None:
    units = [unit("- Fired the kiln", at * 10, day=f"2031-0{at}-11") for at in range(1, 6)]
    units = [*units, *(unit(f"- Sold a bowl, the {at}th", 100 * at, day=f"2031-05-{at}") for at in range(20, 28))]
    for question in (
        "When was the kiln fired in March?",
        "kiln 2031-03-11",
        "kiln on 11 March",
        "Brennofen kiln im März",
    ):
        assert ranked(question, units)[0].unit.day == "2031-03-11", question


def test_two_weeks_before_an_event_is_a_day() -> None:
    launch = unit("- [decision] Launch of the shop is on 2031-05-20", 1, day="2031-04-01")
    found = [rank.Ranked(launch, 1.0, [], 1.0)]
    asked = query.parse("What was said two weeks before the launch?", now="2031-06-01")
    rank.take_anchor(asked, found)
    assert asked.spans == [("2031-05-03", "2031-05-09")]
    other = query.parse("What was said two weeks before the launch?", now="2031-06-01")
    rank.take_anchor(other, [rank.Ranked(launch, 1.0, [], 0.4)])
    assert other.spans == []


def test_the_same_text_twice_is_one_answer() -> None:
    units = [unit(_NOTES[0], 1), unit(_NOTES[0], 1, path="memory/archive/2031-04-02.md"), unit(_NOTES[1], 30)]
    assert [one.unit.text for one in ranked("kiln rewired", units)].count(_NOTES[0]) == 1


def test_a_phrase_in_quotes_stands_before_its_words() -> None:
    texts = ("- the gate was red and the door green", "- a red door and a gate", "- red wine at the door of the gate")
    assert first('"red door"', texts) == texts[1]


def test_what_may_only_help_never_harms() -> None:
    rising = set(features.NAMES) - {"place", "length", "asks", "asks_the_same", "age", "age_share"}
    for name, (bounds, values) in TABLES.items():
        assert bounds == sorted(bounds)
        assert len(values) == len(bounds) + 1
        assert name not in rising or values == sorted(values), name


def test_scripts_without_spaces_are_found() -> None:
    assert first("窯の修理", ("- 昼食はスープ", "- 庭の窯を修理した", "- 雨")) == "- 庭の窯を修理した"


def test_nothing_is_nothing() -> None:
    assert rank.rank(query.parse("kiln", now="2031-06-01"), [], stats([unit("a")])) == []


def test_whoever_remembers_words_of_a_line_finds_this_line_among_its_like() -> None:
    dice = random.Random(7)
    words = [
        a + b + c for a in ("kil", "tor", "ban", "ves", "mol") for b in ("na", "ri", "to") for c in ("ck", "sel", "p")
    ]
    lines = [f"- {' '.join(dice.choices(words, weights=range(len(words), 0, -1), k=12))}" for _ in range(200)]
    units = [unit(text, at, headings=(f"Yard {at // 10}",)) for at, text in enumerate(lines)]

    asked = [(text, dice.sample(sorted(set(text[2:].split())), 5)) for text in dice.sample(lines, 40)]

    found = sum(ranked(" ".join(few), units)[0].unit.text == text for text, few in asked)
    assert found >= 32
