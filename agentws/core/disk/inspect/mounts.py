"""The mount of a folder: its file system, free space and missing protections, and signs of programs that sync it."""

from __future__ import annotations

import os
from collections.abc import Iterable

from agentws.core.disk import files as _files, local_dir, lock
from agentws.core.formats import digest
from agentws.errors import AgentwsError

MOUNTS = "/proc/self/mountinfo"
_MOST_BYTES = 1 << 20
_PLACE, _AFTER_DASH = 4, " - "
_MOST_ABOVE = 40


def kind_of(folder: str, *, told_in: str = MOUNTS) -> tuple[str, str]:
    """Return (kind of file system, mount point) of the absolute `folder`; empty if unknown.

    `told_in` is the system's list of mounts.
    """
    try:
        with open(told_in, "rb") as file:
            lines = file.read(_MOST_BYTES).decode("utf-8", "surrogateescape").split("\n")
    except OSError:
        return "", ""
    result = ("", "")
    for line in lines:
        before, dash, behind = line.partition(_AFTER_DASH)
        words = before.split(" ")
        if not dash or len(words) <= _PLACE:
            continue
        place = _plain(words[_PLACE])
        # Of two mounts at one place the later one is seen.
        if (folder == place or folder.startswith(place.rstrip("/") + "/")) and len(place) >= len(result[1]):
            result = (behind.split(" ", 1)[0], place)
    return result


def _plain(place: str) -> str:
    """Return a path of the list of mounts, in which blanks are written as `\\040`, as it is."""
    for code, char in (("\\040", " "), ("\\011", "\t"), ("\\012", "\n"), ("\\134", "\\")):
        place = place.replace(code, char)
    return place


def marks(folder: str, names: Iterable[str]) -> list[tuple[str, str]]:
    """Return (folder, name) of each name that exists in `folder` or a parent: signs of a sync program's mount."""
    result = []
    wanted = tuple(names)
    for _ in range(_MOST_ABOVE):
        result += [(folder, name) for name in wanted if os.path.lexists(os.path.join(folder, name))]
        if folder == os.path.dirname(folder):
            break
        folder = os.path.dirname(folder)
    return result


def reachable(folder: str) -> bool:
    """Return whether every user of this machine can reach the absolute `folder` through its parents' modes."""
    above = os.path.dirname(folder)
    while True:
        try:
            if not os.stat(above).st_mode & 0o001:
                return False
        except OSError:
            return False
        if above == os.path.dirname(above):
            return True
        above = os.path.dirname(above)


def free_space(folder: str) -> tuple[int, int] | None:
    """Return (bytes, files) that a plain user may still write to the mount of `folder`; None if unknown.

    If a file system does not limit the number of files, the number of bytes is returned for both.
    """
    try:
        result = os.statvfs(folder)
    except OSError:
        return None
    if not result.f_blocks:
        return None
    room = result.f_bavail * result.f_frsize
    return room, result.f_favail if result.f_files else room


def warning_of_disk(files: _files.Files) -> list[str]:
    """Return the warning that the disk of the workspace cannot sync folders: once, and never again."""
    try:
        if os.stat(files.root).st_dev not in _files.unsynced or files.exists(local_dir.UNSYNCED):
            return []
        files.replace(local_dir.UNSYNCED, b"", expects=digest.ABSENT)
    except (OSError, AgentwsError):
        return []  # status and the next change try again
    says = "The disk of the workspace cannot sync folders, so a power cut may take the newest files away."
    return [f"{says} Make backups on another disk: agentws backup create"]


def is_unsynced(files: _files.Files) -> bool:
    """Return whether the disk of the workspace cannot sync folders, as far as a change has found that out."""
    if not files.exists(local_dir.UNSYNCED):
        return False
    files.sync_folder(local_dir.FOLDER)  # the workspace may have been moved to another disk
    return os.stat(files.root).st_dev in _files.unsynced


def is_unlocked(files: _files.Files) -> bool:
    """Return whether the disk of the workspace has no locks."""
    try:
        return lock.is_missing(files, lock.APPEND)
    except OSError:
        return False
