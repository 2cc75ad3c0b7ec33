"""A repository on a disk that anybody may have had in hand: looked at before git, or anything of ours, works in it.

Git follows links in there, and files that lead elsewhere: what it moves or removes would be somebody's own.
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
"""Sections of a repository's settings by which git may run what they name, or that lead to others."""
_RUNS_KEYS = ("alternaterefscommand", "fsmonitor", "sshcommand", "gitproxy", "recentobjectshook")
_LEADS_KEYS = ("core.worktree", "extensions.worktreeconfig", "extensions.partialclone")
_REMOTE_KEYS = ("url", "pushurl", "fetch", "push", "mirror", "tagopt", "prune", "skipfetchall", "skipdefaultupdate")
"""What a clone says of where it came from; another key names a program, or objects that lie elsewhere."""


def git_dir(place: str) -> str:
    """The folder at a path in which git would work."""
    return f"{place}/.git" if os.path.lexists(f"{place}/.git") else place


def check(place: str) -> None:
    """OutsideProgramError where something in the repository at this path leads elsewhere, is neither a file nor a
    folder, or where its settings name programs.
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
    """The settings of the repository in this folder; none where they cannot be read."""
    yield from gitconfig.settings(_read(f"{place}/{CONFIG}"))


def _read(path: str) -> bytes:
    """The beginning of a plain file; nothing of any other, which is never waited for."""
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
    """The folders within one that holds nothing but files and folders."""
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
