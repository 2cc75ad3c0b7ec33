"""What nearness adds to the ranking, given as numbers."""

from __future__ import annotations

from agentws.features.search.plan import query, rank, similarity
from agentws.features.search.plan.rank import Ranked
from agentws.features.search.plan.weights_vectors import TABLES
from tests.features.search.plan.made import stats, unit

UNITS = [
    unit("- Gravel for the garden path, a cart of it", 10),
    unit("- Gravel sinks into the clay of the path", 20),
    unit("- Pebbles let the rain run off", 30),
    unit("- Kim plays the flute", 40),
]


def ranked(question: str, similar: dict[int, float]) -> list[Ranked]:
    return rank.rank(query.parse(question, now="2031-06-01"), UNITS, stats(UNITS), similar)


def test_of_two_that_have_the_same_words_the_nearer_stands_first() -> None:
    for first, second in ((10, 20), (20, 10)):
        found = ranked("gravel path", {first: 0.8, second: 0.2, 30: 0.1, 40: 0.0})
        assert found[0].unit.id == first


def test_what_is_near_is_found_without_a_word_of_the_question() -> None:
    assert 30 not in [one.unit.id for one in ranked("gravel path", {})]
    assert 30 in [one.unit.id for one in ranked("gravel path", {30: 0.7, 10: 0.5})]
    assert ranked("stones", {30: 0.7, 40: 0.1})[0].unit.id == 30


def test_one_without_a_vector_is_not_put_behind_those_that_are_far() -> None:
    found = ranked("gravel path", {20: 0.1, 30: 0.1, 40: 0.6})

    assert found[0].unit.id == 10


def test_each_feature_is_told_and_has_its_weights() -> None:
    found = ranked("gravel path", {10: 0.8, 20: 0.2})[0]

    assert [name for name, _, _ in found.reasons if name in similarity.NAMES] == list(similarity.NAMES)
    assert set(similarity.NAMES) < TABLES.keys()


def test_more_likeness_never_harms() -> None:
    for name in similarity.NAMES:
        bounds, values = TABLES[name]
        assert len(values) == len(bounds) + 1
        ordered = sorted(values, reverse=name == "similarity_place")
        assert values == ordered, name


def test_marks_and_times_are_not_made_vectors_of() -> None:
    assert similarity.text("- 07:15 Tea\n  with Kim") == "Tea\n  with Kim"
    assert similarity.text("  2. Tea") == "Tea"
    assert similarity.text("- 07:15") == "07:15"
    assert similarity.text("12 : 30 tea") == "12 : 30 tea"
    assert similarity.key("- 07:15 Tea") == similarity.key("- 19:40 Tea") != similarity.key("- Coffee")


def test_a_key_is_made_of_any_text() -> None:
    assert len(similarity.key("\ud800 half a sign")) == 32


def test_headings_headers_and_records_have_no_vector() -> None:
    assert similarity.has_vector("item", "- Tea")
    assert not similarity.has_vector("item", "- ")
    assert not any(similarity.has_vector(form, "Tea") for form in ("heading", "header", "record"))
