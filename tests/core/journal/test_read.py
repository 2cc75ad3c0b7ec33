"""The journal read without the lock: lines, places, cursors, bodies."""

from __future__ import annotations

from pathlib import Path

import pytest

from agentws.core.journal import read
from agentws.errors import DamagedError, MissingFileError, UsageError
from agentws.workspace import Workspace
from tests.core.journal import journals


@pytest.fixture
def journal(workspace: Workspace, monkeypatch: pytest.MonkeyPatch) -> Workspace:
    journals.small(monkeypatch)
    journals.fill(workspace)
    return workspace


def test_an_unterminated_line_is_passed_over(journal: Workspace) -> None:
    path = journals.segments(journal)[-1]
    whole = path.read_bytes()
    writer, number = journals.here(journal).writer, len(journals.segments(journal))

    path.write_bytes(whole + b'{"agentws":1,"seq":99,')

    assert b"".join(line + b"\n" for _, line in read.lines(journal.stores.files, writer, number)) == whole


def test_each_line_is_told_with_its_offset(journal: Workspace) -> None:
    path = journals.segments(journal)[0]

    found = list(read.lines(journal.stores.files, journals.here(journal).writer, 1))

    assert all(path.read_bytes()[offset:].startswith(line + b"\n") for offset, line in found)
    assert [
        line for _, line in read.lines(journal.stores.files, journals.here(journal).writer, 1, start=found[2][0])
    ] == [line for _, line in found[2:]]


def test_every_event_is_found_by_its_number(journal: Workspace) -> None:
    writer = journals.here(journal).writer
    last = read.last_seq(journal.stores.files, writer)

    found = [read.find(journal.stores.files, writer, seq).seq for seq in range(1, last + 1)]

    assert found == list(range(1, last + 1))
    for missing in (0, last + 1):
        with pytest.raises(MissingFileError):
            read.find(journal.stores.files, writer, missing)


def test_a_body_in_a_blob_is_told_whole(journal: Workspace) -> None:
    writer = journals.here(journal).writer
    event = next(
        found
        for seq in range(1, 99)
        if "blob" in ((found := read.find(journal.stores.files, writer, seq)).body or {}) and found.kind == "result"
    )

    assert event.call == "c2"
    assert read.body(journal.stores.files, event) == {"v": 1, "call": "c2", "output": "天気" * 100}


def test_a_body_with_a_key_blob_is_not_taken_for_one_that_lies_in_a_blob(journal: Workspace) -> None:
    cursor = journals.record(journal, "note", blob="0" * 64, size=3)
    writer, _, seq = cursor.partition(":")

    event = read.find(journal.stores.files, writer, int(seq))

    assert read.body(journal.stores.files, event) == {"v": 1, "blob": "0" * 64, "size": 3}


def test_a_body_whose_blob_is_gone_is_damage(journal: Workspace) -> None:
    cursor = journals.record(journal, "note", text="long " * 200)
    writer, _, seq = cursor.partition(":")
    event = read.find(journal.stores.files, writer, int(seq))

    journal.stores.files.remove(f"journal/{writer}/blobs/{event.body['blob']}", expects=event.body["blob"])  # type: ignore[index]

    with pytest.raises(DamagedError):
        read.body(journal.stores.files, event)


def test_a_cursor_needs_no_more_of_the_writer_than_tells_it_from_the_others(journal: Workspace, tmp_path: Path) -> None:
    writer = journals.here(journal).writer

    assert {read.cursor(journal.stores.files, text) for text in ("7", f"{writer}:7", f"{writer[-6:]}:7")} == {
        (writer, 7)
    }

    other = journals.another(journal, tmp_path)
    journals.record(other, "note", text="x")
    there = journals.here(other).writer
    assert read.position(journal.stores.files, f"{writer[-6:]}:7,{there}:1") == {writer: 7, there: 1}
    with pytest.raises(UsageError, match="several writers"):
        read.cursor(journal.stores.files, "7")


@pytest.mark.parametrize("text", ["", "x", "1:x", ":7", "ffffffffffffffff:7", "7,", f"{10**19}", "-7", "²"])
def test_what_is_no_cursor_is_refused(journal: Workspace, text: str) -> None:
    with pytest.raises(UsageError):
        read.position(journal.stores.files, text)
