"""Plain queries: conditions, their values, and the order of rows."""

from __future__ import annotations

from typing import Any

import pytest

from agentws.errors import UsageError
from agentws.features.data.plan import query

ROWS: list[dict[str, Any]] = [
    {"id": 1, "name": "Anna", "due": "2026-11-20", "paid": True, "who": {"age": 40}},
    {"id": "2", "name": "Sam", "due": "2026-11-03", "paid": False, "who": {"age": 9.5}},
    {"id": 3, "name": "7", "paid": 1, "a.b": "dotted"},
]


@pytest.mark.parametrize(
    ("where", "ids"),
    [
        ((), [1, "2", 3]),
        ("name=Anna", [1]),
        ("id=2", ["2"]),
        ("id=3", [3]),
        ("name=7", [3]),
        ("name!=Anna", ["2", 3]),
        ("paid=true", [1]),
        ("paid=1", [3]),
        ("who.age>9", [1, "2"]),
        ("who.age<=9.5", ["2"]),
        ("due>=2026-11-10", [1]),
        ("due<2026-11-10", ["2"]),
        ("due=null", [3]),
        ("a.b = dotted", [3]),
        (["name=Anna", "paid=false"], []),
        ({"name": "Sam", "paid": False}, ["2"]),
        ({"paid": 1}, [3]),
        ({"who.age": 40}, [1]),
    ],
)
def test_rows_that_meet_the_conditions(where: Any, ids: list[object]) -> None:
    assert [row["id"] for row in filter(query.check(where), ROWS)] == ids


@pytest.mark.parametrize("text", ["name", "", "=x", "!"])
def test_what_is_no_condition_is_refused(text: str) -> None:
    with pytest.raises(UsageError):
        query.check(text)


@pytest.mark.parametrize(
    ("by", "descending", "ids"),
    [
        ("due", False, ["2", 1, 3]),
        ("due", True, [1, "2", 3]),
        ("id", False, [1, 3, "2"]),
        ("who.age", True, [1, "2", 3]),
        ("nothing", False, [1, "2", 3]),
    ],
)
def test_the_order_has_numbers_before_texts_and_absent_ones_last(by: str, descending: bool, ids: list[object]) -> None:
    assert [row["id"] for row in query.ordered(ROWS, by, descending=descending)] == ids
