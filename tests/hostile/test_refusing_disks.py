"""Disks that refuse a call altogether (SMB, vboxsf, DrvFs, NFS without lockd): go on where that is safe, else say why.

Table of what refuses x the main verbs, in one workspace each, so that a verb meets what the earlier ones left.
"""

from __future__ import annotations

import errno
import fcntl
import os
import stat
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from agentws.core.disk import files
from agentws.features.copies.transfer import disk
from tests.hostile.worlds import run_here

VERBS = (
    "init . --name Robin", "log Painted", "todo brushes", "done brushes", "remember paint", "remember varnish", "boot",
    "status", "doctor", "doctor --fix", "handoff --next paint", "task add Fence", "task edit fence --goal x",
    "config timezone Europe/Berlin", "event note x=1", "journal seal", "journal verify", "search paint", "undo",
    "undo --redo", "compact --yes", "curate", "forget --matching varnish --yes", "backup create ../copies",
    "backup verify ../copies", "backup restore ../copies ../restored", "drill ../copies", "sync ../remote",
    "install claude-code", "migrate ../moved --yes",
)  # fmt: skip
READING = {"boot", "status", "doctor", "journal verify", "search paint", "curate", "doctor --fix"}
PLAIN_DISK = "The disk of the destination keeps no modes or times of files, and a move has to keep them."
NO_LOCKS = ".lock: this disk offers no locks.\n  Mount it with locks"
NOTHING_THERE = ("contains no backups", "contains no complete backup", "Nothing to redo")
UNSYNCED = "cannot sync folders, so a power cut may take the newest files away"


def refusing(
    real: Callable[..., object], code: int, when: Callable[..., bool] = lambda *_: True
) -> Callable[..., object]:
    def call(*args: object, **more: object) -> object:
        if when(*args):
            raise OSError(code, os.strerror(code))
        return real(*args, **more)

    return call


def is_folder(fd: int) -> bool:
    return stat.S_ISDIR(os.fstat(fd).st_mode)


def refuse(monkeypatch: pytest.MonkeyPatch, kind: str, code: int) -> None:
    if kind == "sync of folders":
        monkeypatch.setattr(os, "fsync", refusing(os.fsync, code, is_folder))
        monkeypatch.setattr(disk, "_syncfs", lambda _: False)
    if kind == "locks":
        monkeypatch.setattr(fcntl, "flock", refusing(fcntl.flock, code))
    for name in {"modes": ("fchmod", "chmod"), "owners": ("fchown", "chown"), "times": ("utime",)}.get(kind, ()):
        monkeypatch.setattr(os, name, refusing(getattr(os, name), code))


@pytest.fixture(autouse=True)
def _no_device_is_known() -> Iterator[None]:
    files.unsynced.clear()
    yield
    files.unsynced.clear()


KINDS = [
    *[("sync of folders", code) for code in (errno.EINVAL, errno.ENOTSUP)],
    *[(kind, code) for kind in ("modes", "times") for code in (errno.EPERM, errno.EINVAL, errno.ENOTSUP)],
    ("owners", errno.EPERM),
]


@pytest.mark.parametrize(("kind", "code"), KINDS, ids=str)
def test_every_verb_goes_on_where_a_disk_refuses(
    kind: str, code: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = tmp_path / "agent"
    home.mkdir()
    (tmp_path / "copies").mkdir()
    (tmp_path / "remote").mkdir()
    refuse(monkeypatch, kind, code)
    warned = []

    for verb in VERBS:
        ran = run_here(*verb.split(), cwd=home)

        assert ran.code in (0, 3) or PLAIN_DISK in ran.said, f"{verb}: {ran}"
        assert "bug in agentws" not in ran.said
        assert ": : " not in ran.said
        assert not ran.said.startswith("agentws: : ")
        warned += [verb] if UNSYNCED in ran.said else []

    is_unsynced = kind == "sync of folders"
    assert warned == (["init . --name Robin"] if is_unsynced else [])


@pytest.mark.parametrize("verb", ["status", "doctor"])
def test_status_and_doctor_name_a_disk_that_cannot_sync_folders(
    verb: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        refuse(patch, "sync of folders", errno.EINVAL)
        run_here("init", ".", cwd=tmp_path)
        files.unsynced.clear()
        ran = run_here(verb, cwd=tmp_path)
        assert UNSYNCED in ran.text
        assert ran.code == 3
    files.unsynced.clear()

    assert UNSYNCED not in run_here(verb, cwd=tmp_path).text  # moved to another disk


@pytest.mark.parametrize("code", [errno.ENOLCK, errno.EOPNOTSUPP, errno.ENOSYS, errno.EINVAL])
def test_without_locks_reading_goes_on_and_every_change_is_refused_with_the_cause(
    code: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "copies").mkdir()
    (tmp_path / "remote").mkdir()
    home = tmp_path / "agent"
    home.mkdir()
    for verb in ("init . --name Robin", "log Painted", "remember paint"):
        assert run_here(*verb.split(), cwd=home).code == 0
    before = (home / "MEMORY.md").read_bytes()
    refuse(monkeypatch, "locks", code)

    for verb in VERBS[1:]:
        ran = run_here(*verb.split(), cwd=home)

        assert "bug in agentws" not in ran.said
        if ran.code == 1 and not any(words in ran.said for words in NOTHING_THERE):
            assert NO_LOCKS in ran.said, f"{verb}: {ran}"
        assert (ran.code in (0, 3)) >= (verb in READING - {"curate"}), f"{verb}: {ran}"
        if verb in ("status", "doctor", "doctor --fix"):
            assert "is on a disk that has no locks, so agentws can only read" in ran.text
    assert (home / "MEMORY.md").read_bytes() == before


def test_a_file_keeps_its_mode_and_gets_no_more_rights_where_modes_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run_here("init", ".", cwd=tmp_path)
    memory = tmp_path / "MEMORY.md"
    memory.chmod(0o600)
    refuse(monkeypatch, "modes", errno.EPERM)

    assert run_here("remember", "paint", cwd=tmp_path).code == 0

    assert stat.S_IMODE(memory.stat().st_mode) == 0o600


@pytest.mark.parametrize("code", [errno.EIO, errno.ENOSPC])
def test_a_disk_that_fails_to_sync_a_folder_is_an_error_as_before(
    code: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run_here("init", ".", cwd=tmp_path)
    refuse(monkeypatch, "sync of folders", code)

    assert run_here("remember", "paint", cwd=tmp_path).code == 1


def test_no_message_begins_with_an_empty_path() -> None:
    said = files.failure(OSError(errno.EINVAL, "Invalid argument"), "").message

    assert said == "the workspace's folder: Invalid argument."
