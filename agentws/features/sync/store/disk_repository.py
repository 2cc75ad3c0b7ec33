"""Check a repository on a disk that others may have changed, before git or agentws works in it.

Git follows links and redirecting files in a repository, and could change files elsewhere.
"""

from __future__ import annotations

import os
import stat

from agentws.core.disk import files as _files
from agentws.core.formats.git import gitconfig
from agentws.errors import OutsideProgramError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

CONFIG = "config"
_LEAD_AWAY = (".git", "commondir", "gitdir", "config.worktree", "objects/info/alternates", "info/grafts")
_FILES = ("HEAD", CONFIG, "packed-refs", "shallow", "index", "info/refs")
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


def git_dir(place: str) -> str:
    """Return the git directory at a path: its `.git` if there is one, else the path itself."""
    return f"{place}/.git" if os.path.lexists(f"{place}/.git") else place


def check(place: str) -> None:
    """Raise OutsideProgramError if the repository at this path leads elsewhere, holds links or devices, or has settings
    that name programs.
    """
    at = git_dir(place)
    try:
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
    except OSError as error:
        raise _files.failure(error, at) from error
    _check_settings(at)


def settings(place: str) -> Iterator[tuple[str, str | None, str, str]]:
    """Yield the settings of the repository in this folder; none if they cannot be read."""
    yield from gitconfig.settings(_read(f"{place}/{CONFIG}"))


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
    found = []
    try:
        with os.scandir(folder) as names:
            for each in names:
                if each.is_dir(follow_symlinks=False):
                    found.append(each.path)
                elif not each.is_file(follow_symlinks=False):
                    raise _refused(each.path, "is a link or a device")
    except FileNotFoundError:
        return []
    return found


def _check_settings(at: str) -> None:
    for section, _, key, _ in settings(at):
        leads = f"{section}.{key}" in _LEADS_KEYS or (section == "remote" and key not in _REMOTE_KEYS)
        if leads or section in _RUNS or key in _RUNS_KEYS:
            raise OutsideProgramError(
                f"{at}/{CONFIG} sets {section}.{key}, by which git could run a program or work elsewhere.",
                hint="If the repository is yours, remove this setting, or use another repository.",
            )


def _refused(path: str, why: str) -> OutsideProgramError:
    return OutsideProgramError(
        f"{path} {why}.", hint="Nothing was changed. Find out who made it, remove it, or use another repository."
    )
