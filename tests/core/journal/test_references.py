"""The first line of a segment refers to where sessions began and who took over their work, bounded, over segments."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from agentws.core.disk.files import Files
from agentws.core.formats.journal import event, segment, segment_index
from agentws.core.formats.journal.segment_index import Outline
from agentws.core.journal import reference
from tests.core.journal.test_append import WRITER, appender, entry, full, opened


def referred(root: Path, ref: dict[str, Any]) -> event.Event:
    """The event that a reference leads to, read by its place alone."""
    data = (root / segment.path(WRITER, ref["segment"])).read_bytes()
    line = data[ref["offset"] : data.index(b"\n", ref["offset"])]
    found = event.decode(line, writer=WRITER)
    assert (found.seq, found.kind) == (ref["seq"], ref["kind"])
    return found


def goes_on(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The next event goes into another segment."""
    full(root, monkeypatch)
    appender(root).append([entry("next")])
    monkeypatch.undo()


def test_where_sessions_began_is_told_over_segments_until_they_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    by = appender(tmp_path)
    by.append([entry(name, "session.started", session=name) for name in ("s1", "s2", "s3")])
    by.append([entry("", "session.ended", session="s1"), entry("again", "session.started", session="s2")])
    goes_on(tmp_path, monkeypatch)
    appender(tmp_path).append([entry("", "session.ended", session="s3")])
    goes_on(tmp_path, monkeypatch)

    second, third = opened(tmp_path, 2)["begun"], opened(tmp_path, 3)["begun"]

    assert isinstance(second, list)
    assert isinstance(third, list)
    assert [(ref["session"], referred(tmp_path, ref).body["text"]) for ref in second] == [  # type: ignore[index]
        ("s3", "s3"), ("s2", "again"),
    ]  # fmt: skip
    assert third == second[1:]


def test_who_took_over_is_told_by_the_newest_handoff(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    by = appender(tmp_path)
    by.append([entry("", "session.started", session="s1"), entry("", "session.started", session="s2")])
    by.append([entry("one", "handoff.written", session="s1", follows=["elsewhere"])])
    by.append([entry("two", "handoff.written", session="s1", follows=[])])
    by.append([entry("three", "handoff.closed", session="s1", path="handoffs/x.md")])
    goes_on(tmp_path, monkeypatch)

    refs = opened(tmp_path, 2)["handed"]

    assert isinstance(refs, list)
    found = {ref["session"]: referred(tmp_path, ref).body["text"] for ref in refs}  # type: ignore[index]
    assert found == {"elsewhere": "one", "s1": "two"}


def test_the_references_are_bounded_and_those_of_sessions_that_did_not_end_stay(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    by = appender(tmp_path)
    by.append([entry("", "session.started", session=f"s{number}") for number in range(40)])
    by.append([entry("", "handoff.written", session="s39")])
    by.append([entry("", "handoff.written", session="s38", follows=[f"note-{number}" for number in range(60)])])
    goes_on(tmp_path, monkeypatch)

    told: Any = opened(tmp_path, 2)

    assert [ref["session"] for ref in told["begun"]] == told["sessions"] == [f"s{number}" for number in range(24, 40)]
    assert len(told["handed"]) == segment_index.MOST_HANDED
    assert {"s38", "s39", "note-59"} <= {ref["session"] for ref in told["handed"]}


def test_a_kind_that_only_looks_like_the_end_of_a_session_ends_none(tmp_path: Path) -> None:
    appender(tmp_path).append([entry("", "session.started", session="s1"), entry("", "session.paused", session="s1")])

    assert reference.outlined(Files(str(tmp_path)), WRITER).sessions == ["s1"]


def restored(plain: dict[str, Any]) -> Outline:
    outline = Outline()
    outline._begin(plain)
    return outline


@pytest.mark.parametrize("odd", [{}, {"begun": None}, {"begun": [1, {"session": 2}], "handed": {"a": 1}}])
def test_a_first_line_without_them_or_with_odd_ones_is_read(odd: dict[str, object]) -> None:
    found = restored({"sessions": ["s1"], **odd})

    assert (found.sessions, found.begun, found.handed) == (["s1"], {}, {})
    assert restored(found.plain()).plain() == found.plain()


def test_a_first_line_with_more_than_fits_costs_no_more() -> None:
    found = restored({"sessions": [f"s{number}" for number in range(9_000)]})

    assert found.sessions == [f"s{number}" for number in range(8_984, 9_000)]


def test_a_reference_is_followed_also_where_a_purge_has_moved_the_line(tmp_path: Path) -> None:
    by = appender(tmp_path)
    by.append([entry("." * 100), entry("begins", "session.started", session="s1")])
    files = Files(str(tmp_path))
    (ref,) = reference.outlined(files, WRITER).begun.values()
    path = tmp_path / segment.path(WRITER, 1)
    path.write_bytes(path.read_bytes().replace(b"." * 100, b"."))

    found, gone = reference.at(files, WRITER, ref), reference.at(files, WRITER, {**ref, "seq": 99})

    assert found is not None
    assert (found.session, found.kind) == ("s1", "session.started")
    assert gone is None


def test_an_outline_that_was_remembered_does_not_change_with_the_one_it_came_from() -> None:
    found = Outline()
    line = b'{"agentws":1,"seq":2,"kind":"session.started","session":"s1","body":{"v":1}}'
    found.fold(line, writer=WRITER, segment=1, offset=9)
    before = repr(found.plain())
    remembered = restored(found.plain())

    remembered.fold(line.replace(b"started", b"ended"), writer=WRITER, segment=1, offset=99)

    assert repr(found.plain()) == before


def test_a_line_that_is_not_what_was_written_is_referred_to_by_nobody(tmp_path: Path) -> None:
    appender(tmp_path).append([entry("one", "decision"), entry("two", "decision")])
    (path,) = (tmp_path / "journal").glob("*/*.jsonl")
    ref = {"segment": 1, "offset": path.read_bytes().index(b'{"agentws":1,"seq":3,'), "seq": 3}
    moved = {**ref, "offset": 0}
    for found in (ref, moved):
        told = reference.at(Files(str(tmp_path)), WRITER, found)
        assert told is not None
        assert told.body is not None
        assert told.body["text"] == "two"

    path.write_bytes(path.read_bytes().replace(b'"two"', b'"due"'))

    assert [reference.at(Files(str(tmp_path)), WRITER, found) for found in (ref, moved)] == [None, None]
