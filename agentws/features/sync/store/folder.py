"""A sync repository on a disk of this machine, such as a USB stick: made atomically, durable, and checked before use.

Others may have changed it: git follows links and redirecting files in a repository, and could change files elsewhere.
"""

from __future__ import annotations

import errno
import fcntl
import os
import shutil
import stat
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from agentws.core.disk import files as _files
from agentws.core.formats.git import gitconfig
from agentws.core.formats.travel import sync_state
from agentws.core.states import plumbing, private
from agentws.errors import ChangedUnderneathError, LockHeldError, OutsideProgramError

INCOMING = "refs/agentws/incoming/"
"""A push into our repository has two steps: what a ref names is durable before the ref names it."""
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
_CONFIG = "config"
_LEAD_AWAY = (".git", "commondir", "gitdir", "config.worktree", "objects/info/alternates", "info/grafts")
_FILES = ("HEAD", _CONFIG, "packed-refs", "shallow", "index", "info/refs")
_FLAT = ("objects", "objects/pack", "objects/info", "info")
"""Folders in which git writes, or removes what it has packed."""
_DEEP = ("refs", "logs", "reftable")
_HEADS = (b"ref: refs/", *(b"%x" % digit for digit in range(16)))
_RUNS = ("hook", "include", "includeif", "gpg")
"""Sections of a repository's settings that name programs to run or other settings files."""
_RUNS_KEYS = ("alternaterefscommand", "fsmonitor", "sshcommand", "gitproxy", "recentobjectshook")
_LEADS_KEYS = ("core.worktree", "extensions.worktreeconfig", "extensions.partialclone")
_REMOTE_KEYS = ("url", "pushurl", "fetch", "push", "mirror", "tagopt", "prune", "skipfetchall", "skipdefaultupdate")
"""Harmless keys of `remote` sections; other keys name a program or objects elsewhere."""


def make(place: str) -> None:
    """Make an empty repository at this path, atomically and durably. DiskError if the disk refuses."""
    folder = os.path.dirname(place)
    if os.path.lexists(place):
        raise OutsideProgramError(
            f"{place} is not a git repository, or a damaged one.",
            hint="Move this folder away and re-run. Each machine then puts all of its files into a new one.",
        )
    with _files.Failing(place):
        _sweep(folder)
        aside = f"{folder}/{_MAKING}{os.urandom(8).hex()}"
        os.mkdir(aside, 0o700)  # whoever can read it reads all of the agent
        plumbing.create_bare(aside)
        with open(f"{aside}/config", "ab") as config:
            config.write(_SETTINGS)
        private.sync_all(aside)
        try:
            os.rename(aside, place)
        except OSError as error:
            if error.errno not in (errno.ENOTEMPTY, errno.EEXIST):
                raise
            shutil.rmtree(aside, ignore_errors=True)
            raise ChangedUnderneathError(f"{place} was made by another machine meanwhile.", hint="Re-run.") from error
        private.sync_folder(folder)


def settle(place: str, ref: str) -> None:
    """Fsync the folders that a push has changed in a repository on this machine."""
    git_dir = place if os.path.isfile(f"{place}/HEAD") else f"{place}/.git"
    above = ref.split("/")[:-1]
    folders = ["objects", "objects/pack", *("/".join(above[: n + 1]) for n in range(len(above)))]
    with _files.Failing(place):
        for folder in folders:
            if os.path.isdir(f"{git_dir}/{folder}"):
                private.sync_folder(f"{git_dir}/{folder}")


def waiting(place: str) -> list[str]:
    """Return the refs of unfinished pushes in a repository made by agentws."""
    try:
        return [f"{INCOMING}{name}" for name in sorted(os.listdir(f"{place}/{INCOMING}")) if "." not in name]
    except OSError:
        return []


def is_ours(place: str) -> bool:
    """Return whether agentws made this repository on this machine's disk."""
    settings = gitconfig.settings(_read(f"{place}/{_CONFIG}"))
    return any((section, key, value) == ("agentws", "made", "true") for section, _, key, value in settings)


