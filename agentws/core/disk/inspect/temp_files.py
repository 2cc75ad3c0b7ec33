"""Temporary files of killed agentws processes: found by name and age, and removed without touching others."""

from __future__ import annotations

import os
import stat

from agentws.core.disk import files as _files
from agentws.core.disk import local_dir, local_time, lock
from agentws.errors import UnsafeFileError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from agentws.core.disk.inspect.scan import ScannedFile

_DEAD_AFTER_S = 3600.0
"""No agentws process uses one temporary file for so long."""
_NEW, _OLD = ".agentws-new", ".agentws-old"
_ASIDE_DIGITS = 16
_HEX = "0123456789abcdef"
_LOCK_TIMEOUT_S = 2.0


def staged(entries: Iterable[ScannedFile]) -> tuple[list[str], list[str]]:
    """Return (new contents never put in place, old contents kept aside): a workspace's temporary files."""
    old = [entry for entry in entries if entry.name.startswith(".") and _is_dead(entry.modified_s)]
    new = [scanned.path for scanned in old if scanned.name.endswith(_NEW) or scanned.path.startswith(".git-new-")]
    return sorted(new), sorted(scanned.path for scanned in old if scanned.name.endswith(_OLD))


def of_keys(folder: str) -> list[str]:
    """Return the temporary files that a killed making of a key has left in an installation's folder."""
    names = []
    try:
        with os.scandir(folder) as entries:
            for entry in entries:
                if _is_of_key(entry.name) and _is_dead(entry.stat(follow_symlinks=False).st_mtime):
                    names.append(entry.name)
    except OSError:
        return []
    return sorted(names)


def _is_of_key(name: str) -> bool:
    digits = name.rpartition("-")[2]
    aside = name.startswith((".key-", ".key.pub-")) and len(digits) == _ASIDE_DIGITS and not digits.strip(_HEX)
    return aside or name.startswith(".making-")


def _is_dead(modified_s: float) -> bool:
    return local_time.now() - modified_s > _DEAD_AFTER_S


def clear(files: _files.Files, base: str, path: str) -> None:
    """Remove a temporary file of a killed process; `base` is the folder that contains `path`, or empty.

    Holds the transaction lock. UnsafeFileError for any other file.
    """
    name = path.rpartition("/")[2]
    ours = _is_of_key(name) if base else name.startswith(".") and (name.endswith(_NEW) or path.startswith(".git-new-"))
    if not ours:
        raise UnsafeFileError(f"{path}: not a temporary file of agentws; unchanged.")
    local_dir.prepare(files)
    transaction = lock.Lock(files, lock.TRANSACTION, timeout_s=_LOCK_TIMEOUT_S, note="doctor")
    with transaction, lock.Lock(files, lock.APPEND, timeout_s=_LOCK_TIMEOUT_S):
        _remove(base or files.root, path)


def _remove(base: str, path: str) -> None:
    folder = os.open(base, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        *above, name = _files.names_of(path)
        for step in above:
            deeper = os.open(step, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=folder)
            os.close(folder)
            folder = deeper
        if stat.S_ISDIR(os.stat(name, dir_fd=folder, follow_symlinks=False).st_mode):
            import shutil  # seldom, and slow to load

            shutil.rmtree(name, dir_fd=folder)
        else:
            os.unlink(name, dir_fd=folder)
        _files.sync(folder)
    except FileNotFoundError:
        return
    except OSError as error:
        raise _files.failure(error, path) from error
    finally:
        os.close(folder)
