"""Retirement of a journal's oldest segments (`journal.keep`): ordered by a sealed event, then removed.

Every step may be repeated: the next run finishes what a killed process left half done. Specified in
docs/format/journal.md.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator

from agentws.core.disk import lock
from agentws.core.disk.files import Files
from agentws.core.formats.journal import event, purge as _purge, segment
from agentws.core.formats.journal.event import Event
from agentws.core.formats.journal.purge import Retirement
from agentws.core.formats.json import plainjson
from agentws.core.journal import read, reference
from agentws.core.journal.sealing import pack, purge
from agentws.core.journal.select import Reader, Wanted
from agentws.errors import DamagedError, MissingFileError

_ORDERS = (event.PURGE, event.RETRACTED)
_ORDERING = tuple(f'"kind":"{kind}"'.encode() for kind in _ORDERS)
_AT = b'"at":"'
_ODD = (DamagedError, MissingFileError, ValueError, KeyError, TypeError)


def due(files: Files, writer: str, cutoff: str, *, kept: int = 0) -> Retirement | None:
    """Return the retirement of the segments that ended before a moment (`2026-11-20T…Z`), None for none of them.

    Not retired: the newest segments, unsealed or damaged ones, and those that order the purge of a line which stays;
    nor any segment behind one of these, or behind the event with the number `kept` (0: none).
    """
    numbers = read.segments(files, writer)
    sealed = reference.outlined(files, writer).sealed
    result = None
    for number in numbers[: -pack.NEWEST]:
        ends = _ended(files, writer, number + 1)
        if ends is None or ends[0] >= cutoff or ends[1] > sealed or 0 < kept <= ends[1]:
            break
        if not _may_go(files, writer, number):
            break
        result = Retirement(writer, number, seq=ends[1], hash=ends[2], seal=sealed)
    return result


def _ended(files: Files, writer: str, following: int) -> tuple[str, int, str] | None:
    """Return the time, number and hash of a segment's last event, from the first line of the `following` segment."""
    path = segment.path(writer, following)
    try:
        before = read.before(files, writer, following)
        line = read.beginning(files, path, 1 << 10)
    except MissingFileError:
        return None
    start = line.find(_AT) + len(_AT)
    return (line[start : line.find(b'"', start)].decode("ascii", "replace"), *before) if before else None


def _may_go(files: Files, writer: str, number: int) -> bool:
    """Return whether a segment is unchanged, and neither purges nor retracts a line that stays."""
    path = segment.path(writer, number)
    try:
        lines = read.part(files, path, 1 << 24)[0]
        pack.check(path, lines)
        named = (line for line in lines.split(b"\n") if any(word in line for word in _ORDERING))
        return not any(_holds(files, writer, line) for line in named)
    except _ODD:
        return False


def _holds(files: Files, writer: str, line: bytes) -> bool:
    """Return whether a line purges or retracts a present line of another writer: it still explains that line."""
    if segment.kind_of(line) not in _ORDERS:
        return False
    body = plainjson.loads(line)["body"]
    if body is None or body["writer"] == writer:
        return False  # the line precedes its order
    try:
        return bool(read.find(files, body["writer"], body["seq"]))
    except MissingFileError:
        return False


def orders(
    files: Files, is_good: Callable[[Event], bool], *, but: Collection[str] = ()
) -> Iterator[tuple[Retirement, Event]]:
    """Yield the valid retirements in the newest segments of all writers `but` these, each with its event."""
    for by in read.writers(files):
        if by in but:
            continue
        reader = Reader(files, Wanted(kinds=(event.RETIRED,)))
        first = min(read.newest(files, by, pack.NEWEST), default=1)
        for entry in reader.newest(by, 1 << 10, first=first):
            try:
                if not entry.wrong and is_good(entry):
                    yield _purge.decode_retirement(entry.body), entry
            except ValueError:
                continue


def is_told(files: Files, by: str, wanted: Retirement) -> bool:
    """Return whether a writer has already recorded this retirement, sealed or not."""
    first = min(read.newest(files, by, pack.NEWEST), default=1)
    for entry in Reader(files, Wanted(kinds=(event.RETIRED,))).newest(by, 1 << 10, first=first):
        body = entry.body or {}
        if (body.get("writer"), body.get("through")) == (wanted.writer, wanted.through):
            return True
    return False


def stands(files: Files, order: Retirement) -> list[int]:
    """Return the numbers of the present segments that the retirement names; never one of the newest."""
    return [number for number in read.segments(files, order.writer)[: -pack.NEWEST] if number <= order.through]


def carry_out(files: Files, order: Retirement) -> list[str]:
    """Remove the retired segments, oldest first, and their blobs; returns the RelPaths of the segments.

    DamagedError if the last of them is not the one that the order names.
    """
    gone = stands(files, order)
    if not gone:
        return []
    ends = _ended(files, order.writer, order.through + 1)
    if ends is None or ends[1:] != (order.seq, order.hash):
        raise DamagedError(
            f"{segment.path(order.writer, order.through)}: not the segment that was to be retired.",
            hint="To list all damage: agentws journal verify",
        )
    for number in gone:
        path = segment.path(order.writer, number)
        with lock.Lock(files, lock.APPEND):
            for place in (path, segment.packed_path(path)):
                if files.exists(place):
                    files.remove(place, expects=files.digest(place))
    clear(files, order)
    purge.sweep(files, order.writer)
    return [segment.path(order.writer, number) for number in gone]


def clear(files: Files, order: Retirement) -> None:
    """Remove what a killed `carry_out` has left beside the segments."""
    with lock.Lock(files, lock.APPEND):
        for folder in (segment.packed_folder(order.writer).rpartition("/")[0], segment.packed_folder(order.writer)):
            for name in files.unsorted(folder):
                stem = name[1:].removesuffix(pack.OLD)
                number = segment.number_of(stem.removesuffix(segment.GZ)) if name.endswith(pack.OLD) else None
                if number and number <= order.through and not files.exists(f"{folder}/{stem}"):
                    files.settle(f"{folder}/{stem}", expects=files.digest(f"{folder}/{name}"))
