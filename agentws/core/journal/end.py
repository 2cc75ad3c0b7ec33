"""The end of a writer's journal, where the next line is appended. Under the append lock.

If the journal is as this machine last knew it, only the newest line is read. The rest is loaded when it is needed: to
begin a journal, to repair one after a crash, to continue one after a failed sync.
"""

from __future__ import annotations

import os

from agentws.core import Record
from agentws.core.disk import files as _files
from agentws.core.formats.journal import segment
from agentws.core.journal import head, sync_failure, tail
from agentws.core.journal.head import Head
from agentws.errors import AgentwsError


class JournalEnd(Record):
    """The end of the journal, and notices about what had to be repaired."""

    head: Head
    notices: list[str]


def at_hand(files: _files.Files, known: Head, fd: int) -> Head | None:
    """Return the end behind the line that this process wrote last (`known`), if its segment `fd` is still the newest
    and the lines that others have added are sound. None if not, or in doubt: then call `find`.
    """
    path = segment.path(known.writer, known.segment)
    try:
        status = os.fstat(fd)
        if status.st_nlink != 1 or status.st_size < known.offset or not files.is_at(path, status):
            return None
        if not files.is_missing(segment.path(known.writer, known.segment + 1)) or sync_failure.stands(
            files, known.writer
        ):
            return None
        if status.st_size == known.offset:
            return known
        since = os.pread(fd, status.st_size - known.offset, known.offset)
    except (OSError, AgentwsError):
        return None
    end, size, _ = tail.good(since, known.copy(), status.st_size)
    return end if end.offset == size else None


def find(
    files: _files.Files, agent: str, writer: str, known: Head | None, *, folder: str = "", secret: bytes | None = None
) -> JournalEnd:
    """Return the end of the journal, where the next line belongs; `known` is the line this process wrote last, if any.

    `folder` is the folder of the installation's state, with the newest seal; a hint made without its `secret` is
    ignored.

    Begins the first segment too. DamagedError if durable lines were changed.
    """
    notices: list[str] = []
    if sync_failure.stands(files, writer):
        from agentws.core.journal import recovery

        return JournalEnd(recovery.after_failed_sync(files, agent, writer, notices, secret), notices)
    hint = known or head.read(files, writer, secret)
    number = tail.newest(files, writer, hint)
    if hint is None and folder:
        from agentws.core.journal import recovery

        recovery.check_seal(files, agent, writer, folder)
    if number == 0:
        from agentws.core.journal import rotation

        return JournalEnd(rotation.begin(files, agent, writer), notices)
    if known is not None and number == known.segment:
        size = files.size(segment.path(writer, number))
        if size == known.offset:
            return JournalEnd(known, notices)
        if size < known.offset:  # a later installation of this writer may have purged a line, and removed the hint
            hint = head.read(files, writer, secret)
    if hint is None or hint.segment != number:
        # No line of this segment was acknowledged yet: a kill may have come before its name was durable.
        files.sync_way(segment.path(writer, number))
    end, size, reason = tail.walk(files, agent, writer, number, hint)
    if end.offset < size or not end.offset:
        from agentws.core.journal import recovery

        end = recovery.mended(files, agent, end, size, hint, reason, notices)
    return JournalEnd(end, notices)
