"""Words of a question that no entry contains."""

from __future__ import annotations

from agentws.features.search.plan import confidence, query
from tests import table

_HELD = {"heron": 3, "pond": 1, "レモ": 2, "src/pond.py": 1}
_UNKNOWN = (
    ("where is the heron", []),
    ("Why did the Quorum renew its lease at the pond?", ["Quorum", "renew", "lease"]),
    ("quorum, Quorum or quorums", ["quorum"]),
    ("herons of last Friday", []),
    ("herons two weeks ago", []),
    ("herons on the 5th of May", []),
    ("Friday herons", ["Friday"]),
    ("tell me exactly what happened with the heron again", []),
    ("src/pond.py", []),
    ("src/lake.py", ["src/lake.py"]),
    ("quor* of the heron", []),
    ('"blue moon" of the heron', ["blue", "moon"]),
    ("レモン", []),
    ("цапля у пруда", ["цапля", "пруда"]),
    ("", []),
)


def test_words_that_no_entry_contains_are_named() -> None:
    table.holds(_named, _UNKNOWN)


def _named(row: tuple[str, list[str]]) -> None:
    assert confidence.unknown_words(query.parse(row[0], now="2031-06-18"), _HELD) == row[1]


_DAYS_ALONE: tuple[tuple[str, bool], ...] = (
    ("what happened today", True),
    ("what happened on 2031-06-03", True),
    ("What did I say last week?", True),
    ("yesterday", True),
    ("what did the heron do yesterday", False),
    ("what happened", False),
    ("heron", False),
    ("quor* yesterday", False),
)


def test_a_question_of_days_alone_asks_for_nothing_else() -> None:
    table.holds(_of_days, _DAYS_ALONE)


def _of_days(row: tuple[str, bool]) -> None:
    assert confidence.asks_for_days_alone(query.parse(row[0], now="2031-06-18")) == row[1]
