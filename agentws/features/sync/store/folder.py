"""A sync repository that agentws makes in a folder, as on a USB stick: made atomically and kept durable."""

from __future__ import annotations

import fcntl
import os
import shutil
import time
from contextlib import contextmanager

from agentws.core.disk import files as _files
from agentws.core.formats.travel import sync_state
from agentws.core.states import plumbing, private
from agentws.errors import LockHeldError, OutsideProgramError
from agentws.features.sync.store import disk_repository

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

INCOMING = "refs/agentws/incoming/"
"""A push into a repository of ours has two steps: what a ref names is durable before the ref names it."""
_MAKING = ".agentws-new-"
_OLD_S = 3600
_LOCK = "agentws.lock"
_LOCKS_OF_GIT = ("packed-refs.lock", "HEAD.lock", "config.lock")
_REFS, _SUFFIX = "refs/agentws", ".lock"
_LEFT_S = 60
_PATIENCE_S, _LOOK_S = 10.0, 0.05
_SETTINGS = b"""[core]
\tfsync = all
\tlogAllRefUpdates = false
[receive]
\tfsckObjects = true
\tunpackLimit = 1
\tautogc = false
[gc]
\tauto = 0
[agentws]
\tmade = true
"""
_TIDIED = ("-a", "-d", "-q")


def make(place: str) -> None:
    """Make an empty repository at this path, atomically and durably. DiskError if the disk refuses."""
    folder = os.path.dirname(place)
    if os.path.lexists(place):
        raise OutsideProgramError(
            f"{place} is not a git repository, or a damaged one.",
            hint="Move this folder away and re-run. Each machine then puts all of its files into a new one.",
        )
    try:
        _sweep(folder)
        aside = f"{folder}/{_MAKING}{os.urandom(8).hex()}"
        os.mkdir(aside, 0o700)  # whoever can read it reads all of the agent
        plumbing.create_bare(aside)
        with open(f"{aside}/config", "ab") as config:
            config.write(_SETTINGS)
        private.sync_all(aside)
        os.rename(aside, place)
        private.sync_folder(folder)
    except OSError as error:
        raise _files.failure(error, place) from error


def settle(place: str, ref: str) -> None:
    """Fsync the folders that a push has changed in a repository on this machine."""
    git_dir = place if os.path.isfile(f"{place}/HEAD") else f"{place}/.git"
    above = ref.split("/")[:-1]
    folders = ["objects", "objects/pack", *("/".join(above[: n + 1]) for n in range(len(above)))]
    try:
        for folder in folders:
            if os.path.isdir(f"{git_dir}/{folder}"):
                private.sync_folder(f"{git_dir}/{folder}")
    except OSError as error:
        raise _files.failure(error, place) from error


def waiting(place: str) -> list[str]:
    """Return the refs of unfinished pushes in a repository made by agentws."""
    try:
        return [f"{INCOMING}{name}" for name in sorted(os.listdir(f"{place}/{INCOMING}")) if "." not in name]
    except OSError:
        return []


def is_ours(place: str) -> bool:
    """Return whether agentws made this repository on this machine's disk."""
    told = disk_repository.settings(place)
    return any((section, key, value) == ("agentws", "made", "true") for section, _, key, value in told)


def tidy(place: str) -> None:
    """Drop unreachable objects from a repository made by agentws, under the lock that pushes take too."""
    with alone(place):
        plumbing.ask("repack", *_TIDIED, cwd=place, git_dir=place)
        private.sync_folder(f"{place}/objects/pack")


@contextmanager
def alone(place: str) -> Iterator[None]:
    """Hold the lock that keeps other agentws processes from pushing into this repository or tidying it."""
    disk_repository.check(place)
    try:
        fd = os.open(f"{place}/{_LOCK}", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o666)
    except OSError as error:
        raise _files.failure(error, f"{place}/{_LOCK}") from error
    try:
        if _lock(fd, place):
            _release_left(fd, place)
        yield
    finally:
        os.close(fd)


def _lock(fd: int, place: str) -> bool:
    """Wait for the repository's lock; False if the file system has no locks. LockHeldError after 10 s."""
    until = time.monotonic() + _PATIENCE_S
    while True:
        try:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return True
        except BlockingIOError as error:
            if time.monotonic() > until:
                raise LockHeldError(f"Another sync is writing to {place}.", hint="Re-run the same command.") from error
        except OSError:
            return False  # a file system without locks: each move of a ref is safe without ours
        time.sleep(_LOOK_S)


def _release_left(fd: int, place: str) -> None:
    """Remove git's lock files that a killed push has left at our refs.

    Only the holder of our lock writes here, and no running git holds a lock file for so long.
    """
    names = [f"{place}/{name}" for name in _LOCKS_OF_GIT]
    walked = ((at.removeprefix(f"{place}/"), found) for at, _, found in os.walk(f"{place}/{_REFS}"))
    names += [f"{place}/{at}/{name}" for at, found in walked for name in found if _is_lock_of_ref(f"{at}/{name}")]
    left = [path for path in names if os.path.lexists(path)]
    try:
        if left:
            os.utime(fd)  # the time of this disk's clock
        for path in left:
            if os.fstat(fd).st_mtime - os.lstat(path).st_mtime > _LEFT_S:
                os.unlink(path)
    except OSError:
        return  # git names the lock then


def _is_lock_of_ref(path: str) -> bool:
    """Return whether this is the path of git's lock file for a ref of agentws."""
    ref = path.removesuffix(_SUFFIX)
    *_, above, last = ref.split("/")
    known = (
        sync_state.is_agent(above) and sync_state.epoch_of(last) and f"{sync_state.FOLDER}{above}/{last}",
        sync_state.is_agent(last) and sync_state.lease_ref(last),
        sync_state.is_id(last) and f"{INCOMING}{last}",
    )
    return ref != path and ref in known


def _sweep(folder: str) -> None:
    """Remove unfinished repositories that killed processes have left, if older than an hour."""
    probe = f"{folder}/{_MAKING}{os.urandom(8).hex()}"
    os.mkdir(probe)  # whose time is that of this disk's clock
    now = os.stat(probe).st_mtime
    os.rmdir(probe)
    with os.scandir(folder) as found:
        left = [each for each in found if each.name.startswith(_MAKING)]
    for each in left:
        if now - each.stat(follow_symlinks=False).st_mtime > _OLD_S:
            shutil.rmtree(each.path, ignore_errors=True)
