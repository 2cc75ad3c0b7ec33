"""What undo keeps: one file with the old ones behind it, a folder where that is large or of an earlier version."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from agentws.changes import ChangeSet, Move, Remove, Write
from agentws.core.disk import local_dir
from agentws.core.disk.change import transaction, undo_record
from agentws.core.disk.files import Files
from agentws.core.formats import digest
from agentws.errors import MissingFileError

ODD = b"\xff\x00\r\n}\n{\n}\nno newline"
"""What ends like a record, in no text."""
SIZES = pytest.mark.parametrize("most_bytes", [1 << 20, 0], ids=["in one file", "in a folder"])


@pytest.fixture
def files(tmp_path: Path) -> Files:
    for name, data in (("MEMORY.md", ODD), ("SOUL.md", b"soul\n"), ("USER.md", b"")):
        (tmp_path / name).write_bytes(data)
    return Files(str(tmp_path))


def change(files: Files) -> ChangeSet:
    return ChangeSet(
        "x",
        (
            Remove("SOUL.md", expects=files.digest("SOUL.md")),
            Move("USER.md", "memory/user.md", expects=files.digest("USER.md")),
            Write("new.md", b"new\n", expects=digest.ABSENT),
            Write("MEMORY.md", b"changed\n", expects=files.digest("MEMORY.md")),
        ),
    )


@SIZES
def test_every_byte_is_as_it_was_after_undo(files: Files, monkeypatch: pytest.MonkeyPatch, most_bytes: int) -> None:
    monkeypatch.setattr(undo_record, "_LARGEST_WHOLE_BYTES", most_bytes)
    applied = transaction.apply(files, change(files))
    name = f"{local_dir.UNDO}/{applied.number:06d}"

    assert undo_record.is_folder(files, name) == (not most_bytes)
    assert undo_record.old(files, name, 0) == b"soul\n"
    with pytest.raises(MissingFileError):
        undo_record.old(files, name, 1)
    transaction.apply(files, transaction.inverse(files, applied.number))

    assert (files.read("MEMORY.md"), files.read("SOUL.md"), files.read("USER.md")) == (ODD, b"soul\n", b"")
    assert not files.exists("new.md")


@SIZES
@pytest.mark.parametrize("applied", [0, 1, 2, 3])
def test_a_change_killed_anywhere_is_put_back(
    files: Files, monkeypatch: pytest.MonkeyPatch, most_bytes: int, applied: int
) -> None:
    monkeypatch.setattr(undo_record, "_LARGEST_WHOLE_BYTES", most_bytes)
    changes = change(files)
    local_dir.prepare(files)
    transaction._record(files, f"{local_dir.UNDO}/000001.pending", changes, transaction._before(files, changes))
    for each in changes.changes[:applied]:
        transaction._make_change(files, each, set(), set())

    transaction.sweep(files)

    assert (files.read("MEMORY.md"), files.read("SOUL.md"), files.read("USER.md")) == (ODD, b"soul\n", b"")
    assert files.names(local_dir.UNDO) == []


def test_a_record_that_was_being_written_or_taken_away_is_cleared(files: Files) -> None:
    transaction.apply(files, change(files))
    for left in (".000002.pending.agentws-new", ".000002.pending.agentws-old", ".000001.agentws-old"):
        Path(files.root, local_dir.UNDO, left).write_bytes(b'{\n "verb": "y')

    assert transaction.sweep(files) == []

    assert files.listing(local_dir.UNDO) == ["000001"]


@pytest.mark.parametrize("name", [".DS_Store", ".nfs000000012", "._000001", ".x y.z", ".keep/", ".000002.agentws-new~"])
def test_what_others_put_there_stops_nothing(files: Files, name: str) -> None:
    transaction.apply(files, change(files))
    stranger = Path(files.root, local_dir.UNDO, name)
    stranger.mkdir() if name.endswith("/") else stranger.write_bytes(b"theirs")

    transaction.apply(files, ChangeSet("y", (Write("SOUL.md", b"again\n", expects=digest.ABSENT),)))

    assert stranger.exists()
    assert transaction.is_applied(files, 2)


def test_old_files_are_read_as_they_stand_behind_their_record(files: Files) -> None:
    number = transaction.apply(files, change(files)).number
    whole = files.read(f"{local_dir.UNDO}/{number:06d}")

    assert whole.endswith(b"soul\n" + ODD)
    record, old = undo_record.parted(whole)
    assert undo_record.parted(undo_record.joined(record, {3: old[3]}))[1] == {3: ODD}
    assert os.stat(f"{files.root}/{local_dir.UNDO}/{number:06d}").st_mode & 0o077 == 0