def tidy(place: str) -> None:
    """Drop unreachable objects from a repository made by agentws, under the lock that pushes take too."""
    with alone(place):
        plumbing.ask("repack", *_TIDIED, cwd=place, git_dir=place)
        private.sync_folder(f"{place}/objects/pack")


@contextmanager
def alone(place: str) -> Iterator[None]:
    """Hold the lock that keeps other agentws processes from pushing into this repository or tidying it."""
    check_safe(place)
    with _files.Failing(f"{place}/{_LOCK}"):
        fd = os.open(f"{place}/{_LOCK}", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o666)
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
    walked = ((at.removeprefix(f"{place}/"), matches) for at, _, matches in os.walk(f"{place}/{_REFS}"))
    names += [f"{place}/{at}/{name}" for at, matches in walked for name in matches if _is_lock_of_ref(f"{at}/{name}")]
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
    with os.scandir(folder) as entries:
        left = [each for each in entries if each.name.startswith(_MAKING)]
    for each in left:
        if now - each.stat(follow_symlinks=False).st_mtime > _OLD_S:
            shutil.rmtree(each.path, ignore_errors=True)


def git_dir(place: str) -> str:
    """Return the git directory at a path: its `.git` if there is one, else the path itself."""
    return f"{place}/.git" if os.path.lexists(f"{place}/.git") else place


def check_safe(place: str) -> None:
    """Raise OutsideProgramError if the repository at this path leads elsewhere, holds links or devices, or has settings
    that name programs.
    """
    at = git_dir(place)
    with _files.Failing(at):
        for path in (place, at):
            _expect(path, stat.S_ISDIR)
        if at != place and os.path.lexists(f"{place}/HEAD"):
            raise _refused(at, "lies in a repository")
        if not _read(f"{at}/HEAD").startswith(_HEADS):  # git then looks for other names beside this path
            raise _refused(f"{at}/HEAD", "names no branch")
        for name in _LEAD_AWAY:
            if os.path.lexists(f"{at}/{name}"):
                raise _refused(f"{at}/{name}", "leads git to another place")
        for name in _FILES:
            _expect(f"{at}/{name}", stat.S_ISREG)
        for name in _FLAT:
            _expect(f"{at}/{name}", stat.S_ISDIR)
            _plain(f"{at}/{name}")
        for name in _DEEP:
            _expect(f"{at}/{name}", stat.S_ISDIR)
            within = [f"{at}/{name}"]
            while within:
                within += _plain(within.pop())
    for section, _, key, _ in gitconfig.settings(_read(f"{at}/{_CONFIG}")):
        leads = f"{section}.{key}" in _LEADS_KEYS or (section == "remote" and key not in _REMOTE_KEYS)
        if leads or section in _RUNS or key in _RUNS_KEYS:
            raise OutsideProgramError(
                f"{at}/{_CONFIG} sets {section}.{key}, by which git could run a program or work elsewhere.",
                hint="If the repository is yours, remove this setting, or use another repository.",
            )


def _read(path: str) -> bytes:
    """Return the beginning of a regular file; nothing for any other kind, without blocking."""
    try:
        fd = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return b""
    with open(fd, "rb") as file:
        return file.read(gitconfig.LIMIT_BYTES + 1) if stat.S_ISREG(os.fstat(fd).st_mode) else b""


def _expect(path: str, is_kind: Callable[[int], bool]) -> None:
    if os.path.lexists(path) and not is_kind(os.lstat(path).st_mode):
        raise _refused(path, "is a link or a device, or of another kind than git makes")


def _plain(folder: str) -> list[str]:
    """Return the subfolders of a folder; OutsideProgramError if it holds anything but files and folders."""
    result = []
    try:
        with os.scandir(folder) as names:
            for each in names:
                if each.is_dir(follow_symlinks=False):
                    result.append(each.path)
                elif not each.is_file(follow_symlinks=False):
                    raise _refused(each.path, "is a link or a device")
    except FileNotFoundError:
        return []
    return result


def _refused(path: str, why: str) -> OutsideProgramError:
    return OutsideProgramError(
        f"{path} {why}.", hint="Nothing was changed. Find out who made it, remove it, or use another repository."
    )
