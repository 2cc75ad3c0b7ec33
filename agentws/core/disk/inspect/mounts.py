"""The disk that a folder lies on: its kind, its free space, and whose program keeps the folder the same elsewhere."""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable


MOUNTS = "/proc/self/mountinfo"
_MOST_BYTES = 1 << 20
_PLACE, _AFTER_DASH = 4, " - "
_MOST_ABOVE = 40


def kind_of(folder: str, *, told_in: str = MOUNTS) -> tuple[str, str]:
    """(kind of file system, where it is mounted) of what holds the absolute `folder`; empty where nobody tells.

    `told_in` is the system's list of mounts.
    """
    try:
        with open(told_in, "rb") as file:
            lines = file.read(_MOST_BYTES).decode("utf-8", "surrogateescape").split("\n")
    except OSError:
        return "", ""
    found = ("", "")
    for line in lines:
        before, dash, behind = line.partition(_AFTER_DASH)
        words = before.split(" ")
        if not dash or len(words) <= _PLACE:
            continue
        place = _plain(words[_PLACE])
        # Of two mounts at one place the later one is seen.
        if _holds(place, folder) and len(place) >= len(found[1]):
            found = (behind.split(" ", 1)[0], place)
    return found


def _holds(place: str, folder: str) -> bool:
    return folder == place or folder.startswith(place.rstrip("/") + "/")


def _plain(place: str) -> str:
    """A path as it is, of which the system has written blanks as `\\040`."""
    for code, char in (("\\040", " "), ("\\011", "\t"), ("\\012", "\n"), ("\\134", "\\")):
        place = place.replace(code, char)
    return place


def marks(folder: str, names: Iterable[str]) -> list[tuple[str, str]]:
    """(folder, name) of each of these names that stands in `folder` or in one above it."""
    found = []
    wanted = tuple(names)
    for _ in range(_MOST_ABOVE):
        found += [(folder, name) for name in wanted if os.path.lexists(os.path.join(folder, name))]
        if folder == os.path.dirname(folder):
            break
        folder = os.path.dirname(folder)
    return found


def reachable(folder: str) -> bool:
    """Return whether every user of this machine may come as far as `folder`: each one above lets them through."""
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
    """(bytes, files) that a plain user may still write there; None where nobody tells.

    Where a file system makes room for files as they come, their number is that of the bytes.
    """
    try:
        found = os.statvfs(folder)
    except OSError:
        return None
    if not found.f_blocks:
        return None
    room = found.f_bavail * found.f_frsize
    return room, found.f_favail if found.f_files else room
