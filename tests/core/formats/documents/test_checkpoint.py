"""A checkpoint as it stands in its file."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, strategies as st

from agentws.core.formats.documents import checkpoint
from agentws.errors import DamagedError
from tests import table

FIELDS = {"task": "loan-7", "seq": 2, "parent": None, "at": "2026-11-20T06:15:00.000000Z", "label": "read"}
LONG = "ü" * checkpoint.BLOB_BYTES
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text() | st.just(LONG),
    lambda inner: st.lists(inner) | st.dictionaries(st.text() | st.sampled_from(["a/b", "~", "~1", "0"]), inner),
)


def again(made: checkpoint.Encoded) -> Any:
    head = checkpoint.header(made.content, id=made.header.id, where="x")
    return checkpoint.state(made.content, head, lambda name: made.blobs[name], where="x")


@given(VALUES)
def test_a_state_comes_back_as_it_was(value: Any) -> None:
    made = checkpoint.encode(FIELDS, checkpoint.body(value))

    assert again(made) == value
    assert checkpoint.blobs(made.content) == made.blobs.keys()


def test_a_file_is_json_and_its_first_line_says_all_but_the_state() -> None:
    made = checkpoint.encode({**FIELDS, "later": 1}, checkpoint.body({"a": LONG, "b": [1]}))

    whole = json.loads(made.content)
    head = checkpoint.header(made.content.partition(b"\n")[0] + b"\n", id=made.header.id, where="x")

    assert whole["state"] == {"a": None, "b": [1]}
    assert list(whole["blobs"]) == ["/a"]
    assert {**head.plain(), "blobs": whole["blobs"], "state": whole["state"]} == whole
    assert (head.seq, head.label, head.size) == (2, "read", len('{"a":null,"b":[1]}') + len(LONG.encode()))
    assert head.rest == {"later": 1}


def test_a_file_of_which_a_byte_differs_is_damaged() -> None:
    made = checkpoint.encode(FIELDS, checkpoint.body({"a": [1, LONG], "b": "word"}))

    def check(at: int) -> None:
        data = bytearray(made.content)
        data[at] ^= 1
        with pytest.raises(DamagedError):
            again(type(made)(made.header, bytes(data), made.blobs))

    table.holds(check, range(len(made.content)))
    with pytest.raises(DamagedError):
        again(type(made)(made.header, made.content[:-3], made.blobs))
    (name,) = made.blobs
    with pytest.raises(DamagedError, match="its content was changed"):
        again(type(made)(made.header, made.content, {name: b"other"}))


NAMES = [
    ("000001-5a0c71.json", "000001-5a0c71"),
    ("1000000-5a0c71.json", "1000000-5a0c71"),
    ("000001-5a0c71", ""),
    ("00001-5a0c71.json", ""),
    ("000001-5a0c7.json", ""),
    ("000001-5A0C71.json", ""),
    (".000001-5a0c71.json.agentws-new", ""),
    ("٠٠٠٠٠١-5a0c71.json", ""),
    ("notes.json", ""),
]


def test_which_names_are_those_of_checkpoints() -> None:
    def check(row: tuple[str, str]) -> None:
        assert checkpoint.id_of(row[0]) == row[1]

    table.holds(check, NAMES)
    assert checkpoint.is_blob(f"checkpoints/blobs/{'0' * 64}")
    assert not checkpoint.is_blob(f"checkpoints/other/{'0' * 64}")
    assert not checkpoint.is_blob("checkpoints/blobs/000001-5a0c71.json")
