"""Who may read and write a file or folder, as its mode says; and rights taken away."""

from __future__ import annotations

import os
import stat

from agentws.errors import UnsafeFileError
from agentws.storage import files as _files

_OPEN = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC


def mode(folder: str, path: str = "") -> int | None:
    """The mode of what stands at `path` in an absolute `folder`, None where nothing does, or a link."""
    try:
        status = os.stat(os.path.join(folder, path) if path else folder, follow_symlinks=False)
    except OSError:
        return None
    return None if stat.S_ISLNK(status.st_mode) else stat.S_IMODE(status.st_mode)


def take(folder: str, path: str, bits: int) -> None:
    """Take the rights `bits` away from the file or folder at `path` in an absolute `folder`; no link is followed."""
    try:
        fd = _opened(folder, path)
        try:
            status = os.fstat(fd)
            if not (stat.S_ISREG(status.st_mode) or stat.S_ISDIR(status.st_mode)):
                raise UnsafeFileError(f"{path}: neither a file nor a folder; its mode was left as it is.")
            os.fchmod(fd, stat.S_IMODE(status.st_mode) & ~bits)
        finally:
            os.close(fd)
    except OSError as error:
        raise _files.failure(error, path or folder) from error


def _opened(folder: str, path: str) -> int:
    fd = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    for name in _files.names_of(path) if path else ():
        try:
            # A device may act on being opened, so it is looked at first.
            kind = os.stat(name, dir_fd=fd, follow_symlinks=False).st_mode
            if not (stat.S_ISREG(kind) or stat.S_ISDIR(kind)):
                raise UnsafeFileError(f"{path}: neither a file nor a folder; its mode was left as it is.")
            deeper = os.open(name, _OPEN, dir_fd=fd)
        finally:
            os.close(fd)
        fd = deeper
    return fd
