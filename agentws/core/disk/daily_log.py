"""The durable append to a daily log: the hot path. Specified in docs/format/daily.md.

Under the append lock: remove a torn line of agentws, write a synced intent, append, sync, acknowledge. Other programs
may write to the same file without a lock, so only appends are made. A tail is removed only if it is a strict prefix of
the intent (or that prefix followed by zeros, as after a power cut) and the intent is not yet marked as done: later
changes of the line are somebody's edit.
"""

from __future__ import annotations

import errno
import os

from agentws.core.disk import files as _files, local_dir, locate, lock
from agentws.core.formats import digest
from agentws.errors import MissingFileError, UnsafeFileError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

_TAIL_BYTES = 1 << 16


def append(
    files: _files.Files, path: str, compose: Callable[[bytes, bool], bytes], *, by: Mapping[str, object] | None = None
) -> tuple[int, str | None]:
    """Append the entry that `compose(tail, whole)` returns to a daily log; `by` are fields about the caller.

    Returns the 1-based line at which it begins, and where a torn line that was removed first is kept (or None).

    `tail` is the end of the present file, `whole` says whether that is all of it. The text is durable on return.
    `compose` is called again if somebody replaced the file meanwhile. MayNotWriteError if the agent has moved away from
    here or was retired.
    """
    local_dir.prepare(files)
    folder = path.rpartition("/")[0]
    if folder and not files.exists(folder):
        files.make_folder(folder)
    with lock.Lock(files, lock.APPEND):
        locate.check_not_left(files)  # the agent may have moved away while we waited
        previous = local_dir.last(files)
        kept = repair(files, previous)
        while True:
            with _files.Failing(path):
                line = _once(files, path, compose, previous, by or {})
            if line:
                return line, kept


def _once(
    files: _files.Files,
    path: str,
    compose: Callable[[bytes, bool], bytes],
    previous: dict[str, object] | None,
    by: Mapping[str, object],
) -> int:
    """Try to append once; 0 if the file at `path` was replaced meanwhile. The next try keeps the change number."""
    fd = files.open_in_place(path, os.O_RDWR | os.O_CREAT | os.O_APPEND)
    try:
        size = os.fstat(fd).st_size
        if not size or previous is None or previous.get("path") != path:
            # The name is made durable before any content: a kill may have left the file unsynced.
            files.sync_way(path)
        head = os.pread(fd, 4, 0)
        if b"\0" in head or head.startswith((b"\xff\xfe", b"\xfe\xff")):
            from agentws.core.text import utf8  # seldom

            utf8.check_file(path, head)
        start = max(0, size - _TAIL_BYTES)
        addition = compose(os.pread(fd, size - start, start), start == 0)
        intent: dict[str, object] = {
            "change": "log",
            "path": path,
            "offset": size,
            "length": len(addition),
            "sha256": digest.of(addition),
            "text": addition.decode("utf-8", "surrogateescape"),
            **by,
        }
        number = local_dir.add(files, intent, previous=previous)
        if os.fstat(fd).st_size != size:
            return 0  # somebody appended while the intent was synced: our line must fit to what they wrote
        _write(fd, addition)
        if not _same(files, path, fd):
            return 0
        line = _line_at(fd, os.lseek(fd, 0, os.SEEK_CUR) - len(addition)) + _leading_newlines(addition)
        local_dir.done(files, number)
        return line
    finally:
        os.close(fd)


def _write(fd: int, addition: bytes) -> None:
    written = 0
    try:
        while written < len(addition):
            written += os.write(fd, addition[written:])
        _files.sync(fd)
    except OSError:
        # Half a line is worse than none, and so is one that may not last. Only our own bytes are taken back: where
        # another program appended before, between or after them, they are not at the end, and stay.
        end = os.lseek(fd, 0, os.SEEK_CUR)
        if written and os.fstat(fd).st_size == end and os.pread(fd, written, end - written) == addition[:written]:
            os.ftruncate(fd, end - written)
        raise


def repair(files: _files.Files, intent: dict[str, object] | None) -> str | None:
    """Remove the torn line that a killed `log` may have left in a daily log; returns where its bytes are kept, or None.

    The caller holds the append lock. A complete line, or one that anything follows, is kept.
    """
    if intent is None or intent.get("change") != "log" or intent.get("done"):
        return None
    path, offset, text = intent.get("path"), intent.get("offset"), intent.get("text")
    if not (isinstance(path, str) and isinstance(offset, int) and isinstance(text, str)):
        return None
    whole = text.encode("utf-8", "surrogateescape")
    try:
        fd = files.open_in_place(path, os.O_RDWR)
    except UnsafeFileError:
        return None  # somebody else's now
    except OSError as error:
        # Missing, or no longer accessible. Any other failure may pass, and the torn line would remain.
        if error.errno in (errno.ENOENT, errno.ENOTDIR, errno.ELOOP, errno.EACCES, errno.EPERM, errno.EROFS):
            return None
        raise _files.failure(error, path) from error
    try:
        tail = os.pread(fd, len(whole) + 1, offset)
        if not _torn(tail, whole):
            return None
        kept = local_dir.quarantine(files, path.rpartition("/")[2], tail)
        os.ftruncate(fd, offset)
        _files.sync(fd)
        return kept
    except OSError as error:
        raise _files.failure(error, path) from error
    finally:
        os.close(fd)


def _torn(tail: bytes, whole: bytes) -> bool:
    if not tail or len(tail) > len(whole):
        return False
    written = tail.rstrip(b"\0")
    return whole.startswith(written) and written != whole


def _same(files: _files.Files, path: str, fd: int) -> bool:
    ours = os.fstat(fd)
    try:
        there = files.status(path)
    except (MissingFileError, UnsafeFileError):
        return False
    return (ours.st_ino, ours.st_dev) == (there.st_ino, there.st_dev)


def _line_at(fd: int, offset: int) -> int:
    lines, position = 1, 0
    while position < offset:
        part = os.pread(fd, min(1 << 20, offset - position), position)
        if not part:
            break
        lines += part.count(b"\n")
        position += len(part)
    return lines


def _leading_newlines(addition: bytes) -> int:
    """Return how many lines of the addition precede its entry: a blank line, a heading, a missing newline."""
    before_entry = addition.find(b"- ") if addition.startswith(b"- ") else addition.find(b"\n- ") + 1
    return addition[:before_entry].count(b"\n")
