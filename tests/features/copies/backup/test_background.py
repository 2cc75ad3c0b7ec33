"""Backups that hooks make when a session has ended: where they go, and what they do where they cannot be made."""

from __future__ import annotations

import subprocess
from datetime import timedelta
from pathlib import Path

import pytest

from agentws.core.disk import lock
from agentws.errors import MissingFileError
from agentws.features.copies.backup import background, create
from agentws.features.copies.backup.restore import restore_backup
from agentws.features.copies.backup.verify import verify_backup
from agentws.workspace import Environment, Workspace, list_backups
from tests.conftest import NOW
from tests.features.copies.backup.trees import held


def told(robin: Workspace) -> str:
    (check,) = [one for one in robin.status().checks if one.name == "backup"]
    return check.says


def names(dest: Path | str) -> list[str]:
    return [one.name[:4] for one in list_backups(str(dest))]


def test_what_the_newest_backup_lacks_is_in_the_next_one(robin: Workspace, stick: Path, tmp_path: Path) -> None:
    robin.copies.create(str(stick), rule="2")
    for number in range(2):
        robin.event("note", f"newer {number}")
        robin.log(f"line {number}")

        robin.plumbing.backup_aside()

    assert names(stick) == ["0002", "0003"], "the rule holds for them, too"
    assert verify_backup(str(stick)).well
    restore_backup(str(stick), str(tmp_path / "back"))
    assert held(tmp_path / "back") == held(robin.root)
    assert told(robin).endswith("all events and documents are in it")


def test_where_there_is_no_backup_none_is_made(robin: Workspace, stick: Path) -> None:
    robin.plumbing.backup_aside()

    assert not stick.exists()
    assert robin.copies.list() == []


def test_a_medium_that_is_not_there_is_told_and_tried_again(
    robin: Workspace, stick: Path, environment: Environment
) -> None:
    robin.copies.create(str(stick))
    stick.rename(stick.with_name("drawer"))
    robin.event("note", "newer")
    environment.now = NOW + timedelta(minutes=5)

    robin.plumbing.backup_aside()

    later = Workspace.open(robin.root, environment=environment)
    assert not stick.exists(), "nothing is written where the medium is not mounted"
    assert "; at a session's end it fails since " in told(later)
    assert told(later).endswith("; 1 event not in it, the last event 5 min ago")
    assert later.status().well, "a stick is not always there"
    stick.with_name("drawer").rename(stick)
    robin.plumbing.backup_aside()
    assert told(robin).endswith("all events and documents are in it")
    assert "fails" not in told(robin)


def test_hooks_make_no_more_backups_where_they_are_not_to_until_they_are_again(robin: Workspace, stick: Path) -> None:
    robin.copies.create(str(stick), hooks=False)
    robin.copies.create()
    robin.plumbing.backup_aside()
    assert names(stick) == ["0001", "0002"]

    robin.copies.create(hooks=True)
    robin.plumbing.backup_aside()

    assert names(stick) == ["0001", "0002", "0003", "0004"]


def test_what_was_said_holds_also_where_the_medium_was_not_there(robin: Workspace, stick: Path) -> None:
    robin.copies.create(str(stick))
    stick.rename(stick.with_name("drawer"))

    with pytest.raises(MissingFileError):
        robin.copies.create(hooks=False)

    assert not robin.copies.list()[0].by_hooks


def test_only_folders_get_them_without_a_word(robin: Workspace, tmp_path: Path) -> None:
    subprocess.run(["git", "init", "-q", "--bare", str(tmp_path / "depot.git")], check=True)
    dest = f"git:{tmp_path}/depot.git"
    robin.copies.create(dest)
    robin.plumbing.backup_aside()
    assert names(dest) == ["0001"]

    robin.copies.create(hooks=True)
    robin.plumbing.backup_aside()

    assert names(dest) == ["0001", "0002", "0003"]


def test_one_that_runs_is_waited_for_and_else_left_alone(
    robin: Workspace, stick: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    robin.copies.create(str(stick))
    monkeypatch.setattr(background, "_TIMEOUT_S", 0.0)

    with lock.Lock(robin.stores.files, create.LOCK, timeout_s=1.0, note="backup"):
        robin.plumbing.backup_aside()

    assert names(stick) == ["0001"]
    assert not robin.copies.list()[0].hooks_failed


def test_what_has_moved_away_gets_none(robin: Workspace, stick: Path, tmp_path: Path) -> None:
    robin.copies.create(str(stick))
    robin.copies.migrate(str(tmp_path / "elsewhere"))

    robin.plumbing.backup_aside()

    assert names(stick) == ["0001"]
