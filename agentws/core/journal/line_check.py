"""The check of one stored line by its digest and its neighbours, without walking the whole journal.

Each line is named by the hash in the line after it. The newest line has none after it: it must name the line before,
and be the line that this machine remembers.
"""

from __future__ import annotations

from agentws.core.disk.files import Files
from agentws.core.formats.journal import chain, segment
from agentws.core.formats.journal.event import Event
from agentws.core.journal import head, read

BODY = "does not match its digest"
LINK = "does not match the line beside it"
VERIFY = "To list all damage: agentws journal verify"
_PREV, _MOST_HEADER_BYTES = b'"prev":"', 600
_LINE_BYTES = chain.LINE_LIMIT_BYTES


def passed_over(event: Event, wrong: str) -> str:
    """Return the notice about an event that is `wrong` and therefore skipped."""
    return f"Event {event.cursor} {wrong}, so it is skipped. {VERIFY}"


def quoted(event: Event, wrong: str) -> str:
    """Return the notice about an event that is `wrong` and therefore shown as text from outside."""
    return f"Event {event.cursor} {wrong}, so it is treated as text from outside. {VERIFY}"


def wrong(stored: bytes, after: bytes) -> str:
    """Return what is wrong with a line (without its newline), given the line `after` it or the beginning of that; empty
    for nothing.
    """
    try:
        if not chain.is_whole(stored):
            return BODY
        return "" if chain.names(after, stored) else LINK
    except ValueError:
        return BODY


def is_sound(event: Event, stored: bytes, block: bytes, behind: int) -> bool:
    """Return whether an event's line is sound, checked quickly by the next line at offset `behind` of `block`. If
    False, `wrong_in` gives the final answer.
    """
    at = block.find(_PREV, behind, behind + _MOST_HEADER_BYTES)
    return at > 0 and block.startswith(event.hash.encode(), at + len(_PREV)) and chain.is_whole(stored)


def wrong_in(files: Files, writer: str, number: int, offset: int, stored: bytes, after: bytes = b"") -> str:
    """Return what is wrong with the line at `offset` of a segment; without `after`, its neighbours are read."""
    after = after or next_line(files, writer, number, offset + len(stored) + 1)
    text = wrong(stored, after)
    return text if text or after else wrong_newest(files, writer, number, offset, stored)


def wrong_of(files: Files, event: Event) -> str:
    """Return what is wrong with the line of an event that was read; empty for nothing."""
    return wrong_in(files, event.writer, event.segment, event.offset, read.line_of(files, event))


def behind(start: int, block: bytes, offset: int, stored: bytes) -> bytes:
    """Return the line after the one at `offset`, in a block of complete lines from `start` on; empty at its end."""
    begin = offset - start + len(stored) + 1
    return block[begin : block.find(b"\n", begin)] if begin < len(block) else b""


def next_line(files: Files, writer: str, number: int, offset: int) -> bytes:
    """Return the complete line at `offset` of a segment, or the first of the next segment; empty for none."""
    data = _first(files, segment.path(writer, number), offset)
    following = segment.path(writer, number + 1)
    return data or (_first(files, following, 0) if read.exists(files, following) else b"")


def _first(files: Files, path: str, offset: int) -> bytes:
    line, newline, _ = read.piece(files, path, offset, _LINE_BYTES).partition(b"\n")
    return line if newline else b""


def wrong_newest(files: Files, writer: str, number: int, offset: int, stored: bytes) -> str:
    """Return what is wrong with the header of a writer's newest line, which no later line names yet."""
    try:
        known = None if files.is_view else head.read(files, writer)
        if known is not None and known.seq == segment.seq_of(stored):
            return "" if known.hash == chain.hash_of(stored) else LINK
        before = _before(files, writer, number, offset)
        return LINK if before and not chain.names(stored, before) else ""
    except ValueError:
        return ""  # the line before is unreadable, and reported by itself


def _before(files: Files, writer: str, number: int, offset: int) -> bytes:
    """Return the line before the one at `offset`; empty for none."""
    if offset:
        start = max(0, offset - _LINE_BYTES)
        data = read.piece(files, segment.path(writer, number), start, offset - start)
    elif number > 1 and read.exists(files, path := segment.path(writer, number - 1)):
        data = read.part(files, path, _LINE_BYTES, from_end=True)[0]
    else:
        return b""
    return data[:-1].rpartition(b"\n")[2]
