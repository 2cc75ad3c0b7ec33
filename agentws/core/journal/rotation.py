"""Starting a journal segment: a writer's first, the next one, or one that a power cut has emptied.

Under the append lock.
"""

from __future__ import annotations

from agentws.core.disk import files as _files
from agentws.core.formats import layout
from agentws.core.formats.digest import ABSENT
from agentws.core.formats.journal import chain, event, segment
from agentws.core.formats.journal.segment_index import Outline
from agentws.core.installation import host_info
from agentws.core.journal import head, stamp, sync_failure, tail
from agentws.core.journal.head import Head
from agentws.errors import DamagedError

_ATTRIBUTES = b"* -text\n"
_IGNORED = b"# What tools said does not belong in a repository that something may push.\n*\n"


def begin(files: _files.Files, agent: str, writer: str) -> Head:
    """Start the first segment of a writer; returns the end behind its first line."""
    files.make_folder(f"{layout.JOURNAL}/{writer}")
    for name, content in ((".gitattributes", _ATTRIBUTES), (".gitignore", _IGNORED)):
        path = f"{layout.JOURNAL}/{name}"
        if files.exists(path):
            files.settle(path, expects=files.digest(path))  # a kill may have left it unsynced
        else:
            files.replace(path, content, expects=ABSENT)
    end = Head(writer, 0, 0, length=0, seq=0, hash=chain.genesis(agent, writer))
    _open_segment(files, agent, end, 1, Outline())
    return end


def begin_again(files: _files.Files, agent: str, end: Head) -> Head:
    """Write the first line again to a segment that a power cut has emptied; returns the end behind it."""
    number = end.segment
    path = segment.path(end.writer, number)
    if number == 1:
        before, carried = Head(end.writer, 0, 0, length=0, seq=0, hash=chain.genesis(agent, end.writer)), Outline()
    else:
        before, size, reason = tail.walk(files, agent, end.writer, number - 1, None)
        if before.offset < size:
            raise DamagedError(f"{segment.path(end.writer, number - 1)}: damaged: {reason}.", hint=tail.WAY_OUT)
        carried = outline(files, before)
    _open_segment(files, agent, before, number, carried, expects=files.digest(path))
    return before


def rotate(files: _files.Files, agent: str, end: Head, *, fd: int | None) -> None:
    """Start the next segment: the old one (`fd`) is made durable first, then the new one with its first line.

    `end` moves behind that line.
    """
    if fd is not None:
        with _files.Failing(segment.path(end.writer, end.segment)):
            sync_failure.sync(files, fd, end)
    _check(files, agent, end)
    _open_segment(files, agent, end, end.segment + 1, outline(files, end))


def outline(files: _files.Files, end: Head) -> Outline:
    """Return what is open, unresolved and significant up to this end, from its segment alone."""
    result = Outline()
    path = segment.path(end.writer, end.segment)
    offset = 0
    for line in files.part(path, end.offset)[0].split(b"\n")[:-1]:
        result.fold(line, writer=end.writer, segment=end.segment, offset=offset)
        offset += len(line) + 1
    return result


def _check(files: _files.Files, agent: str, end: Head) -> None:
    """Raise DamagedError if a line of the segment was changed: an append checks the newest lines alone, so all of them
    are checked before the segment is closed.
    """
    path = segment.path(end.writer, end.segment)
    data = files.part(path, end.offset)[0]
    if chain.unbroken(data, None if end.segment > 1 else (0, chain.genesis(agent, end.writer))).wrong:
        intact, _, reason = tail.from_start(data, agent, end.writer, end.segment, end.offset)
        raise tail.damaged(path, data, intact.offset, reason)


def _open_segment(
    files: _files.Files, agent: str, end: Head, number: int, carried: Outline, *, expects: str = ABSENT
) -> None:
    """Create a segment with its first line, durably; it never exists without that line. `end` moves behind it."""
    body = {"agent": agent, "writer": end.writer, "number": number, "host": host_info.name(), **carried.plain()}
    last = event.tail(event.body_text(body), stamp.salt())
    at = stamp.now()
    first = chain.line(
        event.header(
            seq=end.seq + 1,
            id=stamp.identifier(at),
            at=stamp.text(at),
            kind=event.OPENED,
            session=None,
            src="agent",
            prev=end.hash,
            tail=last,
        ),
        last,
    )
    files.replace(segment.path(end.writer, number), first, expects=expects)
    end.segment, end.offset = number, 0
    end.sessions, end.sealed = carried.sessions, carried.sealed
    head.advance(end, first, chain.hash_of(first), event.OPENED, None)
