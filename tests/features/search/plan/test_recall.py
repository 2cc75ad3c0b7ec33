"""Which hits are sure enough to be told without being asked for, and how a text is known again."""

from __future__ import annotations

from typing import Any

from agentws.features.search.plan import query
from agentws.features.search.plan.unit import Unit
from agentws.features.search.recall import recall
from tests import table

_ASKED = query.parse("Why did the heron leave the willow pond?", now="2031-06-18")


class _Hit:
    """A hit with a score and what it names of the question."""

    def __init__(self, score: float, coverage: float, *, asks: float = 0.0, form: str = "item") -> None:
        self.unit = Unit(0, "memory/2031-06-01.md", 1, 1, "The heron left")
        self.unit.form = form
        self.score = score
        self.reasons = [("coverage", coverage, 0.1), ("asks", asks, 0.1)]


_BEST = _Hit(5.0, 0.9)
_ROWS: tuple[tuple[str, list[Any], float, int], ...] = (
    ("one that is sure", [_BEST], 0.8, 1),
    ("at the bound", [_BEST], recall.CONFIDENT, 1),
    ("less sure", [_BEST], recall.CONFIDENT - 0.01, 0),
    ("nothing found", [], 0.99, 0),
    ("names too little of the question", [_Hit(5.0, 0.59)], 0.99, 0),
    ("a question itself", [_Hit(5.0, 0.9, asks=1.0)], 0.99, 0),
    ("only a heading", [_Hit(5.0, 0.9, form="heading")], 0.99, 0),
    ("another one as good", [_BEST, _Hit(4.6, 0.7)], 0.8, 2),
    ("another one, worse", [_BEST, _Hit(4.4, 0.9)], 0.8, 1),
    ("another one that names less", [_BEST, _Hit(5.0, 0.65)], 0.8, 1),
    ("no more than a few", [_BEST, *[_Hit(5.0, 0.9)] * 8], 0.8, recall.MOST),
)


def test_only_what_is_sure_is_told_and_few_of_it() -> None:
    table.holds(_told, _ROWS)


def _told(row: tuple[str, list[Any], float, int]) -> None:
    assert len(recall.is_sure(_ASKED, row[1], row[2])) == row[3]


def test_a_hit_that_was_not_measured_is_not_told() -> None:
    far = _Hit(5.0, 0.9)
    far.reasons = [("bm25", 3.0, 3.0)]

    assert recall.is_sure(_ASKED, [far], 0.99) == []


def test_a_prompt_of_few_words_asks_for_nothing() -> None:
    assert recall.is_sure(query.parse("the heron left", now="2031-06-18"), [_BEST], 0.99) == []


_BOOT = "## Mon 2031-06-02\n- 09:10 [decision] The heron left the willow pond **for good** …\n> (tool:web) Frogs sing\n"
_TEXTS = (
    ("The heron left the willow pond", True),
    ("the HERONS left the willow ponds", True),
    ("The heron left the willow pond for good, since the frogs moved", False),
    ("The willow left the pond", False),
    ("The heron", True),
)


def test_a_text_is_known_again_whatever_stands_around_it() -> None:
    known = set(recall.shingles(_BOOT))
    table.holds(lambda row: _is_in(row, known), _TEXTS)


def _is_in(row: tuple[str, bool], known: set[str]) -> None:
    assert recall.is_in(recall.shingles(row[0]), known) is row[1]
