"""How much room is left on the disk that holds a folder."""

from __future__ import annotations

import os


def left(folder: str) -> tuple[int, int] | None:
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
