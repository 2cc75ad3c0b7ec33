"""A line is appended whole or not at all, and what others wrote stays as it is."""

from __future__ import annotations

import errno
import json
import os
from pathlib import Path

import pytest

from agentws.core.disk import daily_log, local_dir
from agentws.core.disk.files import Files
from agentws.errors import DiskError

DAY = "memory/2026-11-20.md"


@pytest.fixture
def files(tmp_path: Path) -> Files:
    return Files(str(tmp_path))


def append(files: Files, line: bytes) -> int:
    return daily_log.append(
        files, DAY, lambda tail, whole: (b"" if not tail or tail.endswith(b"\n") else b"\n") + line
    )[0]


def day(files: Files) -> Path:
    return Path(files.root, DAY)


def tear(files: Files, offset: int, line: bytes, there: bytes) -> None:
    """What a `log` that was killed in the middle of its write leaves: its intent, and `there` at the end."""
    local_dir.add(
        files, {"change": "log", "path": DAY, "offset": offset, "text": line.decode()}, previous=local_dir.last(files)
    )
    with open(day(files), "ab") as file:
        file.write(there)


def quarantined(files: Files) -> list[bytes]:
    return [files.read(f"{local_dir.QUARANTINE}/{name}") for name, _ in files.names(local_dir.QUARANTINE)]


def test_the_line_that_is_named_is_the_line_that_was_written(files: Files) -> None:
    assert append(files, b"- one\n") == 1
    assert append(files, b"- two\n") == 2
    assert day(files).read_bytes() == b"- one\n- two\n"


@pytest.mark.parametrize("cut", range(1, 7))
@pytest.mark.parametrize("zeros", [0, 1])
def test_a_torn_line_of_ours_is_moved_to_quarantine_at_every_byte(files: Files, cut: int, zeros: int) -> None:
    append(files, b"- one\n")
    torn = b"- two\n\n"[:cut] + bytes(zeros * (7 - cut))
    tear(files, 6, b"- two\n\n", torn)

    append(files, b"- three\n")

    assert day(files).read_bytes() == b"- one\n- three\n"
    assert quarantined(files) == [torn]


def test_a_whole_line_that_was_not_acknowledged_stays(files: Files) -> None:
    append(files, b"- one\n")
    tear(files, 6, b"- two\n", b"- two\n")

    append(files, b"- three\n")

    assert day(files).read_bytes() == b"- one\n- two\n- three\n"
    assert not quarantined(files)


def test_a_torn_line_that_somebody_wrote_after_is_left_alone(files: Files) -> None:
    append(files, b"- one\n")
    tear(files, 6, b"- two\n", b"- t" + b"somebody's\n")

    append(files, b"- three\n")

    assert day(files).read_bytes() == b"- one\n- tsomebody's\n- three\n"


def test_an_acknowledged_line_that_lost_its_newline_in_an_editor_is_not_taken_for_torn(files: Files) -> None:
    append(files, b"- buy milk and eggs\n")
    day(files).write_bytes(b"- buy milk")

    append(files, b"- two\n")

    assert day(files).read_bytes() == b"- buy milk\n- two\n"
    assert not quarantined(files)


def test_a_persons_last_line_without_newline_is_kept(files: Files) -> None:
    append(files, b"- one\n")
    with open(day(files), "ab") as file:
        file.write(b"half a thought")

    append(files, b"- two\n")

    assert day(files).read_bytes() == b"- one\nhalf a thought\n- two\n"


def test_a_person_who_appends_while_we_sync_our_intent_gets_a_line_of_their_own(
    files: Files, monkeypatch: pytest.MonkeyPatch
) -> None:
    append(files, b"- one\n")
    real = local_dir.add
    appended = []

    def add(*args: object, **kwargs: object) -> int:
        number = real(*args, **kwargs)  # type: ignore[arg-type]
        if not appended:
            appended.append(number)
            with open(day(files), "ab") as file:
                file.write(b"half a thought")
        return number

    monkeypatch.setattr(local_dir, "add", add)
    line = append(files, b"- two\n")

    assert day(files).read_bytes() == b"- one\nhalf a thought\n- two\n"
    # The line that is named is that of the entry; a leading newline belongs to what stood there before.
    assert day(files).read_bytes().split(b"\n")[line - 1] == b"- two"


