"""Trees on a disk: list and digest what they hold, write files, remove them, and make all of it durable.

Backups and moves use it, and it is sent with the receiver as text to a bare `python3` (3.7 or later), so it imports
nothing of agentws.
"""

from __future__ import annotations

import errno
import fcntl
import hashlib
import os
import stat
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Mapping
    from typing import Any, Protocol

    class Stream(Protocol):
        """A source of bytes."""

        def read(self, __size: int) -> bytes | None:
            """Return at most so many bytes, none at the end."""


FOLDER, FILE, LINK, OTHER = "d", "f", "l", "?"
_PIECE = 1 << 20
_SMALL = 1 << 16
_NOT_OFFERED = (errno.EINVAL, errno.ENOTSUP, errno.EOPNOTSUPP, errno.ENOSYS)
NO_LOCKS = (*_NOT_OFFERED, errno.ENOLCK)
"""Errors of a disk that has no locks."""
_REFUSED = (*NO_LOCKS, errno.EPERM)
TRIED = "agentws-drill-"
"""The beginning of the name of a folder for a copy that is only tried."""
_TRIES = 20


class NoFile(OSError):  # noqa: N818
    """A file was expected, and something else is in its place."""


# What a tree holds


def walk(root: str, leave_out: Collection[str]) -> Iterator[tuple[str, os.stat_result]]:
    """Yield the path and status of everything beneath `root`, folders before their content.

    What vanishes meanwhile is left out, and so is all that is called as in `leave_out` (paths).
    """
    waiting = [""]
    while waiting:
        folder = waiting.pop()
        within = f"{folder}/" if folder else ""
        try:
            with os.scandir(os.path.join(root, folder) if folder else root) as listed:
                names = sorted(listed, key=_by_name)
        except (FileNotFoundError, NotADirectoryError):
            if not folder:
                raise
            continue  # it went meanwhile, or is something else now: the next look sees what
        for each in names:
            path = within + each.name
            if path in leave_out:
                continue
            try:
                status = each.stat(follow_symlinks=False)
            except (FileNotFoundError, NotADirectoryError):
                continue
            yield path, status
            if stat.S_ISDIR(status.st_mode):
                waiting.append(path)


def _by_name(entry: os.DirEntry[str]) -> str:
    return entry.name


def entries(root: str, leave_out: Collection[str], known: Mapping[str, list[Any]] | None = None) -> Iterator[list[Any]]:
    """Yield everything beneath `root`, each file read and digested.

    As [path, kind, mode, mtime in nanoseconds, size, digest of a file or target of a link, marks]. An entry that was
    read before (`known`, by path) is yielded again, and not read, if its marks are the same.
    """
    known = known or {}
    for path, status in walk(root, leave_out):
        entry = known.get(path)
        if entry is None or entry[6] != _marks(status):
            entry = describe(root, path, status)
        if entry is not None:
            yield entry


def _marks(status: os.stat_result) -> tuple[int, int, int, int, int]:
    """Return what the system says of a file, and says otherwise once it changes."""
    return status.st_ino, status.st_mode, status.st_size, status.st_mtime_ns, status.st_ctime_ns


def look_at(root: str, path: str) -> list[Any] | None:
    """Return one entry as `entries` does; None if nothing is there."""
    try:
        status = os.lstat(os.path.join(root, path))
    except (FileNotFoundError, NotADirectoryError):
        return None
    return describe(root, path, status)


def describe(root: str, path: str, status: os.stat_result, *, digests: bool = True) -> list[Any] | None:
    """Return the entry of a path with this status, without the digest of a file unless `digests`; None if it went."""
    mode, place = status.st_mode, os.path.join(root, path)
    kind, size, content = OTHER, 0, ""
    try:
        if stat.S_ISREG(mode):
            kind = FILE
            if digests:
                content, status = digest(place)
            size = status.st_size
        elif stat.S_ISDIR(mode):
            kind = FOLDER
        elif stat.S_ISLNK(mode):
            kind, content = LINK, os.readlink(place)
            size = len(os.fsencode(content))
    except (FileNotFoundError, NotADirectoryError, NoFile):
        return None
    except OSError as error:
        if error.errno in (errno.ELOOP, errno.ENXIO) or (error.errno == errno.EINVAL and stat.S_ISLNK(mode)):
            return None  # something else was put in its place while we looked
        raise
    rights = 0o777 if kind == LINK else stat.S_IMODE(status.st_mode)
    return [path, kind, rights, status.st_mtime_ns, size, content, _marks(status)]


