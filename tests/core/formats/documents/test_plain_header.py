"""What is read of front matter without YAML is what YAML reads."""

from __future__ import annotations

import pytest
from hypothesis import example, given, settings, strategies as st

from agentws.core.formats.documents import plain_header, strict_yaml
from agentws.errors import AgentwsError

PIECES = st.sampled_from(
    [
        "a", "status", "key-1", "done", "Wort", "día", "0", "2026-11-20T07:15:00+01:00", "012", "no", "~", "null", "é",
        " ", "  ", "\t", ":", ": ", " :", "#", " #", "-", "- ", "---", ".", ",", "[", "]", "[]", "[a, b]", "{", "}",
        "'", '"', "\\", "|", ">", "&", "*", "!", "%", "@", "`", "<<", "?", "? ", "=", "\r", "\u200b", "\u00a0",
        "\u3000", "\u2028", "\x85", "\ufeff", "\ud800", "\x00",
    ]
)  # fmt: skip
LINES = st.lists(st.one_of(PIECES, st.text(max_size=2)), max_size=6).map(lambda parts: "".join(parts).replace("\n", ""))
HEADERS = st.lists(st.one_of(LINES, st.tuples(st.sampled_from("abcd"), LINES).map(": ".join)), min_size=1, max_size=4)


@settings(max_examples=250, deadline=None, derandomize=True)
@given(HEADERS)
@example(["status: done", "labels: [home, a b]", "title: 'It is: so'", 'next: "call #5"', "empty:"])
@example(["a: b", "a: c"])
@example(["a: b", "  c"])
@example(["a: [b, c]", "d: []"])
def test_plain_lines_say_what_yaml_says(inside: list[str]) -> None:
    lines = [f"{line}\n" for line in ("---", *inside, "---")]
    plain = plain_header.fields(lines)
    if plain is not None:
        assert strict_yaml.Header(lines, "here").fields == plain


@pytest.mark.parametrize(
    ("inside", "fields"),
    [
        (["status: waiting", "created: 2026-11-20T07:15:00+01:00", "a:"], ["waiting", "2026-11-20T07:15:00+01:00", ""]),
        (["labels: [garden, tool-shed]", "title: 'A: b'", 'session: "7"'], [["garden", "tool-shed"], "A: b", "7"]),
    ],
)
def test_what_agentws_writes_needs_no_yaml(inside: list[str], fields: list[object]) -> None:
    found = plain_header.fields(["---\r\n", *(f"{line}\r\n" for line in inside), "---\n"])
    assert found is not None
    assert [*found.values()] == fields


@pytest.mark.parametrize("inside", [["a: &b c"], ["a: |", "  b"], ["a: b", "a: c"], ["a:", "  - b"], ["- a"], []])
def test_the_rest_is_left_to_yaml(inside: list[str]) -> None:
    assert plain_header.fields([f"{line}\n" for line in ("---", *inside, "---")]) is None


def test_no_header_is_taken_for_longer_than_yaml_would_take_it() -> None:
    lines = ["---\n", *(f"k{number}: v\n" for number in range(300)), "---\n"]
    assert plain_header.fields(lines) is None
    with pytest.raises(AgentwsError):
        strict_yaml.Header(lines, "here")


WORDS = st.one_of(
    PIECES,
    st.text("aefnoy_-0123456789", max_size=8),
    st.sampled_from(["Yes", "NULL", "infinity", "1-2-3-4", "0x-1-2-3", "2026-11-23", "2026-11-23-1", "status", "at"]),
    st.uuids().map(str),
    st.datetimes(timezones=st.timezones()).map(lambda moment: moment.isoformat(timespec="seconds")),
)


@settings(max_examples=400, deadline=None, derandomize=True)
@given(st.dictionaries(WORDS, st.one_of(WORDS, st.lists(WORDS, max_size=3)), min_size=1, max_size=3))
@example({"at": "2026-02-31T07:15:00+01:00"})
@example({"at": "2026-11-23T07:15:00-03:30", "follows": ["2026-11-20-071500-robin", "off"]})
def test_what_is_written_plainly_is_what_yaml_writes(fields: dict[str, plain_header.Value]) -> None:
    told = (strict_yaml.entry_lines(strict_yaml.key_text(key), value, "") for key, value in fields.items())
    assert plain_header.written(fields) in (None, ["---", *(line for lines in told for line in lines), "---"])


def test_a_handoff_is_written_plainly() -> None:
    session = "9b1c6a54-1f3e-4c2d-8a77-0d2f6f1e5a90"
    fields: dict[str, plain_header.Value] = {
        "session": session,
        "at": "2026-11-20T07:15:00+01:00",
        "status": "open",
        "follows": [f"2026-11-19-181500-{session}"],
    }

    assert plain_header.written(fields) is not None
