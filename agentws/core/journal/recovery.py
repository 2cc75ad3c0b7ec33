"""Recovery of a journal's end after a crash or a failed sync. Under the append lock.

After a plain crash only the last line can be incomplete. After a power cut a bad stretch may even be followed by a
good line, which nobody was ever told of. Both go to quarantine.
"""

from __future__ import annotations

import os

from agentws.core.disk import files as _files
from agentws.core.disk import local_dir
from agentws.core.formats import digest, layout
from agentws.core.formats.journal import segment
from agentws.core.journal import head, rotation, sync_failure, tail
from agentws.errors import AgentwsError, DamagedError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from agentws.core.disk.files import Files
    from agentws.core.installation.installation import Installation
    from agentws.core.journal.head import Head


def mended(
    files: _files.Files, agent: str, end: Head, size: int, hint: Head | None, reason: str, notices: list[str]
) -> Head:
    """The end of a journal whose newest segment is good up to `end` only; what was done about the rest is noted.

    DamagedError where it is not what a crash leaves.
    """
    if end.offset < size:
        notices.append(_taken_out(files, end, size, hint, reason))
    return end if end.offset else rotation.begin_again(files, agent, end)


def _taken_out(files: _files.Files, end: Head, size: int, hint: Head | None, reason: str) -> str:
    """Take the bad bytes at the end of the segment out, into quarantine; DamagedError where they are no crash's."""
    path = segment.path(end.writer, end.segment)
    if not is_crash(files, path, end, size, hint):
        raise tail.damaged(path, files.part(path, size)[0], end.offset, reason)
    try:
        fd = files.open_in_place(path, os.O_RDWR)
        try:
            kept = local_dir.quarantine(
                files, f"{end.writer}-{path.rpartition('/')[2]}", os.pread(fd, size - end.offset, end.offset)
            )
            os.ftruncate(fd, end.offset)
            sync_failure.sync(files, fd, end)
        finally:
            os.close(fd)
    except OSError as error:
        raise _files.failure(error, path) from error
    return f"{path}: data that a crash left incomplete was moved to {kept} ({reason})."


def check_seal(files: _files.Files, agent: str, writer: str, folder: str) -> None:
    """DamagedError where the newest seal that this installation remembers is not among the good lines any more.

    Where the hint is lost, that is what is known to be durable.
    """
    from agentws.core.installation.installation import Installation
    from agentws.core.journal import lastseal, read

    known = lastseal.remembered(Installation(agent, writer, folder))
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
    """Return whether the bad bytes behind `end` may be what a crash has left, False where durable ones were changed.

    What lies above the hint was not known to be durable. Where no hint speaks of the segment, a crash leaves half a
    line, or one with zeros in it; a whole line that says something else than was written is somebody's edit.
    """
    if hint is not None and hint.segment == end.segment:
        return end.offset >= hint.offset
    line, newline, _ = files.piece(path, end.offset, size - end.offset).partition(b"\n")
    return not newline or b"\0" in line


def after_failed_sync(
    files: _files.Files, agent: str, writer: str, notices: list[str], secret: bytes | None = None
) -> Head:
    """Look at what is really on disk, go on in a new segment behind the last line that is, and take the mark away."""
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
            _write_anew(files, end)
            rotation.rotate(files, agent, end, fd=None)
    notices.append("A disk error lost an event. The other events were verified, and the journal continues.")
    sync_failure.clear(files, writer)
    return end


def _write_anew(files: _files.Files, end: Head) -> None:
    """Put a copy in the place of the segment: what is in memory alone can become durable in another file only."""
    path = segment.path(end.writer, end.segment)
    whole = files.read(path)
    files.replace(path, whole, expects=digest.of(whole))


def _drop_from_memory(files: _files.Files, path: str) -> None:
    """Let the system forget what it holds of the file, so that the disk itself is read next."""
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


def check_end(files: Files, here: Installation) -> None:
    """DamagedError where this installation's journal would refuse the next event, or its newest segment is not what was
    written. Whether all of it is, only `journal verify` can tell.
    """
    hint = head.read(files, here.writer, here.secret)
    if hint is None:
        check_seal(files, here.agent, here.writer, here.folder)
    number = tail.newest(files, here.writer, hint)
    if not number:
        return
    tail.walk(files, here.agent, here.writer, number, hint)
    end, size, reason = tail.walk(files, here.agent, here.writer, number, None)
    path = segment.path(here.writer, number)
    if end.offset < size and not is_crash(files, path, end, size, hint):
        raise tail.damaged(path, files.part(path, size)[0], end.offset, reason)
