"""A later decision about the same comes before the earlier one, in any language; other hits stay in their order."""

from __future__ import annotations

import random
from collections.abc import Sequence

import pytest

from agentws.features.search.plan import query, rank, ranked_hits
from agentws.features.search.plan.rank import Ranked
from agentws.features.search.plan.unit import Unit
from tests.features.search.plan.made import stats, unit

NOW = "2031-06-01"
PAIRS = (
    (
        "Glaze the bowls with ash",
        "Glaze the bowls with tin instead of ash",
        ("glaze for the bowls", "ash", "bowls ash"),
    ),
    ("We use the big kiln for bowls", "No bowls in the big kiln any more", ("which kiln do we use for bowls?", "kiln")),
    ("Schalen mit Asche glasieren", "Schalen nicht mehr mit Asche glasieren", ("Womit Schalen glasieren?", "Asche")),
    ("鉢の釉薬は灰を使う", "鉢の釉薬は灰をやめて錫にする", ("鉢の釉薬は何を使う", "釉薬")),
    ("Чаши покрываем золой", "Чаши больше не покрываем золой, берём олово", ("чаши золой", "чем покрываем чаши")),
)


def marked(text: str, number: int, day: str, *, kind: str = "decision", path: str = "") -> Unit:
    made = unit(f"- 09:00 [{kind}] {text}", number, day=day, path=path)
    made.kind = kind
    return made


def ordered(question: str, units: Sequence[Unit]) -> list[Ranked]:
    asked, known = query.parse(question, now=NOW), stats(units)
    return ranked_hits.newest_first(rank.rank(asked, units, known), asked, known, lambda one: one.day, most=100)


def texts(hits: Sequence[Ranked]) -> list[str]:
    return [hit.unit.text.partition("] ")[2] or hit.unit.text for hit in hits]


@pytest.mark.parametrize(("earlier", "later", "questions"), PAIRS)
def test_a_later_decision_comes_before_the_earlier_one(earlier: str, later: str, questions: tuple[str, ...]) -> None:
    for first_day, second_day in (("2031-01-02", "2031-05-20"), ("2030-02-01", "2031-05-31")):
        units = [
            marked(earlier, 10, first_day),
            marked(later, 500, second_day),
            *(unit(f"- 10:00 Swept the yard, day {at}", 1000 + 10 * at) for at in range(20)),
        ]
        for question in (*questions, earlier):
            found = texts(ordered(question, units))
            assert found.index(later) < found.index(earlier), question


def test_of_three_decisions_about_the_same_the_newest_comes_first() -> None:
    units = [
        marked("Clay from the quarry at Holm", 10, "2031-01-02"),
        marked("Clay from the river and not from the quarry at Holm", 20, "2031-03-02"),
        marked("Clay from the quarry at Holm again, the river is flooded", 30, "2031-05-02"),
    ]

    assert [hit.unit.day for hit in ordered("clay quarry Holm", units)] == ["2031-05-02", "2031-03-02", "2031-01-02"]


def test_a_decision_about_something_else_does_not_come_first() -> None:
    about, other = "The kiln at the gate is fired with oak", "The bell at the gate is painted green"
    units = [
        marked(about, 10, "2031-01-02"),
        marked(other, 20, "2031-05-20"),
        *(unit(f"- The yard is swept and the door is shut, day {at}", 100 + 10 * at) for at in range(20)),
    ]

    assert texts(ordered("what is the kiln at the gate fired with", units))[0] == about


def test_age_takes_nothing_from_a_decision() -> None:
    units = [
        marked("Bowls are sold in pairs", 10, "2029-01-02"),
        unit("- 10:00 Talked about how bowls are sold in pairs", 20, day="2031-05-30"),
    ]

    assert texts(ordered("bowls sold in pairs", units))[0] == "Bowls are sold in pairs"


def test_a_line_of_memory_without_the_words_of_the_question_gets_nothing_for_being_one() -> None:
    line = unit("- Odile has the key", 10, path="MEMORY.md", day="")
    line.room = "memory"
    asked = query.parse("bowls", now=NOW)

    (hit,) = rank.rank(asked, [line], stats([line]), similar={10: 0.9})

    assert [adds for name, _, adds in hit.reasons if name == "ageless"] == [0.0]


def test_what_left_memory_or_is_struck_comes_behind_what_holds() -> None:
    left = unit("- Bowls are dried in the loft → Bowls are dried in the shed", 10, path="memory/archive/superseded.md")
    left.room, left.day = "memory", ""
    struck = marked("Bowls are dried in the attic, bowls only", 20, "2031-05-30")
    struck.state = "dropped"
    holds = marked("Bowls are dried in the shed, on the long shelf by the window", 30, "2031-04-02")

    assert ordered("where are bowls dried", [left, struck, holds])[0].unit is holds


def test_entries_without_a_mark_and_from_outside_stay_in_their_order() -> None:
    units = [
        unit("- Bowls go to the market on Monday", 10, day="2031-01-02"),
        unit("- Bowls go to the market on Tuesday, said Odile at the long table of the inn", 20, day="2031-05-20"),
        marked("Bowls go to the fair", 30, "2031-05-21"),
    ]
    units[2].src = "net:chat"
    asked, known = query.parse("bowls market Monday", now=NOW), stats(units)

    as_ranked = rank.rank(asked, units, known)

    assert ranked_hits.newest_first(as_ranked, asked, known, lambda one: one.day, most=100) == as_ranked


def test_no_hit_is_lost_and_scores_fall() -> None:
    dice = random.Random(11)
    words = ["kiln", "bowl", "glaze", "ash", "tin", "yard", "gate", "fire", "oak", "shelf"]
    for _ in range(60):
        units = [
            marked(" ".join(dice.choices(words, k=5)), at * 10, f"2031-0{dice.randint(1, 5)}-1{at}")
            if dice.random() < 0.6
            else unit(f"- {' '.join(dice.choices(words, k=6))}", at * 10)
            for at in range(9)
        ]
        asked, known = query.parse("kiln glaze ash", now=NOW), stats(units)
        before = rank.rank(asked, units, known)
        ids = sorted(hit.unit.id for hit in before)
        after = ranked_hits.newest_first(before, asked, known, lambda one: one.day, most=100)

        assert sorted(hit.unit.id for hit in after) == ids
        assert [hit.score for hit in after] == sorted((hit.score for hit in after), reverse=True)
        for hit in after:
            assert hit.score == pytest.approx(sum(adds for _, _, adds in hit.reasons))
