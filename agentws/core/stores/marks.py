"""Marks that one verb leaves in `.agentws/` for the next, such as an error that has not been resolved since.

`leave` and `of` never fail the verb: a disk that does not even take a mark is noticed anyway. For what an answer
depends on, use `read` and `put`.
"""

from __future__ import annotations

import contextlib
import os

from agentws.core.disk import files as _files, local_dir
from agentws.core.disk.files import Files
from agentws.core.formats import digest, layout
from agentws.errors import AgentwsError, DiskError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection

MOST_BYTES = 1 << 16
_BY = "by process "
_LOCK_TIMEOUT_S = 10.0


def of(files: Files, path: str) -> str:
    """Return the text of a mark, empty for none."""
    try:
        return read(files, path)
    except AgentwsError:
        return ""


def read(files: Files, path: str) -> str:
    """Return the text of a mark, empty for none; DiskError if the disk fails."""
    try:
        return files.part(path, MOST_BYTES)[0].decode("utf-8", "replace").strip()
    except DiskError:
        raise
    except AgentwsError:
        return ""


def leave(files: Files, path: str, text: str) -> None:
    """Write the text of a mark, durably; an empty text removes the file. Errors are ignored.

    A mark `under_way` is not synced: a kill does not lose it, a power cut may lose it or bring it back.
    """
    try:
        put(files, path, text)
    except AgentwsError:
        return


def put(files: Files, path: str, text: str) -> None:
    """Write the text of a mark as `leave` does; AgentwsError if that fails."""
    from agentws.core.disk import local_dir, lock

    if text or files.exists(path):
        local_dir.prepare(files)
        with lock.Lock(files, lock.APPEND, timeout_s=_LOCK_TIMEOUT_S):
            _put(files, path, text.encode("utf-8", "replace"))


def _put(files: Files, path: str, data: bytes) -> None:
    known = files.digest(path)
    if known == digest.ABSENT and _BY.encode() in data:
        with _files.Failing(path):
            fd = files.open_in_place(path, os.O_WRONLY | os.O_CREAT, 0o600)
            try:
                _files.write_all(fd, data + b"\n")
            finally:
                os.close(fd)
    elif data:
        files.replace(path, data.rstrip(b"\n") + b"\n", expects=known)
    elif known != digest.ABSENT:
        files.remove(path, expects=known, later=set() if _BY.encode() in files.read(path) else None)


def under_way(says: str) -> str:
    """Return the text of a mark for something that this process has begun; it counts once the process is gone."""
    from agentws.core.installation import host_info

    began = host_info.process(os.getpid())
    return f"{says}\n{_BY}{began['process']} {began['started']} {host_info.namespace()} {host_info.boot_id()}"


def parted(text: str) -> tuple[str, bool]:
    """Return the text of a mark, and whether another process that still runs here is about to remove it."""
    says, _, by = text.partition(f"\n{_BY}")
    if not by:
        return says, False
    from agentws.core.installation import host_info

    pid, started, *machine = by.split()[:4] if len(by.split()) == 4 else ("", "", "", "")
    if not (pid.isdigit() and started.isdigit()) or machine != [str(host_info.namespace()), str(host_info.boot_id())]:
        return says, False
    return says, int(pid) != os.getpid() and host_info.lives(int(pid), int(started)) is True


COMPACTION = local_dir.COMPACTION_FAILURES
LOUD = 2
"""The number of failures in a row from which they are reported."""
_MOST, _LONGEST_CHARS = 30, 500


def failures(files: Files, path: str) -> list[str]:
    """Return the failures in a mark: when and why something failed since its last success, oldest first."""
    return [line for line in of(files, path).split("\n") if line]


def add_failure(files: Files, path: str, why: str) -> None:
    """Add a failure to those in a mark. Errors are ignored."""
    lines = [*failures(files, path), " ".join(why.split())[:_LONGEST_CHARS]][-_MOST:]
    leave(files, path, "".join(f"{line}\n" for line in lines))


def clear_failures(files: Files, path: str) -> None:
    """Clear the failures in a mark after a success."""
    if failures(files, path):
        leave(files, path, "")


# Marks of hosts' processes, by which the hook file lets their messages wait without Python (core/hosts/plan.py). The
# lines of one: the user's settings file, the events that may wait, and the session, empty if it may be any. In an empty
# mark nothing waits, and the next call begins its session unless it runs.


def remove_call_marks(files: Files, own: str) -> None:
    """Remove the mark `own`, and those of processes that have ended."""
    for mark in _call_marks(files):
        if mark == own or _is_old(mark):
            _remove(files, mark)


def end_call_marks(files: Files, sessions: Collection[str | None]) -> None:
    """Empty the marks of these sessions. Their next message starts Python, which begins the session again."""
    for mark in _call_marks(files):
        if _is_old(mark):
            _remove(files, mark)
            continue
        with contextlib.suppress(AgentwsError, OSError):  # another process removes it
            lines = files.read(mark).decode("utf-8", "replace").split("\n")
            if not "".join(lines[2:]) or lines[2] in sessions:
                os.close(files.open(mark, os.O_WRONLY | os.O_TRUNC, 0o600))


def _call_marks(files: Files) -> list[str]:
    return [f"{layout.CALLS}/{name}" for name, _ in files.names(layout.CALLS) if name.startswith(".")]


def _is_old(mark: str) -> bool:
    number = mark.rpartition("-")[2]
    return number.isdigit() and not os.path.exists(f"/proc/{number}")


def _remove(files: Files, mark: str) -> None:
    with contextlib.suppress(AgentwsError):  # another process removes it
        files.remove(mark, expects=files.digest(mark), later=set())
