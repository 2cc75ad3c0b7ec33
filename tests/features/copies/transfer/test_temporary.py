"""Folders for what another place gives back: they go when they are not needed, also those of processes that died."""

from __future__ import annotations

import fcntl
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from contextlib import suppress
from pathlib import Path

import pytest

from agentws.errors import DiskError
from agentws.features.copies.transfer import receiver, temporary
from agentws.workspace import Environment, Workspace
from tests.conftest import NOW

KINDS = (temporary.BACKUP, temporary.DRILL, temporary.PARCEL)
RESTIC = """#!/bin/sh
case "$*" in
*snapshots*) cat {place}/snapshots ;;
*dump*) cat {place}/manifest.jsonl ;;
*restore*)
    for word; do case "$word" in --target=*) echo plain >"${{word#--target=}}/half" ;; esac; done
    echo $$ >{place}/fifo
    exec sleep 600 ;;
esac
"""


@pytest.fixture(autouse=True)
def within(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    place = tmp_path / "temporary"
    place.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(place))
    return place


def killed(prefix: str) -> Path:
    """A folder that a killed process has left."""
    inner, outer = os.pipe()
    child = os.fork()
    if not child:
        place = temporary.folder(prefix=prefix)
        Path(place, "plain").mkdir(mode=0o500)
        os.write(outer, place.encode())
        os.kill(os.getpid(), signal.SIGKILL)
    os.waitpid(child, 0)
    os.close(outer)
    with open(inner, "rb") as told:
        return Path(told.read().decode())


def test_what_a_killed_process_has_left_goes_and_nothing_else(within: Path) -> None:
    mine = temporary.folder()
    (within / "agentws-backup-link").symlink_to(mine)
    (within / "agentws-drill-file").write_bytes(b"")
    (within / "other").mkdir()
    left = [killed(prefix) for prefix in KINDS]
    assert left[-1].is_dir()

    temporary.sweep()

    stays = {"agentws-backup-link", "agentws-drill-file", "other", os.path.basename(mine)}
    assert {*os.listdir(within)} == stays
    assert not [place for place in left if place.exists()]


def test_what_another_process_uses_stays(within: Path) -> None:
    tried = receiver.Receiver()
    place = tried.trial_folder()
    mine = temporary.folder(prefix=temporary.DRILL)
    child = os.fork()
    if not child:
        temporary._held.clear()  # as a process of its own: nothing in it is known
        temporary.sweep()
        os._exit(0)
    os.waitpid(child, 0)
    assert os.path.isdir(mine)
    assert os.path.isdir(os.path.dirname(place))

    tried.close()
    temporary.remove(mine)

    assert os.listdir(within) == []


def test_the_next_folder_sweeps_and_too_little_room_is_told(within: Path) -> None:
    left = killed(temporary.BACKUP)

    place = temporary.folder()

    assert os.listdir(within) == [os.path.basename(place)]
    assert not left.exists()
    with pytest.raises(DiskError, match="MiB free"):
        temporary.folder(1 << 60)


def test_a_folder_that_another_process_swept_before_it_was_locked_is_made_again(
    within: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make, made = tempfile.mkdtemp, []

    def swept(prefix: str, dir: str | None = None) -> str:
        place = make(prefix=prefix, dir=dir)
        made.append(place)
        if len(made) == 1:
            os.rmdir(place)
        return place

    monkeypatch.setattr("tempfile.mkdtemp", swept)

    assert temporary.folder(prefix=temporary.DRILL) == made[1]


def test_where_no_folder_can_be_locked_none_is_taken_for_dead(within: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(*_: object) -> None:
        raise OSError(95, "not supported")

    (within / "agentws-backup-old").mkdir()
    monkeypatch.setattr("fcntl.flock", refused)

    place = temporary.folder()

    assert {*os.listdir(within)} == {"agentws-backup-old", os.path.basename(place)}


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_a_restore_that_is_terminated_leaves_nothing(tmp_path: Path, within: Path, number: signal.Signals) -> None:
    environment = Environment(now=NOW, timezone="UTC", state=(None, str(tmp_path / "state")))
    robin = Workspace.init(str(tmp_path / "robin"), environment=environment, name="Robin")
    (made,) = robin.copies.create(str(tmp_path / "stick"))
    shutil.copy(Path(made.path, "manifest.jsonl"), tmp_path)
    tags = ["agentws", f"agent:{robin.stores.manifest.agent_id}", f"backup:{made.name}"]
    (tmp_path / "snapshots").write_text(json.dumps([{"id": "0" * 64, "tags": tags}]))
    os.mkfifo(tmp_path / "fifo")
    (tmp_path / "restic").write_text(RESTIC.format(place=tmp_path))
    (tmp_path / "restic").chmod(0o755)
    words = [sys.executable, "-m", "agentws", "backup", "restore", "restic:there", str(tmp_path / "new")]
    env = {**os.environ, "PATH": f"{tmp_path}:{os.environ['PATH']}", "TMPDIR": str(within)}
    running = subprocess.Popen(words, env=env, stderr=subprocess.DEVNULL)
    child = int((tmp_path / "fifo").read_text())
    assert len(list(within.glob("agentws-backup-*/half"))) == 1

    running.send_signal(number)

    assert running.wait(timeout=60) == 128 + number
    with suppress(ProcessLookupError):
        os.kill(child, signal.SIGKILL)  # where the signal came before it was known that it runs
    assert os.listdir(within) == []


def test_what_another_process_takes_away_before_it_is_held_is_made_again(
    within: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lock = fcntl.flock
    taken: list[Path] = []

    def swept(fd: int, how: int) -> None:
        lock(fd, how)
        if not taken:  # somebody had the lock until now, and has removed the folder
            taken.extend(within.iterdir())
            taken[0].rmdir()

    monkeypatch.setattr(fcntl, "flock", swept)
    there = receiver.Receiver()

    place = Path(there.trial_folder()).parent

    assert place.is_dir()
    assert place not in taken
    there.close()
    assert list(within.iterdir()) == []