def test_a_full_disk_takes_back_our_half_line_and_nothing_of_a_person_who_appended(
    files: Files, monkeypatch: pytest.MonkeyPatch
) -> None:
    append(files, b"- one\n")
    real = os.write

    def write(fd: int, data: bytes) -> int:
        if bytes(data) == b"- two\n":
            with open(day(files), "ab") as file:
                file.write(b"a person's\n")
            return real(fd, b"- t")
        if bytes(data) == b"wo\n":
            raise OSError(errno.ENOSPC, "full")
        return real(fd, data)

    monkeypatch.setattr(os, "write", write)
    with pytest.raises(DiskError, match="disk is full"):
        append(files, b"- two\n")

    assert day(files).read_bytes() == b"- one\na person's\n"


def test_a_line_whose_sync_failed_does_not_stay(files: Files, monkeypatch: pytest.MonkeyPatch) -> None:
    append(files, b"- one\n")
    inode = day(files).stat().st_ino
    real = os.fsync

    def fsync(fd: int) -> None:
        if os.fstat(fd).st_ino == inode:
            raise OSError(errno.EIO, "broken")
        real(fd)

    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", fsync)
        with pytest.raises(DiskError):
            append(files, b"- two\n")
    append(files, b"- two\n")

    assert day(files).read_bytes() == b"- one\n- two\n"


def test_a_file_that_is_swapped_while_we_write_gets_the_line_too(files: Files, monkeypatch: pytest.MonkeyPatch) -> None:
    append(files, b"- one\n")
    real, swapped = local_dir.add, []

    def add(*args: object, **kwargs: object) -> int:
        number = real(*args, **kwargs)  # type: ignore[arg-type]
        if not swapped:
            swapped.append(number)
            Path(files.root, "new").write_bytes(b"- one, edited\n")
            os.rename(f"{files.root}/new", day(files))
        return number

    monkeypatch.setattr(local_dir, "add", add)
    append(files, b"- two\n")

    assert day(files).read_bytes() == b"- one, edited\n- two\n"


def test_a_torn_record_of_changes_is_passed_over(files: Files) -> None:
    append(files, b"- one\n")
    with open(f"{files.root}/{local_dir.CHANGES}", "ab") as file:
        file.write(b'{"number":2,"change":"lo')

    append(files, b"- two\n")

    assert [record["number"] for record in local_dir.changes(files)] == [1, 2]


def test_a_line_longer_than_the_window_of_the_records_is_still_remembered(files: Files) -> None:
    # In the record a character may take twelve bytes: a long entry is longer than what is read at first.
    for _ in range(3):
        append(files, ("- " + "🌹" * 60_000 + "\n").encode())

    last = local_dir.last(files)

    assert last is not None
    assert last["number"] == 3
    assert local_dir.changes(files)[-1]["number"] == 3


def test_shortening_the_records_keeps_the_newest_however_long_it_is(files: Files) -> None:
    local_dir.prepare(files)
    with open(f"{files.root}/{local_dir.CHANGES}", "ab") as file:
        for number in range(1, 13_000):
            file.write(json.dumps({"number": number, "change": "x", "pad": "." * 70}).encode() + b"\n")

    append(files, b"- " + b"y" * 200_000 + b"\n")
    append(files, b"- next\n")

    numbers = [record["number"] for record in local_dir.changes(files)]
    assert numbers[-2:] == [13_000, 13_001]
    assert files.size(local_dir.CHANGES) < 1 << 20


def test_where_the_records_were_lost_numbers_do_not_come_back(files: Files) -> None:
    files.make_folder(f"{local_dir.UNDO}/000007")

    number = local_dir.add(files, {"change": "x"}, previous=local_dir.last(files))

    assert number == 8


def test_an_empty_gitignore_that_a_killed_process_left_is_filled(files: Files) -> None:
    files.make_folder(local_dir.FOLDER)
    Path(files.root, ".agentws/.gitignore").touch()

    append(files, b"- one\n")

    assert Path(files.root, ".agentws/.gitignore").read_bytes() == b"*\n"
