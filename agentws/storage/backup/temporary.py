"""Folders of this machine for what a destination gives back; who makes one removes it."""

from __future__ import annotations

import os
import shutil
import tempfile

from agentws.errors import DiskError


def folder(needed_bytes: int = 0) -> str:
    """A new folder, private to this user. DiskError where there is too little room."""
    free = shutil.disk_usage(tempfile.gettempdir()).free
    if needed_bytes > free:
        raise DiskError(
            f"{tempfile.gettempdir()} has {free >> 20:,} MiB free; the backup needs {needed_bytes >> 20:,} MiB.",
            hint="Free space, or set TMPDIR to a larger disk.",
        )
    return tempfile.mkdtemp(prefix="agentws-backup-")


def remove(place: str) -> None:
    """Remove a tree, also where its folders may not be written; no tree, nothing to do."""
    if not place or not os.path.isdir(place):
        return
    for within, _, _ in os.walk(place):
        try:
            os.chmod(within, 0o700)
        except OSError:
            continue  # what cannot be removed stays, in the folder for temporary files
    shutil.rmtree(place, ignore_errors=True)
