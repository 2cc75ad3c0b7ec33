"""Which checkpoint is meant, which are kept, in what two states differ."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from agentws.core.formats.documents.checkpoint import Header
from agentws.errors import AgentwsError, AmbiguousError, MissingFileError, UsageError
from agentws.features.checkpoints.plan import difference, retention
from tests import table

NOW = datetime(2026, 11, 20, 12, tzinfo=UTC)


def header(seq: int, tail: str = "aaaaaa", *, label: str = "", days: float = 0) -> Header:
    at = (NOW - timedelta(days=days)).isoformat()
    made = Header({"task": "roof", "seq": seq, "at": at, "label": label, "bytes": 1, "digest": ""})
    made.id = f"{seq:06}-{tail}"
    return made


FOUND = [
    header(1, label="read"),
    header(2),
    header(3, "bbbbbb"),
    header(3, "cccccc"),
    header(4, label="read"),
    header(5, label="3x"),
]
CHOICES: list[tuple[str | None, str | type[AgentwsError]]] = [
    (None, "000005-aaaaaa"),
    ("2", "000002-aaaaaa"),
    ("000002", "000002-aaaaaa"),
    ("000003-cccccc", "000003-cccccc"),
    ("000003-c", "000003-cccccc"),
    ("read", "000004-aaaaaa"),
    ("3x", "000005-aaaaaa"),
    ("3", AmbiguousError),
    ("9", MissingFileError),
    ("reading", MissingFileError),
]


def test_which_one_a_word_means() -> None:
    def check(row: tuple[str | None, str | type[AgentwsError]]) -> None:
        word, expected = row
        if isinstance(expected, str):
            assert retention.one(FOUND, word, task="roof").id == expected
        else:
            with pytest.raises(expected):
                retention.one(FOUND, word, task="roof")

    table.holds(check, CHOICES)
    with pytest.raises(MissingFileError, match="has no checkpoint"):
        retention.one([], None, task="roof")


def test_a_label_is_no_number_no_id_and_not_long() -> None:
    def check(label: str) -> None:
        with pytest.raises(UsageError):
            retention.check_label(label)

    table.holds(check, ["7", "2026-11-20", "000001-5a0c71", "x" * 201])
    retention.check_label("x" * 200)
    retention.check_label("")


def test_the_newest_the_young_the_labelled_and_the_used_are_kept() -> None:
    found = [header(1, days=9), header(2, label="read", days=9), header(3, days=9), header(4, days=2), header(5)]

    def gone(keep: int, days: int = 0, used: str = "") -> list[int]:
        return [one.seq for one in retention.surplus(found, keep=keep, days=days, now=NOW, used={used})]

    assert gone(2) == [1, 3]
    assert gone(1) == [1, 3, 4]
    assert gone(1, days=3) == [1, 3]
    assert gone(1, days=2) == [1, 3, 4]
    assert gone(1, used="000003-aaaaaa") == [1, 4]
    assert gone(5) == gone(0) == []
    found[0].at = "some time"
    assert gone(2, days=1) == [3]


ROWS: list[tuple[Any, Any, list[tuple[str, str, Any, Any]]]] = [
    ({"a": 1}, {"a": 1}, []),
    ({"a": 1}, {"a": 2}, [("a", "changed", 1, 2)]),
    ({"a": 1}, {"a": True}, [("a", "changed", 1, True)]),
    ({"a": [1, 2]}, {"a": [1, 3, 4]}, [("a[1]", "changed", 2, 3), ("a[2]", "added", None, 4)]),
    ({"a": {"b c": 1}}, {"a": {}}, [("a['b c']", "removed", 1, None)]),
    ({"a": {}}, {"a": []}, [("a", "changed", {}, [])]),
    ({}, {"b": None}, [("b", "added", None, None)]),
    ({"odd key": 1}, {"odd key": 2}, [("['odd key']", "changed", 1, 2)]),
    ([[1]], [[2]], [("[0][0]", "changed", 1, 2)]),
    (1, 2, [("state", "changed", 1, 2)]),
]


def test_in_what_two_states_differ() -> None:
    def check(row: tuple[Any, Any, list[tuple[str, str, Any, Any]]]) -> None:
        before, after, expected = row
        found = difference.between(before, after)
        assert [(one.place, one.kind, one.before, one.after) for one in found] == expected

    table.holds(check, ROWS)
    (removed,) = difference.between({"a": 1}, {})
    assert removed.plain() == {"place": "a", "kind": "removed", "before": 1}
