"""The database file of the search index: finding, connecting, making and removing it, and its write lock.

Each new index file has its own name, so that no process ever meets the rollback journal of another file.
"""

from __future__ import annotations

import os
import stat
import time

from agentws.core.disk import cache

TYPE_CHECKING = False
if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterator

_NAME, _ENDING = "search-", ".sqlite"
_LOCK = "search.lock"
_PATIENCE_S, _STEP_S = 5.0, 0.01
_BUSY_MS = 2_000


class BusyError(Exception):
    """Another process is making or changing the index database."""


def newest(folder: str) -> str | None:
    """Return the path of the newest index file in a folder, None if there is none that only this user can read."""
    number = max(_makings(folder), default=None)
    if number is None:
        return None
    path = f"{folder}/{_NAME}{number}{_ENDING}"
    try:
        status = os.lstat(path)
    except OSError:
        return None
    is_ours = stat.S_ISREG(status.st_mode) and not status.st_mode & 0o077 and status.st_uid == os.geteuid()
    return path if is_ours else None


def _makings(folder: str) -> Iterator[int]:
    try:
        names = os.listdir(folder)
    except OSError:
        return
    for name in names:
        number = name[len(_NAME) : -len(_ENDING)]
        if name.startswith(_NAME) and name.endswith(_ENDING) and number.isdecimal() and number.isascii():
            yield int(number)


def connect(path: str, *, writes: bool = False) -> sqlite3.Connection:
    """Return a SQLite connection to the index file, read-only unless `writes`; sqlite3.Error if it cannot be opened."""
    import sqlite3

    mode = "rw" if writes else "ro"
    connection = sqlite3.connect(
        f"file:{_quoted(path)}?mode={mode}", uri=True, isolation_level=None, check_same_thread=False
    )
    connection.execute(f"PRAGMA busy_timeout={_BUSY_MS}")
    connection.execute("PRAGMA trusted_schema=OFF")
    if writes:
        connection.execute("PRAGMA secure_delete=ON")
        connection.execute("PRAGMA synchronous=NORMAL")
    return connection


def _quoted(path: str) -> str:
    """Return a path quoted for a URI; importing urllib would cost a quarter of an interpreter's start."""
    return path.replace("%", "%25").replace("?", "%3f").replace("#", "%23")


class Making:
    """A `with` block that makes a new index database in a temporary file, and renames it into place at the end."""

    def __init__(self, folder: str) -> None:
        self._folder = folder
        self._number = max(_makings(folder), default=0) + 1
        self._aside = f"{folder}/.{_NAME}{self._number}.{os.getpid()}"
        self.path = f"{folder}/{_NAME}{self._number}{_ENDING}"

    def __enter__(self) -> sqlite3.Connection:
        os.close(os.open(self._aside, os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600))
        self._connection = connect(self._aside, writes=True)
        # An unfinished temporary file is thrown away, so it needs no journal and no sync.
        self._connection.execute("PRAGMA journal_mode=OFF")
        self._connection.execute("PRAGMA synchronous=OFF")
        return self._connection

    def __exit__(self, kind: object, *_: object) -> None:
        self._connection.close()
        if kind is not None:
            _remove(self._aside)
            return
        fd = os.open(self._aside, os.O_RDONLY | os.O_CLOEXEC)
        try:
            os.fsync(fd)
        finally:
            os.close(fd)
        os.rename(self._aside, self.path)
        for name in os.listdir(self._folder):
            if _is_left_over(name, self._number):
                _remove(f"{self._folder}/{name}")


def _is_left_over(name: str, number: int) -> bool:
    """Return whether a name is that of an earlier index, of its rollback journal, or of an unfinished index."""
    if name.startswith(f".{_NAME}"):
        return True
    return name.startswith(_NAME) and not name.startswith(f"{_NAME}{number}.")


def forget(folder: str | None) -> None:
    """Remove the database files of the index under the write lock; OSError if one of them stays."""
    if folder is None or not os.path.isdir(folder):
        return
    try:
        with Writing(folder):
            for name in os.listdir(folder):
                if name.startswith((_NAME, f".{_NAME}")):
                    os.unlink(f"{folder}/{name}")
    except BusyError as error:
        raise OSError("another process is building the search index") from error


def _remove(path: str) -> None:
    try:
        os.unlink(path)
    except OSError:
        pass  # the next `Making` tries again


class Writing:
    """The write lock of the index database, as a `with` block; BusyError if it is not free within seconds."""

    def __init__(self, folder: str, *, patience_s: float | None = None, lock: str = _LOCK) -> None:
        self._folder = folder
        self._lock = lock
        self._patience_s = _PATIENCE_S if patience_s is None else min(patience_s, _PATIENCE_S)
        self._fd = -1

    def __enter__(self) -> None:
        import fcntl

        if not os.path.isdir(self._folder):
            cache.make_folder(self._folder)
        self._fd = os.open(f"{self._folder}/{self._lock}", os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
        end = time.monotonic() + self._patience_s
        while True:
            try:
                fcntl.flock(self._fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                if time.monotonic() > end:
                    os.close(self._fd)
                    raise BusyError from None
                time.sleep(_STEP_S)
            else:
                return

    def __exit__(self, *_: object) -> None:
        os.close(self._fd)
