"""Merge two copies of a journal segment: the longer one, without what either side has purged. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from agentws.core.formats.journal import chain, event, packed, purge, segment
from agentws.core.formats.journal.purge import Retirement
from agentws.core.formats.json import plainjson
from agentws.errors import AgentwsError
from agentws.features.sync.plan.plan import Blobs, Value

_LIMIT_BYTES = segment.LIMIT_BYTES + 2 * chain.LINE_LIMIT_BYTES
_ODD = (ValueError, KeyError, TypeError, AttributeError, RecursionError)
_RETIRED = b'"kind":"%s"' % event.RETIRED.encode()


class OtherHistoryError(ValueError):
    """Neither of two copies of a segment continues the other."""


@dataclass(slots=True)
class Copy:
    """One side's copy of a segment: its `plain` file, its `packed` file or both."""

    plain: Value = None
    packed: Value = None

    def lines(self, blobs: Blobs) -> bytes:
        """Return the lines of the plain file, else of the packed one; OtherHistoryError if it cannot be unpacked."""
        if self.plain is not None:
            return blobs.bytes_of(self.plain)
        try:
            return packed.unpack(blobs.bytes_of(self.packed), _LIMIT_BYTES)
        except ValueError as error:
            raise OtherHistoryError(str(error)) from None


def merged(ours: Copy, theirs: Copy, blobs: Blobs) -> tuple[Copy, bytes]:
    """Return the merged segment and its lines; OtherHistoryError if neither copy continues the other."""
    mine, other = ours.lines(blobs), theirs.lines(blobs)
    lines = mine if mine == other else united(mine, other)
    # A line without its end in the chosen copy is just being written: it stays.
    alike = [copy for copy, each in ((ours, mine), (theirs, other)) if lines in (each, whole(each))]
    if ours.packed is None and theirs.packed is None:
        return Copy(alike[0].plain if alike else lines), lines
    packs = [copy.packed for copy in alike if copy.packed is not None and copy.plain is None]
    return Copy(packed=min(packs, key=str) if packs else packed.pack(lines)), lines


def united(data: bytes, other: bytes) -> bytes:
    """Return the united lines of a segment's copies, without an unfinished one; OtherHistoryError if they differ."""
    data, other = whole(data), whole(other)
    shorter, longer = sorted((data, other), key=len)
    if not longer.startswith(shorter):
        shorter, longer = sorted((data, other), key=lambda each: (each.count(b"\n"), each))
        count = shorter.count(b"\n")
        lines = longer.split(b"\n")
        pairs = zip(shorter.split(b"\n")[:-1], lines[:count], strict=True)
        both = b"".join(_line(first, second) + b"\n" for first, second in pairs)
        longer, shorter = both + b"\n".join(lines[count:]), both
    if len(shorter) < len(longer):
        _check_follows(shorter, longer[len(shorter) :])
    return longer


def whole(lines: bytes) -> bytes:
    """Return the whole lines of a segment: all but an unfinished last one."""
    return lines[: lines.rfind(b"\n") + 1]


def last(lines: bytes) -> bytes:
    """Return the last whole line of a segment, without its end."""
    return whole(lines)[:-1].rpartition(b"\n")[2]


def follows(before: bytes, lines: bytes) -> bool:
    """Return whether `lines` follow the segment `before`: the first line names its last one."""
    first = lines.partition(b"\n")[0]
    try:
        seq = segment.seq_of(last(before))
        return segment.seq_of(first) == seq + 1 and chain.names(first, last(before))
    except ValueError:
        return False


def prev(lines: bytes) -> str:
    """Return the `prev` hash in the first line of a segment; empty without one."""
    _, _, rest = lines.partition(b"\n")[0].partition(b'"prev":"')
    return rest.partition(b'"')[0].decode("ascii", "replace")


def blob_names(lines: bytes) -> Iterator[str]:
    """Yield the names of the blobs that the events in a segment's lines refer to."""
    for line in lines.split(b"\n"):
        try:
            if name := purge.blob(line):
                yield name
        except (AgentwsError, *_ODD):
            continue


def retirements(lines: bytes) -> Iterator[Retirement]:
    """Yield the retirements that the events in a segment's lines record."""
    for line in lines.split(b"\n") if _RETIRED in lines else ():
        try:
            if _RETIRED in line and segment.kind_of(line) == event.RETIRED:
                yield purge.decode_retirement(plainjson.loads(line)["body"])
        except _ODD:
            continue


def _line(data: bytes, other: bytes) -> bytes:
    """Return one of two copies of an event line, the purged one if they differ."""
    if data == other:
        return data
    try:
        if chain.header(data) != chain.header(other):
            raise OtherHistoryError("an event differs")
    except ValueError as error:
        raise OtherHistoryError(str(error)) from None
    purged = [each for each in sorted((data, other)) if chain.was_purged(each) and chain.is_whole(each)]
    if not purged:
        raise OtherHistoryError("the body of an event differs")
    return purged[0]


def _check_follows(before: bytes, rest: bytes) -> None:
    """Raise OtherHistoryError if the lines in `rest` do not follow those in `before`."""
    try:
        if before:
            end = last(before)
            wrong = chain.unbroken(rest, (segment.seq_of(end), chain.hash_of(end))).wrong
            if wrong:
                raise OtherHistoryError(wrong)
    except ValueError as error:
        raise OtherHistoryError(str(error)) from None
