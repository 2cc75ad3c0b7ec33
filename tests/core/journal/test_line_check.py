"""A reader of single events gives those that are as they were written, over the borders of segments, and no others."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from agentws.core.formats import audience
from agentws.core.journal import read as reading, reference, select, session_scan
from agentws.core.journal.shared import SharedFiles
from agentws.workspace import Workspace
from tests import table
from tests.core.journal import journals

Change = Callable[[bytes], bytes]
CHANGES: dict[str, Change] = {
    "body": lambda line: re.sub(rb'"salt":".', lambda found: found[0][:-1] + _other(found[0][-1:]), line),
    "link": lambda line: re.sub(rb'"prev":".', lambda found: found[0][:-1] + _other(found[0][-1:]), line),
    "header": lambda line: re.sub(rb'"at":"2', rb'"at":"1', line),
}


def _other(digit: bytes) -> bytes:
    return b"1" if digit == b"0" else b"0"


@pytest.fixture
def journal(workspace: Workspace, monkeypatch: pytest.MonkeyPatch) -> Workspace:
    journals.small(monkeypatch)
    journals.fill(workspace)
    assert len(journals.segments(workspace)) >= 3
    return workspace


def readers(workspace: Workspace, writer: str) -> dict[str, Callable[[], tuple[list[int], list[str]]]]:
    """(the numbers that it gives, what it says of others) of each way to read."""

    def behind() -> tuple[list[int], list[str]]:
        reader = select.Reader(workspace.stores.files, select.Wanted())
        return [one.seq for one in reader.behind(writer, 0)], reader.notices

    def newest() -> tuple[list[int], list[str]]:
        reader = select.Reader(workspace.stores.files, select.Wanted())
        return [one.seq for one in reader.newest(writer, 1000)], reader.notices

    def line_by_line() -> tuple[list[int], list[str]]:
        reader = select.Reader(workspace.stores.files, select.Wanted())
        numbers = reading.segments(workspace.stores.files, writer)
        found = [reader.of(writer, each, reading.lines(workspace.stores.files, writer, each)) for each in numbers]
        return [one.seq for several in found for one in several], reader.notices

    return {"behind": behind, "newest": newest, "line by line": line_by_line}


def test_of_an_altered_line_each_reader_says_so_and_gives_all_others(journal: Workspace) -> None:
    writer = journals.here(journal).writer
    last = reading.last_seq(journal.stores.files, writer)
    ways = readers(journal, writer)
    for read in ways.values():
        assert read() == (list(range(1, last + 1)), [])
    rows = [
        (path, line, what)
        for path in journals.segments(journal)
        for line in path.read_bytes().splitlines(keepends=True)
        for what in CHANGES
    ]

    def holds(row: tuple[Path, bytes, str]) -> None:
        path, line, what = row
        before = path.read_bytes()
        seq = int(line.split(b",")[1].partition(b":")[2])
        altered = CHANGES[what](line)
        assert altered != line
        path.write_bytes(before.replace(line, altered))
        try:
            # Who breaks a link may have changed either side of it: so neither is taken for what was written.
            gone = {seq, seq - 1} if what == "link" else {seq}
            for name, read in ways.items():
                given, notices = read()
                assert given == [each for each in range(1, last + 1) if each not in gone], name
                assert any(f":{seq} does not match" in notice for notice in notices), name
        finally:
            path.write_bytes(before)

    table.holds(holds, rows)


def test_a_reference_and_a_session_are_not_found_by_an_altered_line(journal: Workspace) -> None:
    writer, notices = journals.here(journal).writer, []  # type: tuple[str, list[str]]
    path = journals.segments(journal)[0]
    begun = next(iter(select.Reader(journal.stores.files, select.Wanted(kinds=("session.started",))).behind(writer, 0)))
    ref = {"seq": begun.seq, "segment": begun.segment, "offset": begun.offset}
    assert reference.at(journal.stores.files, writer, ref) is not None

    path.write_bytes(path.read_bytes().replace(b'"kind":"session.started"', b'"kind":"session.startet"'))

    assert reference.at(journal.stores.files, writer, ref) is None
    assert all(one.first.seq != begun.seq for one in session_scan.stretches(journal.stores.files, writer, notices))
    assert any(f":{begun.seq} does not match" in notice for notice in notices)


def test_what_a_shared_audience_hears_is_whole_over_segments(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    journals.small(monkeypatch)
    for session in ("g", "m"):
        heard = {audience.KEY: "shared"} if session == "g" else {}
        journals.record(workspace, "session.started", session=session, **heard)
    said = [journals.record(workspace, "note", session="gm"[n % 3 == 1], text=f"word {n}") for n in range(30)]
    assert len(journals.segments(workspace)) >= 3
    reader = select.Reader(SharedFiles(workspace.stores.files, ()), select.Wanted(kinds=("note",)))

    found = [one.cursor for one in reader.behind(journals.here(workspace).writer, 0)]

    assert found == [cursor for n, cursor in enumerate(said) if n % 3 != 1]
    assert reader.notices == []
