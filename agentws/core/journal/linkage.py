"""The link of a stored line: its digest and its neighbours, checked without a whole walk.

The line after names each line by its hash. The newest has none after it: it has to name the one before, and to be the
one that this machine remembers.
"""

from __future__ import annotations

from agentws.core.formats.journal import chain, segment
from agentws.core.journal import head, read

TYPE_CHECKING = False
if TYPE_CHECKING:
    from agentws.core.disk.files import Files
    from agentws.core.formats.journal.event import Event

BODY = "does not match its digest"
LINK = "does not match the line beside it"
VERIFY = "To list all damage: agentws journal verify"
_PREV, _MOST_HEADER_BYTES = b'"prev":"', 600
_LINE_BYTES = chain.LINE_LIMIT_BYTES


def passed_over(found: Event, wrong: str) -> str:
    """The sentence about an event that is `wrong`, and not shown."""
    return f"Event {found.cursor} {wrong}, so it is skipped. {VERIFY}"


def quoted(found: Event, wrong: str) -> str:
    """The sentence about an event that is `wrong`, and shown as somebody else's words."""
    return f"Event {found.cursor} {wrong}, so it is treated as text from outside. {VERIFY}"


def wrong(stored: bytes, after: bytes) -> str:
    """Return what is wrong with a line (without its newline) before the line `after`, or before the beginning of
    one; empty where nothing is.
    """
    try:
        if not chain.is_whole(stored):
            return BODY
        return "" if chain.names(after, stored) else LINK
    except ValueError:
        return BODY


def is_sound(found: Event, stored: bytes, block: bytes, behind: int) -> bool:
    """Return whether nothing is wrong with an event's line, told quickly where the line after it stands in `block`, at
    the offset `behind`. Where that cannot be told so, `wrong_in` can.
    """
    at = block.find(_PREV, behind, behind + _MOST_HEADER_BYTES)
    return at > 0 and block.startswith(found.hash.encode(), at + len(_PREV)) and chain.is_whole(stored)


def wrong_in(files: Files, writer: str, number: int, offset: int, stored: bytes, after: bytes = b"") -> str:
    """The same of the line at `offset` of a segment; its neighbours are looked up where no line `after` it is given."""
    after = after or next_line(files, writer, number, offset + len(stored) + 1)
    found = wrong(stored, after)
    return found if found or after else wrong_newest(files, writer, number, offset, stored)


def wrong_of(files: Files, found: Event) -> str:
    """The same of an event that was read."""
    piece = read.piece(files, segment.path(found.writer, found.segment), found.offset, _LINE_BYTES)
    return wrong_in(files, found.writer, found.segment, found.offset, piece.partition(b"\n")[0])


def behind(start: int, block: bytes, offset: int, stored: bytes) -> bytes:
    """The line behind the one at `offset`, in a block of complete lines that begins at `start`; empty where it ends."""
    begin = offset - start + len(stored) + 1
    return block[begin : block.find(b"\n", begin)] if begin < len(block) else b""


def next_line(files: Files, writer: str, number: int, offset: int) -> bytes:
    """The complete line at `offset` of a segment, or else the first of the next one; empty where there is none."""
    here = _first(files, segment.path(writer, number), offset)
    following = segment.path(writer, number + 1)
    return here or (_first(files, following, 0) if read.exists(files, following) else b"")


def _first(files: Files, path: str, offset: int) -> bytes:
    line, newline, _ = read.piece(files, path, offset, _LINE_BYTES).partition(b"\n")
    return line if newline else b""


def wrong_newest(files: Files, writer: str, number: int, offset: int, stored: bytes) -> str:
    """Return what is wrong with the header of a writer's newest line, which no other line names yet."""
    try:
        known = None if files.is_view else head.read(files, writer)
        if known is not None and known.seq == segment.seq_of(stored):
            return "" if known.hash == chain.hash_of(stored) else LINK
        before = _before(files, writer, number, offset)
        return LINK if before and not chain.names(stored, before) else ""
    except ValueError:
        return ""  # what stands before it is no line, and said to be none


def _before(files: Files, writer: str, number: int, offset: int) -> bytes:
    """The line before the one at `offset`; empty where that is the first, or none is there."""
    if offset:
        start = max(0, offset - _LINE_BYTES)
        data = read.piece(files, segment.path(writer, number), start, offset - start)
    elif number > 1 and read.exists(files, path := segment.path(writer, number - 1)):
        data = read.part(files, path, _LINE_BYTES, from_end=True)[0]
    else:
        return b""
    return data[:-1].rpartition(b"\n")[2]
