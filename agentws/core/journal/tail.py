"""The tail of a writer's journal: how far the chain of its newest segment is unbroken.

Bytes below the local hint are known to be durable: an error among them is damage, not a crash.
"""

from __future__ import annotations

import os

from agentws.core.disk import files as _files
from agentws.core.formats import digest, layout
from agentws.core.formats.journal import chain, event, segment
from agentws.core.formats.json import plainjson
from agentws.core.journal import head
from agentws.core.journal.head import Head
from agentws.errors import DamagedError

WAY_OUT = (
    "Nothing more is written. To list all damage: agentws journal verify. Restore the file from a backup, "
    "or start a new journal: agentws journal renew."
)
_MOST_BYTES = 4 * segment.LIMIT_BYTES


def newest(files: _files.Files, writer: str, hint: Head | None) -> int:
    """Return the number of the newest segment, 0 for none. DamagedError if the segment of the hint is missing."""
    if hint is not None and files.exists(segment.path(writer, hint.segment)):
        number = hint.segment
        while files.exists(segment.path(writer, number + 1)):
            number += 1
        return number
    names = files.unsorted(f"{layout.JOURNAL}/{writer}")
    position = max((segment.number_of(name) or 0 for name in names), default=0)
    if hint is not None and position < hint.segment:
        raise DamagedError(
            f"{segment.path(writer, hint.segment)}: this segment is missing, and it contained durable events.",
            hint=WAY_OUT,
        )
    return position


def walk(files: _files.Files, agent: str, writer: str, number: int, hint: Head | None) -> tuple[Head, int, str]:
    """Return the end of the good lines of a segment, its size, and what is wrong behind that end."""
    path = segment.path(writer, number)
    fd = _opened(files, path)
    try:
        size = os.fstat(fd).st_size
        if size > _MOST_BYTES:
            raise DamagedError(f"{path}: {size:,} bytes, larger than any segment.", hint=WAY_OUT)
        if hint is not None and hint.segment == number:
            if size < hint.offset:
                raise DamagedError(
                    f"{path}: {hint.offset - size:,} durable bytes are missing at its end.", hint=WAY_OUT
                )
            if _is_as_told(fd, hint):
                return good(os.pread(fd, size - hint.offset, hint.offset), hint.copy(), size)
        data = os.pread(fd, size, 0)
    except OSError as error:
        raise _files.failure(error, path) from error
    finally:
        os.close(fd)
    result = from_start(data, agent, writer, number, size)
    if hint is not None and hint.segment == number and result[0].offset >= hint.offset:
        raise damaged(path, data, hint.offset - 1, "a line was changed")
    return result


def _opened(files: _files.Files, path: str) -> int:
    with _files.Failing(path):
        return files.open(path)


def _is_as_told(fd: int, hint: Head) -> bool:
    """Return whether the newest line below the hint is unchanged."""
    line = os.pread(fd, hint.length, hint.offset - hint.length)
    head_bytes, mark, tail = line.partition(chain.SPLIT)
    if not mark or line[-2:] != b"}\n" or digest.of(head_bytes) != hint.hash:
        return False
    return head_bytes.endswith(b'"digest":"%s"' % digest.of(chain.SPLIT[1:] + tail[:-2]).encode())


def from_start(data: bytes, agent: str, writer: str, number: int, size: int) -> tuple[Head, int, str]:
    """Return the same as `good`, from the beginning of a segment, whose first line names the line before."""
    from agentws.core.formats.journal import segment_index

    first = data.partition(b"\n")[0]
    seq, prev, outline = 0, chain.genesis(agent, writer), segment_index.Outline()
    if number > 1:
        try:
            seq, prev = chain.before(first)
            outline.fold(first, writer=writer, segment=number, offset=0)
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
            return Head(writer, number, 0, length=0, seq=-1, hash=""), size, "the first line is not an event"
    start = Head(writer, number, 0, length=0, seq=seq, hash=prev, sessions=outline.sessions, sealed=outline.sealed)
    return good(data, start, size)


def good(data: bytes, end: Head, size: int) -> tuple[Head, int, str]:
    """Follow the chain from `end` through `data`; returns the end of the good lines, `size`, and what is wrong
    there.
    """
    lines = chain.unbroken(data, (end.seq, end.hash))
    position = 0
    for hash_ in lines.hashes:
        stop = data.find(b"\n", position) + 1
        line = data[position:stop]
        kind = segment.kind_of(line)
        try:
            fields = plainjson.loads(line) if kind.startswith("session.") or kind == event.SEAL else {}
        except ValueError as error:
            return end, size, str(error)
        sealed = (fields["body"] or {}).get("seq") if kind == event.SEAL else None
        head.advance(end, line, hash_, kind, fields.get("session"), sealed if isinstance(sealed, int) else 0)
        position = stop
    return end, size, lines.wrong


def damaged(path: str, data: bytes, offset: int, reason: str) -> DamagedError:
    """Return the error for damage at this offset of a segment with this content; it names the line."""
    place = data.count(b"\n", 0, offset) + 1
    return DamagedError(f"{path}:{place}: damaged: {reason}.", hint=WAY_OUT)
