"""Values of Python as plain JSON, and the place of what cannot be."""

from __future__ import annotations

import collections
import dataclasses
import datetime
import decimal
import enum
import json
import pathlib
import types
import uuid
from typing import Any, ClassVar, NamedTuple

import pytest
from hypothesis import given, strategies as st

from agentws.core.formats.json import values
from agentws.errors import UsageError
from tests import table

PLAIN = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
)


class Crate(enum.Enum):
    SMALL = "small"


class Shelf(enum.IntEnum):
    TOP = 3


class Point(NamedTuple):
    east: int
    north: int


@dataclasses.dataclass
class Orchard:
    name: str
    trees: list[Any]
    COUNT: ClassVar[int] = 7


class Basket:
    """As attrs makes them."""

    def __init__(self, weight: object) -> None:
        self.weight = weight

    __attrs_attrs__ = (types.SimpleNamespace(name="weight"),)


class Model:
    """As pydantic makes them: it iterates over its fields, and says what it is."""

    def __init__(self, **fields: object) -> None:
        self.fields = fields

    def __iter__(self) -> Any:
        return iter(self.fields.items())

    def model_dump(self, *, mode: str) -> dict[str, object]:
        assert mode == "json"
        if any(value is self for value in self.fields.values()):
            raise ValueError("Circular reference detected (id repeated)")
        return {**self.fields, "dumped": True}


@given(PLAIN)
def test_what_is_plain_stays_as_it_is(value: object) -> None:
    assert values.plain(value) == value
    assert json.dumps(values.plain(value)) == json.dumps(value)


ROWS: list[tuple[object, object]] = [
    (Crate.SMALL, "small"),
    (Shelf.TOP, 3),
    ({Shelf.TOP: 1, None: 2, True: 3, 4: 5}, {"3": 1, "null": 2, "true": 3, "4": 5}),
    (Point(2, 5), {"east": 2, "north": 5}),
    ((1, (2,)), [1, [2]]),
    (range(3), [0, 1, 2]),
    ({"b", "a"}, ["a", "b"]),
    (collections.deque([1, 2]), [1, 2]),
    (collections.Counter("aab"), {"a": 2, "b": 1}),
    (types.MappingProxyType({"a": 1}), {"a": 1}),
    (b"\x00\xff", "AP8="),
    (datetime.date(2026, 11, 20), "2026-11-20"),
    (datetime.datetime(2026, 11, 20, 9, tzinfo=datetime.UTC), "2026-11-20T09:00:00+00:00"),
    (datetime.timedelta(minutes=1.5), 90.0),
    (pathlib.PurePosixPath("a/b"), "a/b"),
    (uuid.UUID(int=1), "00000000-0000-0000-0000-000000000001"),
    (decimal.Decimal("1.10"), "1.10"),
    (Orchard("Elm Row", [Crate.SMALL, Basket(2)]), {"name": "Elm Row", "trees": ["small", {"weight": 2}]}),
    (Model(a=1), {"a": 1, "dumped": True}),
    (Basket(Model(a=(1,))), {"weight": {"a": [1], "dumped": True}}),
]


def test_values_of_python_become_plain() -> None:
    def check(row: tuple[object, object]) -> None:
        assert values.plain(row[0]) == row[1]
        assert json.loads(json.dumps(values.plain(row[0]))) == row[1]

    table.holds(check, ROWS)


def test_what_stands_twice_without_a_circle_is_written_twice() -> None:
    shared = [1]
    assert values.plain({"a": shared, "b": shared}) == {"a": [1], "b": [1]}


def test_a_circle_is_named_by_its_place() -> None:
    tree: dict[str, Any] = {"a": [0, 1, 2, {"b": None}]}
    tree["a"][3]["b"] = tree["a"]
    with pytest.raises(UsageError, match=r"^state\.a\[3\]\.b refers back to state\.a: a circular"):
        values.plain(tree)
    orchard = Orchard("Elm Row", [])
    orchard.trees.append(Basket(orchard))
    with pytest.raises(UsageError, match=r"^result\.trees\[0\]\.weight refers back to result:"):
        values.plain(orchard, name="result")
    model = Model(a=1)
    model.fields["odd key"] = model
    with pytest.raises(UsageError, match=r"^state\['odd key'\] refers back to state:"):
        values.plain(model)


WRONG: list[tuple[object, str]] = [
    ({"a": [object()]}, "state.a[0] is of type builtins.object"),
    ({"a": float("nan")}, "state.a is nan"),
    ([float("inf")], "state[0] is inf"),
    ({(1, 2): 3}, "state has the key (1, 2)"),
    ({1: "a", "1": "b"}, "state has two keys that are '1'"),
    (10**5000, "state has more than 4,300 digits"),
    (Orchard, "state is of type builtins.type"),
    ((number for number in [1]), "state is of type builtins.generator"),
    (lambda: 1, "state is of type builtins.function"),
    ({"a": {"b": Crate}}, "state.a.b is of type enum.EnumType"),
]


def test_what_cannot_be_is_named_by_its_place() -> None:
    def check(row: tuple[object, str]) -> None:
        with pytest.raises(UsageError) as caught:
            values.plain(row[0])
        assert str(caught.value).startswith(row[1])
        assert caught.value.hint

    table.holds(check, WRONG)


def test_what_is_nested_too_deeply_is_named() -> None:
    value: list[Any] = []
    for _ in range(values.DEEPEST - 1):
        value = [value]
    assert values.plain(value) == value
    with pytest.raises(UsageError, match="nested more than 60 levels"):
        values.plain([value])
    endless: dict[str, Any] = {}
    deep = endless
    for _ in range(100_000):
        deep["a"] = {}
        deep = deep["a"]
    with pytest.raises(UsageError, match="nested more than 60 levels"):
        values.plain(endless)
