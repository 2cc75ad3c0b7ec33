"""Private temporary folders for restored backups, drills and parcels; the caller removes them.

Each is locked for as long as its process lives, so what a killed one has left is known, and goes with the next.
"""

from __future__ import annotations

import fcntl
import os
import shutil
import stat
import tempfile

from agentws.core.disk import files
from agentws.errors import DiskError

BACKUP, DRILL, PARCEL = "agentws-backup-", "agentws-drill-", "git-parcel-"
"""The prefixes of the folders' names."""
_TRIES = 5
_held: dict[str, int] = {}


def folder(needed_bytes: int = 0, *, prefix: str = BACKUP, within: str = "") -> str:
    """Make a folder, private to this user, in `within` if that is a folder, else in the one for temporary files.

    In the latter, what killed processes have left is removed first. DiskError if there is too little space.
    """
    if within and os.path.isdir(within):
        with files.Failing(within):
            return tempfile.mkdtemp(prefix=prefix, dir=within)
    sweep()
    within = tempfile.gettempdir()
    free = shutil.disk_usage(within).free
    if needed_bytes > free:
        raise DiskError(
            f"{within} has {free >> 20:,} MiB free; the backup needs {needed_bytes >> 20:,} MiB.",
            hint="Free space, or set TMPDIR to a larger disk.",
        )
    with files.Failing(within):
        for _ in range(_TRIES):
            place = tempfile.mkdtemp(prefix=prefix)
            fd = _locked(place)
            if fd is not None:
                _held[place] = fd
                return place
    raise DiskError(f"No private folder could be made in {within}.", hint="Set TMPDIR to another folder.")


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


def sweep() -> None:
    """Remove the temporary folders of dead processes."""
    try:
        with os.scandir(tempfile.gettempdir()) as entries:
            ours = [
                entry.path for entry in entries if entry.name.startswith((BACKUP, DRILL, PARCEL)) and _is_own(entry)
            ]
    except OSError:
        return
    for place in ours:
        try:
            fd = _locked(place, is_sure=True)
        except OSError:
            continue  # it is gone by now
        if fd is not None:
            _held[place] = fd
            remove(place)


def sweep_parcels(within: str, used: str) -> None:
    """Remove the parcel folders of killed processes in `within`, but not `used`; no other process may be at work."""
    with os.scandir(within) as entries:
        left = [each.path for each in entries if each.name.startswith(PARCEL) and each.path != used]
    for place in left:
        shutil.rmtree(place, ignore_errors=True)


def _is_own(entry: os.DirEntry[str]) -> bool:
    """Return whether it is a folder of this user that this process does not use."""
    try:
        status = entry.stat(follow_symlinks=False)
    except OSError:
        return False
    return stat.S_ISDIR(status.st_mode) and status.st_uid == os.geteuid() and entry.path not in _held


def _locked(place: str, *, is_sure: bool = False) -> int | None:
    """A descriptor that holds the lock of a folder; None where another process has it, or has removed the folder.

    Where no folder can be locked, one without a lock, or None where somebody has to be sure.
    """
    try:
        fd = os.open(place, files.FOLDER | os.O_NOFOLLOW)
    except FileNotFoundError:
        return None
    try:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        is_free = os.path.samestat(os.fstat(fd), os.stat(place))
    except (BlockingIOError, FileNotFoundError):
        is_free = False
    except OSError:
        is_free = not is_sure
    if is_free:
        return fd
    os.close(fd)
    return None