def digest(place: str, *, afresh: bool = False) -> tuple[str, os.stat_result]:
    """Return the digest of a file, and its status before it was read; `afresh`: from the medium, if the system can.

    NoFile if it is not a regular file: a device may never end.
    """
    fd = os.open(place, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    try:
        status = os.fstat(fd)
        if not stat.S_ISREG(status.st_mode):
            raise NoFile(errno.EINVAL, os.strerror(errno.EINVAL), place)
        if afresh and hasattr(os, "posix_fadvise"):
            os.posix_fadvise(fd, 0, 0, os.POSIX_FADV_DONTNEED)
        if status.st_size < _SMALL:
            first = os.read(fd, status.st_size + 1)
            if len(first) == status.st_size:
                return hashlib.sha256(first).hexdigest(), status
            os.lseek(fd, 0, os.SEEK_SET)
        made = hashlib.sha256()
        while True:
            piece = os.read(fd, _PIECE)
            if not piece:
                return made.hexdigest(), status
            made.update(piece)
    finally:
        os.close(fd)


def text(place: str, limit: int = _SMALL) -> str | None:
    """Return the beginning of a text file; None if it cannot be read."""
    try:
        fd = os.open(place, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return None
    try:
        return os.read(fd, limit).decode("utf-8", "surrogateescape")
    except OSError:
        return None
    finally:
        os.close(fd)


# Writing


def receive(place: str, mode: int, size: int, stream: Stream) -> None:
    """Write a new file with the next `size` bytes of `stream`, fewer if it ends: the digest will show that."""
    fd = os.open(place, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    try:
        while size:
            piece = stream.read(min(size, _PIECE))
            if not piece:
                break
            write(fd, piece)
            size -= len(piece)
        where_offered(os.fchmod, fd, mode)
    finally:
        os.close(fd)


def add_line(place: str, line: str) -> None:
    """Add a line at the end of a file, durably, unless it stands there already."""
    os.makedirs(os.path.dirname(place), exist_ok=True)
    fd = os.open(place, os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW, 0o644)
    try:
        with open(fd, "rb", closefd=False) as file:
            known = file.read()
        if line.encode("utf-8") in known.split(b"\n"):
            return
        before = b"" if not known or known.endswith(b"\n") else b"\n"
        write(fd, before + line.encode("utf-8") + b"\n")
        os.fsync(fd)
    finally:
        os.close(fd)
    sync_folder(os.path.dirname(place))


def replace(place: str, text: str, durable: bool = False) -> None:
    """Put our file in its place, for this user alone."""
    fd = os.open(place + ".new", os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW, 0o600)
    try:
        write(fd, text.encode("ascii"))
        if durable:
            os.fsync(fd)
    finally:
        os.close(fd)
    os.rename(place + ".new", place)
    if durable:
        sync_folder(os.path.dirname(place))


def where_offered(act: Callable[..., object], *args: object, **more: object) -> None:
    """Call `act` with these arguments, ignoring the errors of a disk without modes, settable times, links or locks."""
    try:
        act(*args, **more)
    except OSError as error:
        if error.errno not in _REFUSED:
            raise


def write(fd: int, data: bytes) -> None:
    """Write all of `data`."""
    rest = memoryview(data)
    while rest:
        rest = rest[os.write(fd, rest) :]


def remove_tree(place: str) -> None:
    """Remove our folder with all that it holds; the modules that could do so take longer to load than this."""
    for folder, folders, names in os.walk(place, topdown=False):
        where_offered(os.chmod, folder, 0o700)
        for name in names:
            os.unlink(os.path.join(folder, name))
        for name in folders:
            inner = os.path.join(folder, name)
            os.unlink(inner) if os.path.islink(inner) else os.rmdir(inner)
    os.rmdir(place)


def locked_folder(prefix: str, within: str | None = None) -> tuple[str, int]:
    """Make a folder for this user alone, by default for temporary files; return it, and a descriptor that locks it.

    Whoever finds one without a lock removes it (temporary.py), perhaps just before it is locked: then another is made.
    """
    import tempfile

    for _ in range(_TRIES):
        place = tempfile.mkdtemp(prefix=prefix, dir=within)
        fd = lock_folder(place)
        if fd is not None:
            return place, fd
    raise OSError(errno.EBUSY, "other processes remove each new folder", within)


def lock_folder(place: str, is_sure: bool = False) -> int | None:
    """Return a descriptor that holds the lock of a folder; None where another process has it, or removed the folder.

    Where no folder can be locked, one without a lock, or None where somebody has to be sure.
    """
    try:
        fd = os.open(place, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC | os.O_NOFOLLOW)
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


def sync_folder(place: str) -> None:
    """Make the names in a folder durable, where its disk can do so."""
    fd = os.open(place, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(fd)
    except OSError as error:
        if error.errno not in _NOT_OFFERED:
            raise
    finally:
        os.close(fd)


def sync_tree(root: str) -> None:
    """Make all of a tree durable: by one sync of its file system, where that tells whether it went well."""
    if sys.platform.startswith("linux") and _syncfs(root):
        return
    full = getattr(fcntl, "F_FULLFSYNC", None)
    for folder, _, names in os.walk(root, topdown=False):
        for name in [*names, ""]:
            place = os.path.join(folder, name) if name else folder
            if os.path.islink(place) or not (os.path.isfile(place) or os.path.isdir(place)):
                continue
            if not name and full is None:
                sync_folder(folder)
                continue
            fd = os.open(place, os.O_RDONLY | os.O_NONBLOCK)
            try:
                fcntl.fcntl(fd, full) if full is not None else os.fsync(fd)
            finally:
                os.close(fd)


def _syncfs(root: str) -> bool:
    """Return False where this system has no such call; OSError where the disk did not take all."""
    try:
        import ctypes

        call = ctypes.CDLL(None, use_errno=True).syncfs
    except (ImportError, OSError, AttributeError):
        return False
    fd = os.open(root, os.O_RDONLY | os.O_DIRECTORY)
    try:
        if call(fd) == 0:
            return True
        code = ctypes.get_errno()
        if code in _NOT_OFFERED:
            return False
        raise OSError(code, os.strerror(code), root)
    finally:
        os.close(fd)
