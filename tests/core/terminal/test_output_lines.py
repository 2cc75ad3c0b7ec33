"""Many result lines reach stdout with few calls, each of them, and also those before an error."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from agentws.core.terminal import output


def test_many_lines_take_few_writes(monkeypatch: pytest.MonkeyPatch) -> None:
    written: list[str] = []
    monkeypatch.setattr(output, "text", written.append)
    lines = [f"shelf {number}\x07" for number in range(2_345)]
    output.lines(lines)
    assert "".join(written) == "".join(f"shelf {number}\\u{{7}}\n" for number in range(2_345))
    assert len(written) < 10


def test_nothing_is_written_for_no_lines(monkeypatch: pytest.MonkeyPatch) -> None:
    written: list[str] = []
    monkeypatch.setattr(output, "text", written.append)
    output.lines([])
    assert written == []


def test_what_came_before_an_error_is_written(monkeypatch: pytest.MonkeyPatch) -> None:
    def some() -> Iterator[str]:
        yield "one"
        raise ValueError("late")

    written: list[str] = []
    monkeypatch.setattr(output, "text", written.append)
    with pytest.raises(ValueError, match="late"):
        output.lines(some())
    assert written == ["one\n"]


class Note:
    """A record as commands print it."""

    def __init__(self) -> None:
        self.text, self.src, self.paths, self.is_open = "Call Tom", "", ("a.md", "b.md"), False


def test_fields_come_from_a_record_renamed_and_null_as_declared() -> None:
    note = Note()
    holder = type("Holder", (), {"note": note, "src": "user"})()

    assert output.fields(note, "text src? paths open=is_open") == {
        "text": "Call Tom",
        "src": None,
        "paths": ["a.md", "b.md"],
        "open": False,
    }
    assert output.fields(note, "src") == {"src": ""}
    assert list(output.fields(holder, "src? words=note.text from=note.src?").items()) == [
        ("src", "user"),
        ("words", "Call Tom"),
        ("from", None),
    ]
    with pytest.raises(AttributeError):
        output.fields(note, "title")


def test_fields_of_nested_records_rows_and_given_values() -> None:
    note, second = Note(), Note()
    second.src = "host"
    record = type("Holder", (), {"note": note, "notes": [note, second], "none": None, "plain": lambda self: {"a": 1}})()
    record.pairs, record.pair = (("a.md", 3), ("b.md", 4)), ("schema", 2)

    assert output.fields(record, "notes[text src?] note[src] none[src] gone=none.src") == {
        "notes": [{"text": "Call Tom", "src": None}, {"text": "Call Tom", "src": "host"}],
        "note": {"src": ""},
        "none": None,
        "gone": None,
    }
    assert output.fields(record, "pairs[path bytes] pair[name version] *note[src] all=.[plain]") == {
        "pairs": [{"path": "a.md", "bytes": 3}, {"path": "b.md", "bytes": 4}],
        "pair": {"name": "schema", "version": 2},
        "src": "",
        "all": {"plain": {"a": 1}},
    }
    assert output.fields(record, "sources=notes[.src] shut=!note is_there=!!notes at", at="now") == {
        "sources": ["", "host"],
        "shut": False,
        "is_there": True,
        "at": "now",
    }
