"""The journal as it is stored, read without the lock: writers, segments, lines. Specified in docs/format/journal.md.

An unterminated last line of the newest segment may be one that is being written: it is passed over.
"""

from __future__ import annotations

import os

from agentws.errors import MissingFileError, UsageError
from agentws.formats import event, layout, segment
from agentws.storage import files as _files

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from agentws.formats.event import Event

_ID_DIGITS = 16
_HEX = "0123456789abcdef"
_MOST_BYTES = segment.LIMIT_BYTES + (1 << 17)
"""No segment of ours is larger; of one that is, only so much is read at once."""


def writers(files: _files.Files) -> list[str]:
    """The ids of all that have written here, in the order in which they joined."""
    return [
        name
        for name, kind in files.names(layout.JOURNAL)
        if kind == "folder" and len(name) == _ID_DIGITS and not name.strip(_HEX)
    ]


def segments(files: _files.Files, writer: str) -> list[int]:
    """The numbers of a writer's segments, in order."""
    names = files.unsorted(f"{layout.JOURNAL}/{writer}")
    return sorted(number for name in names if (number := segment.number_of(name)))


def lines(files: _files.Files, writer: str, number: int, *, start: int = 0) -> Iterator[tuple[int, bytes]]:
    """(offset, line without its newline) of each complete line of a segment, from the line at offset `start` on."""
    path = segment.path(writer, number)
    try:
        fd = files.open(path)
    except OSError as error:
        raise _files.failure(error, path) from error
    try:
        offset = start
        while data := os.pread(fd, _MOST_BYTES, offset):
            end = data.rfind(b"\n") + 1
            if not end:
                return
            for line in data[: end - 1].split(b"\n"):
                yield offset, line
                offset += len(line) + 1
    except OSError as error:
        raise _files.failure(error, path) from error
    finally:
        os.close(fd)


def first_seq(files: _files.Files, writer: str, number: int) -> int:
    """The number of the first event of a segment, without reading the rest; 0 where it has none that can be read."""
    head = files.part(segment.path(writer, number), 1 << 8)[0]
    try:
        return segment.seq_of(head)
    except ValueError:
        return 0


def find(files: _files.Files, writer: str, seq: int) -> Event:
    """The event with this number; MissingFileError where there is none."""
    number = holding(files, writer, seq)
    for offset, line in lines(files, writer, number) if number else ():
        if line.startswith(b'{"agentws":1,"seq":%d,' % seq):
            where = segment.path(writer, number)
            return event.decode(line, writer=writer, segment=number, offset=offset, where=where)
    raise MissingFileError(f"There is no event {writer}:{seq}.", hint="See which there are: agentws journal list")


def holding(files: _files.Files, writer: str, seq: int) -> int:
    """The number of the segment that would hold the event `seq`: the last that begins at or before it; 0 for none."""
    numbers = segments(files, writer)
    low, high = 0, len(numbers)
    while low < high:
        middle = (low + high) // 2
        if first_seq(files, writer, numbers[middle]) <= seq:
            low = middle + 1
        else:
            high = middle
    return numbers[low - 1] if low else 0


def cursor(files: _files.Files, text: str) -> tuple[str, int]:
    """(writer, number) of a cursor `WRITER:SEQ`; of the writer, as much as tells it from the others will do, and
    nothing where there is only one. UsageError."""
    name, colon, number = text.strip().rpartition(":")
    known = writers(files)
    found = [writer for writer in known if writer.startswith(name) or writer.endswith(name)]
    if not (number.isascii() and number.isdigit()) or (colon and not name):
        raise UsageError(f"{text!r} is no cursor.", hint="Write WRITER:SEQ, as agentws journal list shows it.")
    if len(found) != 1:
        many = "several writers" if found else "no writer"
        raise UsageError(
            f"{text!r} names {many} of this journal.", hint=f"Writers here: {', '.join(known) or 'none yet'}."
        )
    return found[0], int(number)
