"""Private temporary folders for restored backups, drills, parcels and exports; the caller removes them.

Each is locked for as long as its process lives, so what a killed one has left is known, and goes with the next.
"""

from __future__ import annotations

import os
import shutil
import stat
import tempfile

from agentws.core.disk import files
from agentws.errors import DiskError
from agentws.features.copies.transfer import disk

BACKUP, DRILL, PARCEL = "agentws-backup-", disk.TRIED, "git-parcel-"
"""The prefixes of the folders' names."""
_held: dict[str, int] = {}


def folder(needed_bytes: int = 0, *, prefix: str = BACKUP, within: str = "") -> str:
    """Make a folder, private to this user, in `within` if that is a folder, else in the one for temporary files.

    What killed processes have left there is removed first. DiskError if there is too little space.
    """
    if within and os.path.isdir(within):
        sweep(within, prefix)
    else:
        sweep()
        within = tempfile.gettempdir()
    free = shutil.disk_usage(within).free
    if needed_bytes > free:
        raise DiskError(
            f"{within} has {free >> 20:,} MiB free; the backup needs {needed_bytes >> 20:,} MiB.",
            hint="Free space, or set TMPDIR to a larger disk.",
        )
    with files.Failing(within):
        place, _held[place] = disk.locked_folder(prefix, within)
    return place


def remove(place: str) -> None:
    """Remove a tree, also where its folders may not be written; no tree, nothing to do."""
    fd = _held.pop(place, None)
    if place and os.path.isdir(place):
        for within, _, _ in os.walk(place):
            try:
                os.chmod(within, 0o700)
            except OSError:
                continue  # what cannot be removed stays, in the folder for temporary files
        shutil.rmtree(place, ignore_errors=True)
    if fd is not None:
        os.close(fd)


def sweep(within: str = "", *prefixes: str) -> None:
    """Remove the folders of dead processes in `within`; by default all in the folder for temporary files."""
    try:
        with os.scandir(within or tempfile.gettempdir()) as entries:
            named = [entry for entry in entries if entry.name.startswith(prefixes or (BACKUP, DRILL, PARCEL))]
    except OSError:
        return
    for place in [entry.path for entry in named if _is_own(entry)]:
        try:
            fd = disk.lock_folder(place, is_sure=True)
        except OSError:
            continue  # it is gone by now
        if fd is not None:
            _held[place] = fd
            remove(place)


def _is_own(entry: os.DirEntry[str]) -> bool:
    """Return whether it is a folder of this user that this process does not use."""
    try:
        status = entry.stat(follow_symlinks=False)
    except OSError:
        return False
    return stat.S_ISDIR(status.st_mode) and status.st_uid == os.geteuid() and entry.path not in _held
