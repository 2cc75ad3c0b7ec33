"""JSON of plain values: the same as the json package, without its import."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, strategies as st

from agentws.core.formats.json import plainjson

TEXTS = st.text(st.characters(codec=None, exclude_categories=()))
PLAIN = st.recursive(
    st.none() | st.booleans() | st.integers() | TEXTS,
    lambda inner: st.lists(inner) | st.dictionaries(TEXTS, inner),
)


@given(PLAIN, st.sampled_from([None, 1, 2]))
def test_it_writes_what_json_writes(value: object, indent: int | None) -> None:
    assert plainjson.dumps(value, indent=indent) == json.dumps(value, indent=indent)


@given(PLAIN)
def test_it_writes_compactly_what_json_writes(value: object) -> None:
    assert plainjson.dumps(value, separators=(",", ":")) == json.dumps(value, separators=(",", ":"))


@given(PLAIN, st.sampled_from(["", " ", "\n\t"]))
def test_it_reads_what_json_reads(value: object, space: str) -> None:
    text = space + json.dumps(value, ensure_ascii=True) + space

    assert plainjson.loads(text) == value
    assert plainjson.loads(text.encode()) == value


@pytest.mark.parametrize(
    "text", ["", "{", '{"a": 1', "[1,]", "nul", '"a', "1 2", '{"a" 1}', b"\xff", b'{"a": "\xff"}', "'a'", '"\n"']
)
def test_what_is_no_json_is_a_value_error(text: str | bytes) -> None:
    with pytest.raises(ValueError):  # noqa: PT011 - its words are the json package's
        plainjson.loads(text)


@pytest.mark.parametrize("text", ["NaN", "-Infinity", "[1.5e3]", b"\xef\xbb\xbf[1]", '"\\ud800"', b'{"a":1}\0'[:-1]])
def test_odd_but_valid_text_reads_as_json_reads_it(text: str | bytes) -> None:
    assert repr(plainjson.loads(text)) == repr(json.loads(text))


@pytest.mark.parametrize("text", ['{"a": 1, "a": 2}', ' [{"b": {"a": 1, "c": [], "\\u0061": 1}}]', '{"a":1,"a":NaN}'])
def test_a_key_that_stands_there_twice_is_ambiguous(text: str) -> None:
    with pytest.raises(ValueError, match="'a' occurs twice"):
        plainjson.unambiguous(text)
    assert plainjson.loads(text)


def test_among_very_many_keys_each_is_looked_at_once() -> None:
    looks: list[str] = []

    class Key(str):
        __slots__ = ()
        __hash__ = str.__hash__

        def __eq__(self, other: object) -> bool:
            looks.append(self)
            return str.__eq__(self, other)

    with pytest.raises(ValueError, match="'k999' occurs twice"):
        plainjson._once([(Key(f"k{number % 1000}"), 1) for number in (*range(1000), 999)])
    assert len(looks) < 3000


@pytest.mark.parametrize("text", ['{"a": 1, "b": {"a": 2}}', "[]", ' "x" ', "1", "\t[1.5, null]\n"])
def test_what_is_not_ambiguous_reads_as_it_does_elsewhere(text: str) -> None:
    assert plainjson.unambiguous(text) == json.loads(text)
    with pytest.raises(ValueError, match=r"."):
        plainjson.unambiguous(f"{text}]")


def test_it_does_not_import_json() -> None:
    used = "from agentws.core.formats.json import plainjson as p; p.loads(p.dumps([1]))"
    words = f"import sys; {used}; sys.exit('json' in sys.modules)"

    assert subprocess.run([sys.executable, "-c", words], check=False).returncode == 0


@pytest.mark.parametrize("read", [plainjson.loads, plainjson.unambiguous])
@pytest.mark.parametrize("text", ["[" * 200_000, '{"a":' * 200_000, "[" * 200_000 + "]" * 200_000, "[" * 200_000 + "x"])
def test_what_is_nested_too_deeply_is_a_value_error(read: Callable[[str], Any], text: str) -> None:
    with pytest.raises(ValueError, match="nested too deeply"):
        read(text)
