"""Permissions of files and folders: reading modes, finding unwritable paths, removing others' rights."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable

from agentws.core.disk import files
from agentws.errors import AgentwsError, UnsafeFileError

OWN = files.OWN
OTHERS = stat.S_IRWXG | stat.S_IRWXO
_FIRST = ".agentws/.gitignore"
_OPEN = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC


def mode(folder: str, path: str = "") -> int | None:
    """Return the permission bits of `path` in an absolute `folder`, None if it is missing or a link."""
    try:
        status = os.stat(os.path.join(folder, path) if path else folder, follow_symlinks=False)
    except OSError:
        return None
    return None if stat.S_ISLNK(status.st_mode) else stat.S_IMODE(status.st_mode)


def unwritable(folder: str, paths: Iterable[str]) -> list[str]:
    """Return those of `paths` in an absolute `folder` whose permissions do not let this user write."""
    result = []
    for path in paths:
        whole = f"{folder}/{path}"
        needed = os.W_OK | os.X_OK if os.path.isdir(whole) else os.W_OK
        if os.access(whole, os.F_OK) and not os.access(whole, needed):
            result.append(path)
    return result


def take(folder: str, path: str, bits: int) -> None:
    """Remove the permission `bits` from the file or folder at `path` in an absolute `folder`; no link is followed."""
    with files.Failing(path or folder):
        fd = _opened(folder, path)
        try:
            status = os.fstat(fd)
            if not (stat.S_ISREG(status.st_mode) or stat.S_ISDIR(status.st_mode)):
                raise UnsafeFileError(f"{path}: neither a file nor a folder; mode unchanged.")
            os.fchmod(fd, stat.S_IMODE(status.st_mode) & ~bits)
        finally:
            os.close(fd)


def _opened(folder: str, path: str) -> int:
    fd = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    for name in files.names_of(path) if path else ():
        try:
            # A device may act on being opened, so it is looked at first.
            kind = os.stat(name, dir_fd=fd, follow_symlinks=False).st_mode
            if not (stat.S_ISREG(kind) or stat.S_ISDIR(kind)):
                raise UnsafeFileError(f"{path}: neither a file nor a folder; mode unchanged.")
            deeper = os.open(name, _OPEN, dir_fd=fd)
        finally:
            os.close(fd)
        fd = deeper
    return fd


def opened(root: str) -> list[str]:
    """Return those of `.agentws/` and `journal/` in this absolute folder to which other users have permissions."""
    return [folder for folder in files.OWN if (mode(root, folder) or 0) & OTHERS]


def group(folder: str) -> str:
    """Return the group (name, else number) with permissions on a folder; empty if its owner is the only member.

    Many systems give each user such a group, and a umask that lets it write.
    """
    import grp
    import pwd

    status = os.stat(folder)
    name, members, owner = str(status.st_gid), set[str](), str(status.st_uid)
    try:
        owner = pwd.getpwuid(status.st_uid).pw_name
        struct_group = grp.getgrgid(status.st_gid)
        name, members = struct_group.gr_name, set(struct_group.gr_mem)
    except KeyError:
        pass  # known by its number alone, as in a container
    return "" if name == owner and not members - {owner} else name


def close_own(root: str) -> None:
    """Remove other users' permissions on `.agentws/` and `journal/` in this folder, if this user owns them.

    Outermost folders first, so that nobody else can enter them. `.agentws/.gitignore` last: it shows the next write
    that all is done.
    """
    for folder in files.OWN:
        _close(root, folder)
    if opened(root):
        return  # not owned by this user, or a file system without modes
    for folder in files.OWN:
        for above, folders, names in os.walk(os.path.join(root, folder)):
            within = os.path.relpath(above, root)  # a link in the place of the folder: nothing below it is opened
            for name in (*folders, *names):
                if f"{within}/{name}" != _FIRST:
                    _close(root, f"{within}/{name}")
    _close(root, _FIRST)


def _close(root: str, path: str) -> None:
    if (mode(root, path) or 0) & OTHERS:
        try:
            take(root, path, OTHERS)
        except AgentwsError:
            return  # another user's, gone meanwhile, or not a file: `opened` reports what remains
