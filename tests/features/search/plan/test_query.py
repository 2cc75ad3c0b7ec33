"""What a question names."""

from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from agentws.features.search.plan import passage, query, terms, when
from tests import table
from tests.features.search.plan.made import ranked, unit

_NOW = "2031-06-18"  # a Wednesday
_SPANS = (
    ("what happened on 2031-02-03", [("2031-02-03", "2031-02-03")]),
    ("what happened in 2031-02", [("2031-02-01", "2031-02-28")]),
    ("last March", [("2031-03-01", "2031-03-31")]),
    ("in September", [("2030-09-01", "2030-09-30")]),
    ("on 5 May", [("2031-05-05", "2031-05-05")]),
    ("on May 5th, 2029", [("2029-05-05", "2029-05-05")]),
    ("on the 5th of May", [("2031-05-05", "2031-05-05")]),
    ("am 3. März", [("2031-03-03", "2031-03-03")]),
    ("el 3 de marzo", [("2031-03-03", "2031-03-03")]),
    ("two weeks ago", [("2031-06-01", "2031-06-07")]),
    ("3 days ago", [("2031-06-15", "2031-06-15")]),
    ("yesterday", [("2031-06-17", "2031-06-17")]),
    ("last Friday", [("2031-06-13", "2031-06-13")]),
    ("last Wednesday", [("2031-06-11", "2031-06-11")]),
    ("last week", [("2031-06-09", "2031-06-15")]),
    ("last month", [("2031-05-01", "2031-05-31")]),
    ("last year", [("2030-01-01", "2030-12-31")]),
    ("what may we do", []),
    ("what happened in march", [("2031-03-01", "2031-03-31")]),
    ("prices of may 2030", [("2030-05-01", "2030-05-31")]),
    ("the march to the hill", []),
    ("February 30", []),
    ("999 years ago", []),
)


def test_days_that_a_question_names() -> None:
    table.holds(_spans, _SPANS)


def _spans(row: tuple[str, list[tuple[str, str]]]) -> None:
    assert when.spans(row[0], _NOW) == row[1]


def test_without_a_day_on_which_it_is_asked_only_dates_count() -> None:
    assert when.spans("2031-01-02, yesterday, last March", "") == [("2031-01-02", "2031-01-02")]


def test_an_event_to_count_from() -> None:
    assert when.anchor("what was said two weeks before the launch") == (-14, 3, "the launch")
    assert when.anchor("who came a day after Odile's feast?") == (1, 1, "Odile's feast?")
    assert when.anchor("what comes before the launch") is None
    assert when.around("9999-12-31", 40, 1) is None


def test_names_numbers_and_pairs() -> None:
    asked = query.parse("When did Odile rewire kiln 40?", now=_NOW)
    assert asked.names == {"odil"}
    assert asked.numbers == {"40"}
    assert ("kiln", "40") in asked.pairs


def test_stop_words_alone_are_still_a_question() -> None:
    assert query.parse("what was it", now=_NOW).terms


@given(st.text(max_size=200), st.text(max_size=12))
def test_any_text_is_a_question(text: str, now: str) -> None:
    query.parse(text, now=now)
    for one in ranked(text, [unit("- The kiln was rewired", 1), unit(text or "-", 7)], now=now):
        assert one.score == pytest.approx(sum(adds for _, _, adds in one.reasons))


@given(st.text(min_size=400, max_size=1500))
def test_a_passage_is_part_of_its_text(text: str) -> None:
    found = passage.best(text, dict.fromkeys(terms.of(text)[:5], 1.0))
    assert found.text in text
    assert text.split("\n")[found.first].endswith(found.text.split("\n")[0]) or found.first == found.last
    assert found.last - found.first == found.text.count("\n")
    assert len(found.text) <= 520


def test_a_passage_is_where_the_words_are() -> None:
    text = "Soup again, and rain.\n" * 30 + "Odile rewired the kiln.\n" + "Clay was bought, and rain.\n" * 30
    found = passage.best(text, {"kiln": 2.0, "odil": 2.0})
    assert "Odile rewired the kiln." in found.text
    assert found.first == 30
    assert passage.best("short kiln", {"kiln": 1.0}).text == "short kiln"
