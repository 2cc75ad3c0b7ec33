"""All or nothing, and no edit of anybody else is lost."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from agentws.changes import ChangeSet, Move, Remove, Write
from agentws.core.disk import local_dir, lock
from agentws.core.disk.change import transaction
from agentws.core.disk.files import Files
from agentws.core.formats import digest
from agentws.errors import ChangedUnderneathError, DiskError, LockHeldError


@pytest.fixture
def files(tmp_path: Path) -> Files:
    (tmp_path / "MEMORY.md").write_bytes(b"old\n")
    (tmp_path / "agentws.toml").write_bytes(b"format = 1\n")
    return Files(str(tmp_path))


def write(files: Files, path: str, data: bytes) -> Write:
    return Write(path, data, expects=files.digest(path))


def edit(files: Files, path: str, data: bytes) -> None:
    """As an editor does that writes into the file it has open."""
    with open(f"{files.root}/{path}", "r+b") as file:
        file.truncate()
        file.write(data)


def before_call(monkeypatch: pytest.MonkeyPatch, name: str, act: Callable[[], None], *, to: str) -> None:
    """Let `act` happen once, right before `os.<name>` is called for something named `to`."""
    real = getattr(os, name)
    done = []

    def call(*args: object, **kwargs: object) -> object:
        if to in args and not done:
            done.append(True)
            act()
        return real(*args, **kwargs)

    monkeypatch.setattr(os, name, call)


def pend(files: Files, changes: ChangeSet, *, applied: int) -> None:
    """What a transaction leaves that was killed after `applied` of its changes."""
    local_dir.prepare(files)
    number = local_dir.add(files, {"change": "transaction", "verb": changes.verb}, previous=local_dir.last(files))
    transaction._record(files, f"{local_dir.UNDO}/{number:06d}.pending", changes, transaction._before(files, changes))
    for change in changes.changes[:applied]:
        transaction._make_change(files, change, set(), set())


@pytest.mark.parametrize("path", ["MEMORY.md", "agentws.toml"])
def test_an_edit_between_read_and_write_stops_the_change_and_both_versions_are_safe(files: Files, path: str) -> None:
    change = ChangeSet("compact", (write(files, "SOUL.md", b"new\n"), write(files, path, b"new\n")))
    edit(files, path, b"edited\n")

    with pytest.raises(ChangedUnderneathError) as raised:
        transaction.apply(files, change)

    assert raised.value.exit_code == 13
    assert files.read(path) == b"edited\n"
    assert not files.exists("SOUL.md")


@pytest.mark.parametrize("call", ["link", "rename"])
def test_an_edit_into_the_old_file_during_its_replacement_is_kept_beside(
    files: Files, monkeypatch: pytest.MonkeyPatch, call: str
) -> None:
    change = ChangeSet("compact", (write(files, "MEMORY.md", b"new\n"),))
    before_call(monkeypatch, call, lambda: edit(files, "MEMORY.md", b"edited\n"), to="MEMORY.md")

    applied = transaction.apply(files, change)

    assert applied.kept_beside == ("MEMORY.md.edited-meanwhile-1",)
    assert files.read("MEMORY.md") == b"new\n"
    assert files.read("MEMORY.md.edited-meanwhile-1") == b"edited\n"


def test_an_edit_during_a_removal_is_kept_beside(files: Files, monkeypatch: pytest.MonkeyPatch) -> None:
    change = ChangeSet("undo", (Remove("MEMORY.md", expects=files.digest("MEMORY.md")),))
    before_call(monkeypatch, "rename", lambda: edit(files, "MEMORY.md", b"edited\n"), to="MEMORY.md")

    applied = transaction.apply(files, change)

    assert not files.exists("MEMORY.md")
    assert [files.read(path) for path in applied.kept_beside] == [b"edited\n"]


def test_an_edit_in_the_old_file_survives_a_folder_sync_that_fails(
    files: Files, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = os.stat(files.root).st_ino
    real_rename, real_sync = os.rename, os.fsync
    replaced = []

    def rename(*args: object, **kwargs: object) -> None:
        if "MEMORY.md" in args and not replaced:
            replaced.append(True)
            edit(files, "MEMORY.md", b"edited\n")
        real_rename(*args, **kwargs)  # type: ignore[arg-type]

    def fsync(fd: int) -> None:
        if replaced == [True] and os.fstat(fd).st_ino == root:
            replaced.append(True)
            raise OSError(errno.EIO, "broken")
        real_sync(fd)

    monkeypatch.setattr(os, "rename", rename)
    monkeypatch.setattr(os, "fsync", fsync)
    with pytest.raises(DiskError):
        transaction.apply(files, ChangeSet("compact", (write(files, "MEMORY.md", b"new\n"),)))

    assert files.read("MEMORY.md") == b"old\n"
    assert files.read("MEMORY.md.edited-meanwhile-1") == b"edited\n"


def test_a_failure_in_the_middle_puts_every_file_back(files: Files) -> None:
    (Path(files.root) / "contexts").write_bytes(b"a file where a folder should be")
    changes = ChangeSet(
        "new",
        (
            write(files, "MEMORY.md", b"new\n"),
            Remove("agentws.toml", expects=files.digest("agentws.toml")),
            Move("MEMORY.md", "contexts/x.md", expects=digest.of(b"old\n")),
        ),
    )

    with pytest.raises(Exception, match="contexts"):
        transaction.apply(files, changes)

    assert files.read("MEMORY.md") == b"old\n"
    assert files.read("agentws.toml") == b"format = 1\n"
    assert not local_dir.interrupted(files)


def test_a_change_killed_half_way_is_put_back_and_the_next_one_told_to_start_again(files: Files) -> None:
    pend(files, ChangeSet("x", (write(files, "MEMORY.md", b"new\n"), write(files, "SOUL.md", b"s\n"))), applied=1)
    change = ChangeSet("y", (write(files, "USER.md", b"u\n"),))

    with pytest.raises(ChangedUnderneathError, match="was reverted"):
        transaction.apply(files, change)
    assert files.read("MEMORY.md") == b"old\n"

    transaction.apply(files, change)
    assert files.read("USER.md") == b"u\n"


@pytest.mark.parametrize("path", ["MEMORY.md", "NEW.md"], ids=["replaced", "made"])
def test_a_recovery_that_is_killed_too_takes_what_the_change_wrote_for_no_edit(
    files: Files, path: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Killed(BaseException):
        pass

    before = set(os.listdir(files.root))
    pend(files, ChangeSet("compact", (write(files, path, b"new\n"), write(files, "SOUL.md", b"new\n"))), applied=1)
    old = f".{path}.agentws-old"
    with monkeypatch.context() as patch:
        real = Files._late_edit

        def late_edit(self: Files, folder: int, of: str, *args: str) -> str | None:
            if os.path.lexists(f"{files.root}/{old}"):
                raise Killed
            return real(self, folder, of, *args)

        patch.setattr(Files, "_late_edit", late_edit)
        with pytest.raises(Killed):
            transaction.recover(files)

    transaction.recover(files)

    assert set(os.listdir(files.root)) - {".agentws"} == before
    assert files.read("MEMORY.md") == b"old\n"


def test_a_change_killed_after_its_last_step_is_finished_and_can_be_undone(files: Files) -> None:
    pend(files, ChangeSet("x", (write(files, "MEMORY.md", b"new\n"),)), applied=1)

    transaction.apply(files, ChangeSet("y", (write(files, "USER.md", b"u\n"),)))

    assert files.read("MEMORY.md") == b"new\n"
    assert transaction.is_applied(files, 1)
    assert transaction.inverse(files, 1).paths == ("MEMORY.md",)


def test_what_stood_there_is_not_thrown_away_where_somebody_edited_after_the_kill(files: Files) -> None:
    pend(files, ChangeSet("x", (write(files, "MEMORY.md", b"new\n"), write(files, "SOUL.md", b"s\n"))), applied=1)
    edit(files, "MEMORY.md", b"theirs\n")

    transaction.settle(files)

    assert files.read("MEMORY.md") == b"theirs\n"
    assert files.read(f"{local_dir.QUARANTINE}/MEMORY.md.1") == b"old\n"
    assert transaction.settle(files) == []


def test_a_file_put_where_a_move_came_from_does_not_block_the_recovery(files: Files) -> None:
    move = Move("MEMORY.md", "archive.md", expects=files.digest("MEMORY.md"))
    pend(files, ChangeSet("x", (move, write(files, "SOUL.md", b"s\n"))), applied=1)
    (Path(files.root) / "MEMORY.md").write_bytes(b"theirs\n")

    transaction.settle(files)

    assert files.read("MEMORY.md") == b"theirs\n"
    assert files.read("archive.md") == b"old\n"
    assert not local_dir.interrupted(files)


def test_a_record_that_cannot_be_read_for_a_moment_is_not_taken_for_none(
    files: Files, monkeypatch: pytest.MonkeyPatch
) -> None:
    pend(files, ChangeSet("x", (write(files, "MEMORY.md", b"new\n"), write(files, "SOUL.md", b"s\n"))), applied=1)
    real = os.stat

    def stat(path: object, **kwargs: object) -> object:
        if path == "000001.pending":
            raise OSError(errno.EIO, "broken")
        return real(path, **kwargs)  # type: ignore[arg-type]

    with monkeypatch.context() as patch:
        patch.setattr(os, "stat", stat)
        with pytest.raises(DiskError):
            transaction.settle(files)
    transaction.settle(files)

    assert files.read("MEMORY.md") == b"old\n"


def test_a_killed_replacement_that_only_linked_leaves_no_second_name(files: Files) -> None:
    pend(files, ChangeSet("x", (write(files, "MEMORY.md", b"new\n"),)), applied=0)
    os.link(f"{files.root}/MEMORY.md", f"{files.root}/.MEMORY.md.agentws-old")
    edit(files, "MEMORY.md", b"edited\n")

    transaction.settle(files)

    assert files.read("MEMORY.md") == b"edited\n"
    assert [name for name, _ in files.names() if "MEMORY" in name] == ["MEMORY.md"]


def test_what_a_kill_left_in_quarantine_goes_with_the_next_change_and_the_kept_bytes_stay(files: Files) -> None:
    local_dir.prepare(files)
    kept = local_dir.quarantine(files, "2026-11-20.md", b"- 09:00 tor")
    os.link(f"{files.root}/{kept}", f"{files.root}/{local_dir.QUARANTINE}/.2026-11-20.md.1.agentws-new")

    transaction.apply(files, ChangeSet("x", (write(files, "MEMORY.md", b"new\n"),)))

    assert [name for name, _ in files.names(local_dir.QUARANTINE)] == ["2026-11-20.md.1"]
    assert files.read(kept) == b"- 09:00 tor"


def test_another_transaction_is_waited_for_and_then_refused(files: Files, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(transaction, "_LOCK_TIMEOUT_S", 0.02)
    local_dir.prepare(files)

    with (
        lock.Lock(files, lock.TRANSACTION, timeout_s=0),
        pytest.raises(LockHeldError),
    ):
        transaction.apply(files, ChangeSet("x", (write(files, "MEMORY.md", b"new\n"),)))

    assert files.read("MEMORY.md") == b"old\n"


def test_only_the_newest_records_are_kept(files: Files) -> None:
    for number in range(53):
        transaction.apply(files, ChangeSet("x", (write(files, "MEMORY.md", b"%d" % number),)))

    assert [transaction.is_applied(files, number) for number in (1, 3, 4, 53)] == [False, False, True, True]
