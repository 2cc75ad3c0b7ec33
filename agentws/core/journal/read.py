"""Reading the stored journal without the lock: writers, segments, lines. Specified in docs/format/journal.md.

An unterminated last line of the newest segment may be in the middle of a write: it is skipped.
"""

from __future__ import annotations

import os

from agentws.core.disk import files as _files
from agentws.core.formats import layout
from agentws.core.formats.journal import chain, event, segment, summary
from agentws.core.formats.json import plainjson
from agentws.errors import AgentwsError, DamagedError, MissingFileError, UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from agentws.core.formats.journal.event import Body, Event
    from agentws.core.installation.installation import Installation

_ID_DIGITS = 16
_MOST_DIGITS = 18
_HEX = "0123456789abcdef"
MOST_BYTES = segment.LIMIT_BYTES + (1 << 17)
"""Larger than any segment by agentws; of a larger file only so much is read at once."""
_TAIL_BYTES = 1 << 13
"""Most lines are shorter."""


def writers(files: _files.Files) -> list[str]:
    """Return the ids of all writers of the journal, in the order in which they joined."""
    return [
        name
        for name, kind in files.names(layout.JOURNAL)
        if kind == "folder" and len(name) == _ID_DIGITS and not name.strip(_HEX)
    ]


def segments(files: _files.Files, writer: str) -> list[int]:
    """Return the numbers of a writer's segments, in order."""
    return sorted(newest_first(files, writer))


def newest_first(files: _files.Files, writer: str) -> Iterator[int]:
    """Yield the numbers of a writer's segments, newest first; compressed ones are listed only when reached."""
    names = files.unsorted(f"{layout.JOURNAL}/{writer}")
    plain = sorted((number for name in names if (number := segment.number_of(name))), reverse=True)
    count = next((index for index, number in enumerate(plain) if number != plain[0] - index), len(plain))
    yield from plain[:count]
    # Listed last: a segment that is compressed in between is in both lists.
    names = files.unsorted(segment.packed_folder(writer))
    others = {number for name in names if (number := segment.packed_number_of(name))}
    yield from sorted(others.union(plain).difference(plain[:count]), reverse=True)


def newest(files: _files.Files, writer: str, count: int) -> list[int]:
    """Return the numbers of the newest segments, at most `count`, in order."""
    from itertools import islice

    return list(islice(newest_first(files, writer), count))[::-1]


def later(files: _files.Files, writer: str, number: int) -> list[int]:
    """Return the numbers of a writer's segments above `number`, in order."""
    from itertools import takewhile

    return [*takewhile(lambda count: count > number, newest_first(files, writer))][::-1]


def part(files: _files.Files, path: str, limit_bytes: int, *, from_end: bool = False) -> tuple[bytes, int]:
    """As Files.part, of the segment at `path`, compressed or not."""
    try:
        return files.part(path, limit_bytes, from_end=from_end)
    except MissingFileError:
        from agentws.core.journal import unpacked  # seldom needed: the newest ones are not compressed

        return unpacked.part(files, path, limit_bytes, from_end=from_end)


def piece(files: _files.Files, path: str, offset_bytes: int, limit_bytes: int) -> bytes:
    """As Files.piece, of the segment at `path`, compressed or not."""
    try:
        return files.piece(path, offset_bytes, limit_bytes)
    except MissingFileError:
        from agentws.core.journal import unpacked  # seldom needed: the newest ones are not compressed

        return unpacked.content(files, path)[offset_bytes : offset_bytes + limit_bytes]


def beginning(files: _files.Files, path: str, count: int) -> bytes:
    """Return the first `count` bytes of the segment at `path`, compressed or not."""
    try:
        return files.part(path, count)[0]
    except MissingFileError:
        from agentws.core.journal import unpacked  # seldom needed: the newest ones are not compressed

        return unpacked.beginning(files, path, count)


def exists(files: _files.Files, path: str) -> bool:
    """Return whether the segment at `path` exists, compressed or not."""
    return files.exists(path) or files.exists(segment.packed_path(path))


def status(files: _files.Files, path: str) -> os.stat_result:
    """As Files.status, of the segment at `path`, or of its compressed form."""
    try:
        return files.status(path)
    except MissingFileError:
        return files.status(segment.packed_path(path))


