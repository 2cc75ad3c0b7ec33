"""Values of LangGraph's serializer are readable JSON, come back byte for byte, and construct nothing."""

from __future__ import annotations

import json

import ormsgpack
import pytest
from hypothesis import given, strategies as st

from agentws.adapters import langgraph_values as values
from agentws.errors import UsageError

_PLAIN = st.none() | st.booleans() | st.integers(-(2**63), 2**64 - 1) | st.floats() | st.text("a$ä\n", max_size=5)
_ANY = st.recursive(
    _PLAIN | st.binary(max_size=5),
    lambda parts: (
        st.lists(parts, max_size=3)
        | st.dictionaries(st.text("a$of", max_size=3) | st.integers(0, 9), parts, max_size=3)
        | st.builds(lambda code, part: ormsgpack.Ext(code, packed(part)), st.integers(0, 99), parts)
    ),
    max_leaves=12,
)


def packed(value: object) -> bytes:
    return ormsgpack.packb(value, option=ormsgpack.OPT_NON_STR_KEYS)


def through_a_file(kind: str, data: bytes) -> tuple[str, bytes]:
    line = json.dumps({"value": values.to_json(kind, data)}, allow_nan=False).encode()
    row = values.loads(line)
    assert isinstance(row, dict)
    return values.typed(row["value"])


@given(_ANY)
def test_any_msgpack_comes_back_byte_for_byte(value: object) -> None:
    data = packed(value)

    assert through_a_file("msgpack", data) == ("msgpack", data)


@pytest.mark.parametrize(
    ("kind", "data"), [("null", b""), ("bytes", b"\x00\xff"), ("msgpack+aes", b"secret"), ("", b"")]
)
def test_bytes_of_any_kind_come_back(kind: str, data: bytes) -> None:
    assert through_a_file(kind, data) == (kind, data)


def test_plain_values_are_written_as_they_are() -> None:
    value = {"messages": ["Hello", 1, 2.5, None, True], "more": {"a": []}}

    assert values.to_json("msgpack", packed(value)) == value


def test_an_object_is_written_with_its_class_and_fields() -> None:
    data = packed(ormsgpack.Ext(5, packed(["made.up", "Tile", {"size": 3}])))

    assert values.to_json("msgpack", data) == {
        "$": "value",
        "of": {"$": "ext", "of": ["made.up", "Tile", {"size": 3}], "code": 5},
    }


@pytest.mark.parametrize("key", [ormsgpack.Ext(5, packed("key")), [["a", ormsgpack.Ext(5, packed("key"))]]])
def test_keys_that_json_cannot_hold_are_kept_as_bytes(key: object) -> None:
    data = b"\x81" + packed(key) + packed("value")

    assert through_a_file("msgpack", data) == ("msgpack", data)


def test_a_nan_keeps_its_place() -> None:
    data = packed({"sizes": [float("nan"), float("-inf")], (1, (2, b"x")): None})

    assert through_a_file("msgpack", data) == ("msgpack", data)


def test_pickle_is_neither_written_nor_read() -> None:
    row = values.loads(b'{"$": "kind", "kind": "pickle", "of": "gASVAAAA"}')

    with pytest.raises(UsageError, match="pickle"):
        values.to_json("pickle", b"\x80\x04")
    with pytest.raises(UsageError, match="pickle"):
        values.typed(row)


@pytest.mark.parametrize(
    "text", ['{"$": "run"}', '{"$": "ext", "of": 1}', '{"$": "map", "of": [1]}', '{"$": "bytes"', "["]
)
def test_what_is_not_written_here_is_an_error(text: str) -> None:
    with pytest.raises(ValueError):  # noqa: PT011
        values.loads(text.encode())
