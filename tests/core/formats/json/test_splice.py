"""Settings in JSON are edited in place: every byte that is not meant stays, and what was put in can be taken out."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import example, given, strategies as st

from agentws.core.formats.json import splice
from agentws.errors import DamagedError

VALUE = {"matcher": "startup", "hooks": [{"type": "command", "timeout": 10}]}
SETTINGS = [
    '{\n  "model": "opus"\n}\n',
    '{\n  "model": "opus"\n}',
    '{\n\t"model": "opus",\n\t"env": {"A": "1"}\n}\n',
    '{\n    "env": {\n        "A": "1"\n    },\n    "list": [\n        1,\n        2\n    ]\n}\n',
    '{\r\n  "model": "opus"\r\n}\r\n',
    '\ufeff{\n  "model": "opus"\n}\n',
    '{"model":"opus","env":{"A":"1"}}',
    '{"model": "opus", "env": {"A": "1"}}\n',
    '{\n  // mine\n  "model": "opus", // the best\n  /* off\n  "x": 1 */\n  "env": {}   \n}\n',
    '{\n  "model": "opus", // the best\n}\n',
    '{\n  "model": "opus" // the best\n}\n',
    '{ "model": "opus" // the best\n}',
    '{\n  "a": [1, 2, {"b": null}],\n\n  "c": "\\u00e9 // no comment"\n  // the end\n}\n',
]


@pytest.mark.parametrize("text", SETTINGS)
def test_what_is_put_in_can_be_taken_out_again_byte_for_byte(text: str) -> None:
    path = ("hooks", "SessionStart")

    edited = splice.with_value(text, path, [VALUE], where="settings.json")
    back = splice.without(edited, ("hooks",), where="settings.json")

    assert splice.value_at(edited, path, where="settings.json") == [VALUE]
    assert edited != text
    assert back == text


@pytest.mark.parametrize("text", SETTINGS)
def test_what_was_there_stays_as_it_is(text: str) -> None:
    edited = splice.with_value(text, ("hooks",), {"A": []}, where="settings.json")

    said = splice.parse(edited, where="settings.json").value
    assert {key: value for key, value in said.items() if key != "hooks"} == splice.parse(text, where="x").value
    characters = iter(edited)
    assert all(each in characters for each in text), "nothing is lost, and nothing changes its place"
    assert edited.count("// the best") == text.count("// the best")


def test_a_comment_stays_with_what_it_is_about() -> None:
    text = '{\n  "model": "opus" // the best\n}\n'

    edited = splice.with_value(text, ("hooks",), {}, where="x")

    assert edited == '{\n  "model": "opus", // the best\n  "hooks": {}\n}\n'


def test_the_style_of_the_file_is_kept() -> None:
    tabs = splice.with_value('{\r\n\t"a": {\r\n\t\t"b": 1\r\n\t}\r\n}', ("a", "c"), {"d": [2]}, where="x")
    dense = splice.with_value('{"a":1}', ("c",), {"d": [2, 3]}, where="x")

    assert (
        tabs
        == '{\r\n\t"a": {\r\n\t\t"b": 1,\r\n\t\t"c": {\r\n\t\t\t"d": [\r\n\t\t\t\t2\r\n\t\t\t]\r\n\t\t}\r\n\t}\r\n}'
    )
    assert dense == '{"a":1,"c":{"d":[2,3]}}'


@pytest.mark.parametrize("text", ["", "\n", "{}", "{ }\n", "{\n}\n"])
def test_an_empty_file_becomes_an_object(text: str) -> None:
    edited = splice.with_value(text, ("hooks", "Stop", 0), VALUE, where="x")

    assert json.loads(edited) == {"hooks": {"Stop": [VALUE]}}
    assert '\n  "hooks": {\n    "Stop": [\n      {\n' in edited


def test_a_value_that_is_there_is_replaced_in_its_place() -> None:
    text = '{\n  "a": {"x": 1}, // one\n  "b": 2\n}\n'

    assert splice.with_value(text, ("a",), "y", where="x") == '{\n  "a": "y", // one\n  "b": 2\n}\n'


def test_items_are_taken_out_of_the_beginning_the_middle_and_the_end() -> None:
    text = '{\n  "list": [\n    1,\n    2, // two\n    3\n  ]\n}\n'

    found = [splice.without(text, ("list", place), where="x") for place in range(3)]

    assert [json.loads(each.replace("// two", ""))["list"] for each in found] == [[2, 3], [1, 3], [1, 2]]
    assert found[2] == '{\n  "list": [\n    1,\n    2 // two\n  ]\n}\n'


def test_what_follows_a_comment_is_not_swallowed_by_it() -> None:
    text = '{\n  "a": 1, // one\n  "b": 2 }'

    assert splice.parse(splice.without(text, ("b",), where="x"), where="x").value == {"a": 1}


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ('{\n  "a": 1\n  "b": 2\n}', 3),
        ('{\n  "a": ,\n}', 2),
        ("{\n  a: 1\n}", 2),
        ('{\n  "a": 1\n', 3),
        ('{\n}\n{"b": 1}', 3),
        ('{\n\n  "a": 01}', 3),
        ('{"a": "\\x"}', 1),
        ("nothing", 1),
        ('{\n  "a": NaN\n}', 2),
        ("[" * 5000, 1),
    ],
)
def test_what_is_no_json_is_refused_with_its_line(text: str, line: int) -> None:
    with pytest.raises(DamagedError, match=rf"^settings\.json:{line}: "):
        splice.with_value(text, ("hooks",), 1, where="settings.json")


def test_a_value_of_another_kind_on_the_way_is_refused_with_its_line() -> None:
    with pytest.raises(DamagedError, match=r"^settings\.json:2: expected an object here"):
        splice.with_value('{\n  "hooks": []\n}', ("hooks", "Stop"), [], where="settings.json")
    with pytest.raises(DamagedError, match="expected an array here, to add an entry"):
        splice.with_value('{"Stop": {}}', ("Stop", 0), {}, where="settings.json")


PLAIN = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=8,
)


@given(
    st.dictionaries(st.text(max_size=4).filter(lambda key: key != "hooks"), PLAIN, min_size=1, max_size=4),
    st.sampled_from([None, 1, 2, 4, "\t"]),
    st.booleans(),
    PLAIN,
)
@example({"//": None, "home": "https://example.org"}, None, False, None)  # no comment of a line: they stand in strings
def test_any_settings_come_back(settings: dict[str, Any], indent: int | str | None, crlf: bool, value: object) -> None:
    text = json.dumps(settings, indent=indent, ensure_ascii=False).replace("\n", "\r\n" if crlf else "\n")

    edited = splice.with_value(text, ("hooks", "Stop", 0), value, where="x")

    assert json.loads(edited) == {**settings, "hooks": {"Stop": [value]}}
    assert splice.without(edited, ("hooks",), where="x") == text