def blocks(
    files: _files.Files, writer: str, number: int, *, start: int = 0, rest: bool = False
) -> Iterator[tuple[int, bytes]]:
    """Yield (offset, bytes) of the complete lines of a segment, many at once, from the line at offset `start` on.

    With `rest`, also what follows the last newline (or the beginning of it, if it is long).
    """
    path = segment.path(writer, number)
    try:
        fd = files.open(path)
    except FileNotFoundError:
        from agentws.core.journal import unpacked  # seldom needed: the newest ones are not compressed

        data = unpacked.content(files, path)[start:]
        end = data.rfind(b"\n") + 1 if not rest else len(data)
        if end:
            yield start, data[:end]
        return
    except OSError as error:
        raise _files.failure(error, path) from error
    try:
        offset = start
        while data := os.pread(fd, MOST_BYTES, offset):
            end = data.rfind(b"\n") + 1
            if not end:
                if rest:
                    yield offset, data
                return
            yield offset, data if end == len(data) else data[:end]
            offset += end
    except OSError as error:
        raise _files.failure(error, path) from error
    finally:
        os.close(fd)


def lines(files: _files.Files, writer: str, number: int, *, start: int = 0) -> Iterator[tuple[int, bytes]]:
    """Yield (offset, line without its newline) of each complete line of a segment, from offset `start` on."""
    for begin, block in blocks(files, writer, number, start=start):
        offset = begin
        for line in block[:-1].split(b"\n"):
            yield offset, line
            offset += len(line) + 1


def last_seq(files: _files.Files, writer: str) -> int:
    """Return the number of a writer's newest event; 0 for none."""
    for number in newest_first(files, writer):
        last = 0
        for _, block in blocks(files, writer, number):
            last = segment.seq_in(block[block.rfind(b"\n", 0, -1) + 1 :]) or last
        if last:
            return last
    return 0


def first_seq(files: _files.Files, writer: str, number: int) -> int:
    """Return the number of a segment's first event, without reading the rest; 0 if it has no readable one."""
    return segment.seq_in(beginning(files, segment.path(writer, number), 1 << 8))


def before(files: _files.Files, writer: str, number: int) -> tuple[int, str] | None:
    """Return (number, hash) of the line before a segment, read from the segment's first line; None if unreadable."""
    first = beginning(files, segment.path(writer, number), chain.LINE_LIMIT_BYTES).partition(b"\n")[0]
    try:
        return chain.before(first)
    except ValueError:
        return None


def retired(files: _files.Files, writer: str) -> int:
    """Return the number of the last event before the oldest segment present; 0 if nothing was removed."""
    numbers = segments(files, writer)
    if not numbers or numbers[0] == 1:
        return 0
    return max(0, first_seq(files, writer, numbers[0]) - 1)


def newest_line(files: _files.Files, writer: str) -> bytes:
    """Return the newest complete line of a writer, without its newline; empty if none can be read."""
    return next((line for number in newest_first(files, writer) if (line := _last_line(files, writer, number))), b"")


def is_as_left(files: _files.Files, own: Installation) -> bool:
    """Return whether this installation's journal ends with the event that it wrote last, and it has lost none."""
    from agentws.core.installation import installation

    mark = installation.mark(own)
    if mark is None or own.record.get(installation.LOST):
        return False
    try:
        line = newest_line(files, mark.writer)
        return segment.seq_of(line) == mark.seq and chain.hash_of(line) == mark.hash
    except (AgentwsError, ValueError):
        return False


def _last_line(files: _files.Files, writer: str, number: int) -> bytes:
    for size in (_TAIL_BYTES, 2 * chain.LINE_LIMIT_BYTES):
        data = part(files, segment.path(writer, number), size, from_end=True)[0]
        line = data[: data.rfind(b"\n") + 1].rstrip(b"\n").rpartition(b"\n")[2]
        if _is_sound(line):
            return line
    return b""


def gaps(files: _files.Files, writer: str, after: int = 0) -> list[int]:
    """Return the numbers at which events of a writer are missing between present ones, by the ends of its segments.

    Events before the number `after` are not checked. Compressed segments count as whole. Retired events are missing
    too.
    """
    begin = holding(files, writer, after) or 1 if after else 1
    result, following, before_it = [], 0 if after else 1, begin - 1
    for number in later(files, writer, begin - 1):
        first = first_seq(files, writer, number)
        if not first:
            continue  # the next one shows what is missing
        if following and first > following:
            result.append(following)
        elif not following and number != before_it + 1:
            result.append(first - 1)
        last = segment.seq_in(_last_line(files, writer, number)) if files.exists(segment.path(writer, number)) else -1
        following, before_it = last + 1, number
    return result


