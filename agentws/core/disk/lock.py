"""Kernel locks on files that are never unlinked: a dead holder never blocks, a live one is never robbed (P6)."""

from __future__ import annotations

import errno
import fcntl
import os
import time

from agentws.core.disk import files
from agentws.errors import LockHeldError

APPEND = "append"
"""Held for milliseconds while a line is added."""
TRANSACTION = "transaction"
"""Held while several files are changed."""
HISTORY = "history"
"""Held while the documents are recorded as a state of history. If several locks are needed, this is taken before
`APPEND`.
"""

TIMEOUT_S = 30.0
"""The usual patience."""
_SHORTEST_S, _EAGER_S, _PATIENT_S = 0.00005, 0.0005, 0.02
_MOST_OF_PROCESS = len("process 4194304: ")
_NOT_OFFERED = files.NOT_OFFERED
_REPORT_S = 2.0
"""After this wait the holder is reported to the logger `agentws`, by default on standard error."""
_SOON_S = 0.5
"""A wait for other appends is shorter than this; a longer wait is for something else."""


class Lock:
    """Holds the lock `name` of a workspace within a `with` block.

    Raises LockHeldError after `timeout_s` seconds (TIMEOUT_S by default), or sooner if the files have less patience.
    `note` describes the holder in the lock file, for messages alone. `idle` is for a lock that is held for long: it is
    polled seldom, for all of `timeout_s`. The lock file is in `folder` of the files.
    """

    def __init__(
        self, files: files.Files, name: str, *, timeout_s: float | None = None, note: str = "", idle: bool = False,
        folder: str = ".agentws/",
    ) -> None:  # fmt: skip
        self._files = files
        self._path = f"{folder}{name}.lock"
        self._fd = -1
        self.name = name
        self.note = note
        self._idle = idle
        timeout_s = TIMEOUT_S if timeout_s is None else timeout_s
        self.timeout_s = timeout_s if idle or files.patience_s is None else min(timeout_s, files.patience_s)

    def __enter__(self) -> Lock:
        path = self._path
        with files.Failing(path):
            fd = self._files.open(path, os.O_RDWR | os.O_CREAT, 0o600)
        self._fd = fd
        _held.add(self)
        try:
            wait(fd, self.timeout_s, idle=self._idle)
        except OSError as error:
            self._close()
            raise files.failure(error, path) from error
        except BaseException:
            self._close()
            raise
        if self.note:
            try:
                _say(fd, f"process {os.getpid()}: {self.note}", len(self.note) + _MOST_OF_PROCESS)
            except OSError:
                pass  # a full disk must not take the lock away from somebody who only wants to free space
        return self

    def __exit__(self, *_: object) -> None:
        if self._fd < 0:
            return  # a forked child, which never held it
        # Unlocking names the open file, not the descriptor: a program that inherited a copy keeps nothing locked.
        release(self._fd)
        self._close()

    def clear_note(self) -> None:
        """Clear the note about the lock's holder: everything that a killed holder may have left is repaired."""
        try:
            os.ftruncate(self._fd, 0)
        except OSError:
            pass  # the next one looks in vain

    def _close(self) -> None:
        _held.discard(self)
        fd, self._fd = self._fd, -1
        os.close(fd)


def wait(fd: int, timeout_s: float, *, idle: bool = False) -> None:
    """Take the kernel lock of an open file; LockHeldError after `timeout_s`, OSError if the disk has no locks.

    With `idle`, the lock is polled seldom.
    """
    began, is_reported = time.monotonic(), False
    pause_s = _PATIENT_S if idle else _SHORTEST_S
    while True:
        try:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return
        except OSError as error:
            if error.errno in _NOT_OFFERED:
                raise OSError(errno.ENOLCK, os.strerror(errno.ENOLCK)) from error
            if error.errno not in (errno.EWOULDBLOCK, errno.EINTR):
                raise
        waited_s = time.monotonic() - began
        if waited_s >= timeout_s:
            raise LockHeldError(
                f"Another process is changing this workspace: {_holder(fd)}.",
                hint="Nothing was changed. Wait, then re-run.",
            )
        if waited_s >= _REPORT_S and not is_reported:
            import logging  # seldom, and slow

            is_reported = True
            logging.getLogger("agentws").warning(
                "Waiting for another process that is changing this workspace: %s", _holder(fd)
            )
        time.sleep(pause_s)
        pause_s = min(pause_s * 1.5, _PATIENT_S if idle or waited_s > _SOON_S else _EAGER_S)


def release(fd: int) -> None:
    """Let go of the kernel lock of an open file, also of copies of its descriptor in other processes."""
    try:
        fcntl.flock(fd, fcntl.LOCK_UN)
    except OSError:
        pass  # closing it lets go as well


def _holder(fd: int) -> str:
    """Return what the lock file says of the process that holds the lock: `process 4194: sync`."""
    says = os.pread(fd, 200, 0).partition(b"\n")[0].decode("utf-8", "replace").strip()
    return says if says.startswith("process ") else "unknown"


def _say(fd: int, note: str, size: int) -> None:
    """Write a note to the lock file, padded to at least `size` characters, so that its length does not vary.

    A note that is not shorter needs no truncation, which would wait for a running sync.
    """
    data = f"{note:{size}}\n".encode()
    os.pwrite(fd, data, 0)
    if os.fstat(fd).st_size > len(data):
        os.ftruncate(fd, len(data))


def is_noted(root: str, name: str, *, folder: str = ".agentws/") -> bool:
    """Return whether the lock file has a note: it is held, or its holder was killed or did not clear the note.

    One system call, nothing is opened; `root` is that of the files. False may be wrong after a power cut.
    """
    try:
        return os.stat(f"{root}/{folder}{name}.lock").st_size > 0
    except OSError:
        return False


def is_held(files: files.Files, name: str) -> bool:
    """Return whether a process holds the lock now; nothing is written, and others are blocked only briefly."""
    try:
        fd = files.open(f".agentws/{name}.lock")
    except OSError:
        return False
    try:
        fcntl.flock(fd, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except OSError as error:
        return error.errno == errno.EWOULDBLOCK
    finally:
        os.close(fd)
    return False


def is_missing(files: files.Files, name: str) -> bool:
    """Return whether the disk has no locks at all; OSError if this cannot be found out."""
    fd = files.open(f".agentws/{name}.lock")
    try:
        fcntl.flock(fd, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except OSError as error:
        return error.errno == errno.ENOLCK or error.errno in _NOT_OFFERED
    finally:
        os.close(fd)
    return False


_held: set[Lock] = set()


def _leave_to_parent() -> None:
    """Close copied locks in a forked child: they would outlive a parent that is killed."""
    for lock in tuple(_held):
        lock._close()


os.register_at_fork(after_in_child=_leave_to_parent)
