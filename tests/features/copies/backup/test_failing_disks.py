"""Disks that fill up or fail while a backup is made, read or restored: each message names the right disk and remedy."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from agentws.core.disk import files
from agentws.errors import AgentwsError, DiskError
from agentws.features.copies.backup.checks import FAILING_DISK
from agentws.features.copies.backup.store import folder
from agentws.workspace import Workspace, list_backups, restore_backup, verify_backup
from tests.hostile.test_refusing_disks import refuse

FULL = "the disk is full"


def failing(monkeypatch: pytest.MonkeyPatch, name: str, place: Path, code: int) -> None:
    """Let this call on each file beneath `place` fail."""
    real = getattr(os, name)

    def call(fd: int, *args: object) -> object:
        if os.readlink(f"/proc/self/fd/{fd}").startswith(str(place)):
            raise OSError(code, os.strerror(code))
        return real(fd, *args)

    monkeypatch.setattr(os, name, call)


def states(robin: Workspace) -> list[tuple[str, str]]:
    """What status and doctor say of backups, with the remedy."""
    findings = [(one.says, one.remedy) for one in robin.doctor().findings if one.name == "backup-failing"]
    assert [one.ok for one in robin.status().checks if one.name == "backup"] == ([False] if findings else [True])
    return findings


@pytest.mark.parametrize("begun", [False, True])
@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EDQUOT, errno.EIO, errno.EROFS])
def test_a_failed_backup_shows_with_its_cause_until_one_succeeds(
    robin: Workspace, stick: Path, monkeypatch: pytest.MonkeyPatch, code: int, begun: bool
) -> None:
    if begun:
        robin.copies.create(str(stick))
        robin.log("More")
    with monkeypatch.context() as patch:
        failing(patch, "write", stick, code)
        with pytest.raises(DiskError) as failed:
            robin.copies.create(str(stick))

    assert failed.value.message.startswith(f"{stick}/")
    ((says, remedy),) = states(robin)
    assert failed.value.message in says
    assert ("detach" in remedy) == (code != errno.EIO)
    assert (remedy == FAILING_DISK) == (code == errno.EIO)
    robin.copies.create()
    assert states(robin) == []


def test_a_destination_whose_first_backup_failed_can_be_detached(
    robin: Workspace, stick: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        failing(patch, "write", stick, errno.ENOSPC)
        with pytest.raises(DiskError):
            robin.copies.create(str(stick))

    robin.copies.detach(str(stick))

    assert not [one for one in robin.doctor().findings if one.name.startswith("backup")]


def test_a_wrong_name_is_no_destination(robin: Workspace) -> None:
    with pytest.raises(AgentwsError):
        robin.copies.create(str(Path(robin.root) / "within"))

    assert not [one for one in robin.doctor().findings if one.name.startswith("backup")]


def restore(robin: Workspace, stick: Path, to: Path) -> None:
    restore_backup(str(stick), str(to), environment=robin.stores.environment)


FULL_DISKS: dict[str, tuple[str, Callable[[Workspace, Path, Path], object]]] = {
    "the medium": ("media", lambda robin, stick, _: robin.copies.create(str(stick))),
    "the destination of a restore": ("new", lambda robin, stick, to: restore(robin, stick, to)),
    "its hidden copy": (".new", lambda robin, stick, to: restore(robin, stick, to)),
    "the destination of a move": (".new", lambda robin, _, to: robin.copies.migrate(str(to))),
}


@pytest.mark.parametrize("disk", FULL_DISKS)
def test_the_full_disk_is_the_one_that_is_named(
    robin: Workspace, stick: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, disk: str
) -> None:
    robin.copies.create(str(stick))
    robin.log("More")
    place, act = FULL_DISKS[disk]
    failing(monkeypatch, "write", tmp_path / place, errno.ENOSPC)

    with pytest.raises(DiskError, match=FULL) as failed:
        act(robin, stick, tmp_path / "new")

    said = failed.value.message
    assert str(tmp_path / place.lstrip(".")) in said.partition(FULL)[0]


@pytest.mark.parametrize("code", [errno.EINVAL, errno.ENOTSUP, errno.EOPNOTSUPP, errno.ENOSYS])
def test_a_backup_on_a_disk_that_cannot_sync_folders_is_made_with_a_warning(
    code: int, robin: Workspace, stick: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(files, "unsynced", set())
    monkeypatch.setattr(folder, "_device", lambda place: os.stat(place).st_dev if place != robin.root else 0)
    says = f"{stick} is on a disk that cannot sync folders, so a power cut may take the newest backup away."

    with monkeypatch.context() as patch:
        refuse(patch, "sync of folders", code)
        warned = [robin.copies.create(str(stick))[0].notices for _ in range(2)]
    files.unsynced.clear()

    assert [says in notices for notices in warned] == [True, True]
    assert says not in robin.copies.create()[0].notices
    assert len(list_backups(str(stick))) == 3


def test_a_disk_that_cannot_be_read_is_to_be_kept_until_there_is_another_backup(
    robin: Workspace, stick: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (made,) = robin.copies.create(str(stick))
    failing(monkeypatch, "read", Path(made.path) / "workspace/memory", errno.EIO)

    done = verify_backup(str(stick))

    assert done.is_unread
    assert not done.well


@pytest.mark.parametrize("name", ["manifest.jsonl", ""], ids=["a manifest", "the folder"])
def test_a_backup_that_cannot_be_looked_at_is_an_error_and_not_one_that_is_gone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    made = Workspace.init(str(tmp_path / "robin"), name="Robin", git=False)
    stick = tmp_path / "stick"
    made.copies.create(str(stick))
    (place,) = (str(path) for path in stick.iterdir() if path.is_dir())
    known = folder.FolderBackups(place)
    real = os.lstat

    def look(path: str, **more: Any) -> os.stat_result:
        if path == place if not name else os.path.basename(path) == name:
            raise OSError(errno.EIO, os.strerror(errno.EIO))
        return real(path, **more)

    monkeypatch.setattr(os, "lstat", look)
    with pytest.raises(DiskError):
        _ = known.names() if name else known.exists