def _is_sound(line: bytes) -> bool:
    try:
        return line.startswith(b'{"agentws":1,') and bool(segment.seq_of(line)) and bool(chain.header(line))
    except ValueError:
        return False


def body(files: _files.Files, record: Event) -> Body | None:
    """Return the complete body of an event, from its blob if it has one; None if it was purged.

    DamagedError if the blob is missing or was changed.
    """
    if record.body is None or not summary.is_blob(record.body):
        return record.body
    from agentws.core.journal import entry

    content = entry.read_blob(files, record.writer, record.body["blob"])
    complete: Body = plainjson.loads(content)
    return event.upcast(record.kind, complete)


def complete(files: _files.Files, record: Event, notices: list[str]) -> Event:
    """Return the event with its complete body; if that cannot be read, as it is, with a notice."""
    try:
        record.body = body(files, record)
    except DamagedError as error:
        notices.append(f"{record.cursor}: {error.message}")
    return record


def stored(files: _files.Files, writer: str, seq: int) -> tuple[int, int, bytes] | None:
    """Return (segment, offset, line) of the event with this number, or None. The line is not checked."""
    number = holding(files, writer, seq)
    for offset, line in lines(files, writer, number) if number else ():
        if line.startswith(b'{"agentws":1,"seq":%d,' % seq):
            return number, offset, line
    return None


def line_of(files: _files.Files, record: Event) -> bytes:
    """Return the stored line of an event that was read."""
    path = segment.path(record.writer, record.segment)
    return piece(files, path, record.offset, chain.LINE_LIMIT_BYTES).partition(b"\n")[0]


def find(files: _files.Files, writer: str, seq: int) -> Event:
    """Return the event of a writer with this number; MissingFileError if it is missing."""
    if place := stored(files, writer, seq):
        number, offset, line = place
        where = segment.path(writer, number)
        return event.decode(line, writer=writer, segment=number, offset=offset, where=where)
    if 0 < seq <= retired(files, writer):
        raise MissingFileError(
            f"Event {writer}:{seq} was retired: the journal begins with a later one.",
            hint="Look for it in a backup. The rule is journal.keep in agentws.toml.",
        )
    raise MissingFileError(f"No event {writer}:{seq}.", hint="To list the events: agentws journal list")


def holding(files: _files.Files, writer: str, seq: int) -> int:
    """Return the number of the segment that would hold the event `seq`; 0 for none."""
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
    """Return (writer, number) for a cursor `WRITER:SEQ`. An unambiguous part of the writer's id is enough; it may be
    left out if there is only one writer. UsageError.
    """
    name, colon, number = text.strip().rpartition(":")
    known = writers(files)
    names = _matching(known, name)
    if not (number.isascii() and number.isdigit() and len(number) <= _MOST_DIGITS) or (colon and not name):
        raise UsageError(
            f"{text!r} is not the place of an event.", hint="Write WRITER:SEQ, as `agentws journal list` shows."
        )
    if len(names) != 1:
        raise _unclear(text, known, names)
    return names[0], int(number)


def position(files: _files.Files, text: str) -> dict[str, int]:
    """Return the number after which to continue, by writer, for a cursor: `WRITER:SEQ`, or several with commas."""
    return dict(cursor(files, name) for name in text.split(","))


def writer_of(files: _files.Files, name: str) -> str:
    """Return the complete id of a writer from an unambiguous part of it. UsageError."""
    known = writers(files)
    names = _matching(known, name)
    if len(names) != 1:
        raise _unclear(name, known, names)
    return names[0]


def _matching(known: list[str], name: str) -> list[str]:
    if name in known:
        return [name]
    return [writer for writer in known if writer.startswith(name) or writer.endswith(name)]


def _unclear(text: str, known: list[str], names: list[str]) -> UsageError:
    many = "several writers" if names else "no writer"
    return UsageError(f"{text!r} matches {many} of this journal.", hint=f"Writers: {', '.join(known) or 'none yet'}.")
