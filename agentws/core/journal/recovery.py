"""Recovery of a journal's end after a crash or a failed sync. Under the append lock.

After a plain crash only the last line can be incomplete. After a power cut a bad stretch may be followed by a good line
that was never acknowledged. Both are moved to quarantine.
"""

from __future__ import annotations

import os

from agentws.core.disk import files as _files, local_dir
from agentws.core.disk.files import Files
from agentws.core.formats import digest, layout
from agentws.core.formats.journal import segment
from agentws.core.installation.installation import Installation
from agentws.core.journal import head, rotation, sync_failure, tail
from agentws.core.journal.head import Head
from agentws.errors import AgentwsError, DamagedError


def mended(
    files: _files.Files, agent: str, end: Head, size: int, hint: Head | None, reason: str, notices: list[str]
) -> Head:
    """Return the repaired end of a journal whose newest segment is good up to `end`; the repair is added to `notices`.

    DamagedError if the rest is not what a crash leaves.
    """
    if end.offset < size:
        notices.append(_taken_out(files, end, size, hint, reason))
    return end if end.offset else rotation.begin_again(files, agent, end)


def _taken_out(files: _files.Files, end: Head, size: int, hint: Head | None, reason: str) -> str:
    """Move the bad bytes at the end of the segment to quarantine; DamagedError if a crash cannot have left them."""
    path = segment.path(end.writer, end.segment)
    if not is_crash(files, path, end, size, hint):
        raise tail.damaged(path, files.part(path, size)[0], end.offset, reason)
    with _files.Failing(path):
        fd = files.open_in_place(path, os.O_RDWR)
        try:
            kept = local_dir.quarantine(
                files, f"{end.writer}-{path.rpartition('/')[2]}", os.pread(fd, size - end.offset, end.offset)
            )
            os.ftruncate(fd, end.offset)
            sync_failure.sync(files, fd, end)
        finally:
            os.close(fd)
    return f"{path}: data that a crash left incomplete was moved to {kept} ({reason})."


def check_seal(files: _files.Files, agent: str, writer: str, folder: str) -> None:
    """Raise DamagedError if the newest seal that this installation remembers is not among the good lines.

    Without the hint, that seal is all that is known to be durable.
    """
    from agentws.core.installation.installation import Installation
    from agentws.core.journal import read

    known = head.own_seal(Installation(agent, writer, folder))
    if known is None:
        return
    seq, hash_ = known
    try:
        sound = read.find(files, writer, seq).hash == hash_
    except AgentwsError:
        sound = False
    newest = tail.newest(files, writer, None)
    if sound and newest:
        sound = tail.walk(files, agent, writer, newest, None)[0].seq >= seq
    if not sound:
        raise DamagedError(
            f"{layout.JOURNAL}/{writer}: the event {seq}, a durable seal, is missing.",
            hint=tail.WAY_OUT,
        )


def is_crash(files: _files.Files, path: str, end: Head, size: int, hint: Head | None) -> bool:
    """Return whether a crash may have left the bad bytes behind `end`; False if durable bytes were changed.

    Bytes above the hint were not known to be durable. Without a hint for the segment, a crash leaves half a line or one
    with zeros in it; a complete line that was changed is somebody's edit.
    """
    if hint is not None and hint.segment == end.segment:
        return end.offset >= hint.offset
    line, newline, _ = files.piece(path, end.offset, size - end.offset).partition(b"\n")
    return not newline or b"\0" in line


def after_failed_sync(
    files: _files.Files, agent: str, writer: str, notices: list[str], secret: bytes | None = None
) -> Head:
    """Re-read the segment from disk, continue in a new segment behind its last good line, and clear the mark."""
    number = tail.newest(files, writer, None)
    if number == 0:
        end = rotation.begin(files, agent, writer)
    else:
        _drop_from_memory(files, segment.path(writer, number))
        hint = head.read(files, writer, secret)
        end, size, reason = tail.walk(files, agent, writer, number, hint)
        there = bool(end.offset)
        end = mended(files, agent, end, size, hint, reason, notices)
        if there:
            path = segment.path(end.writer, end.segment)
            whole = files.read(path)  # data that is in memory alone becomes durable only in a new file
            files.replace(path, whole, expects=digest.of(whole))
            rotation.rotate(files, agent, end, fd=None)
    notices.append("A disk error lost an event. The other events were verified, and the journal continues.")
    sync_failure.clear(files, writer)
    return end


def _drop_from_memory(files: _files.Files, path: str) -> None:
    """Drop the file from the system's cache, so that it is next read from the disk."""
    advise = getattr(os, "posix_fadvise", None)
    if advise is None:
        return
    try:
        fd = files.open(path)
        try:
            advise(fd, 0, 0, os.POSIX_FADV_DONTNEED)
        finally:
            os.close(fd)
    except OSError:
        return


def check_end(files: Files, own: Installation) -> None:
    """Raise DamagedError if this installation's journal would refuse the next event, or its newest segment was changed.
    `journal verify` checks the rest.
    """
    hint = head.read(files, own.writer, own.secret)
    if hint is None:
        check_seal(files, own.agent, own.writer, own.folder)
    number = tail.newest(files, own.writer, hint)
    if not number:
        return
    tail.walk(files, own.agent, own.writer, number, hint)
    end, size, reason = tail.walk(files, own.agent, own.writer, number, None)
    path = segment.path(own.writer, number)
    if end.offset < size and not is_crash(files, path, end, size, hint):
        raise tail.damaged(path, files.part(path, size)[0], end.offset, reason)
