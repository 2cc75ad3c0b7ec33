"""The retractions in a whole journal: closed segments are searched once, and the result is cached."""

from __future__ import annotations

from agentws.core.formats import layout
from agentws.core.formats.journal import event, segment
from agentws.core.formats.journal.retraction import Retraction, Retractions, decode
from agentws.core.journal import read, select

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from agentws.core.disk.cache import Cache
    from agentws.core.disk.files import Files

    Row = list[Any]
    """Writer, number and stamp of a segment, and its retractions."""

_ENTRY = "retracted"


def of(files: Files, cache: Cache, writers: Sequence[str]) -> Retractions:
    """Return the retractions by these writers; those by others do not count."""
    known = {(row[0], row[1]): row for row in cache.get(_ENTRY) or []}
    rows: list[Row] = []
    retractions: list[Retraction] = []
    for writer in writers:
        for number, stamp in sorted(_stamps(files, writer).items()):
            row = known.get((writer, number))
            if row is None or row[2] != stamp:
                row = [writer, number, stamp, [retraction.plain() for retraction in _within(files, writer, number)]]
            rows.append(row)
            retractions += [Retraction(*value) for value in row[3]]
    closed = [row for at, row in enumerate(rows) if at + 1 < len(rows) and rows[at + 1][0] == row[0]]
    if any(known.get((row[0], row[1])) != row for row in closed):
        cache.put(_ENTRY, closed, made_by=(__file__,))
    return Retractions(retractions)


def first_seq(files: Files, path: str) -> int:
    """Return the number of the first event of the segment at `path`; each line after it has the next number."""
    _, writer, name = path.split("/")
    return read.first_seq(files, writer, segment.number_of(name) or 1)


def _stamps(files: Files, writer: str) -> dict[int, str]:
    """Return the stamp of each segment by its number, by listing two folders: there may be thousands of segments."""
    plain = files.stamped_names(f"{layout.JOURNAL}/{writer}")
    packed = files.stamped_names(segment.packed_folder(writer))  # listed last: one may be compressed in between
    stamps = {segment.packed_number_of(name): stamp for name, _, stamp in packed}
    stamps |= {segment.number_of(name): stamp for name, _, stamp in plain}
    return {number: stamp for number, stamp in stamps.items() if number}


def _within(files: Files, writer: str, number: int) -> list[Retraction]:
    """Return the retractions in a segment; a line that was changed retracts nothing."""
    reader = select.Reader(files, select.Wanted(kinds=(event.RETRACTED,)))
    retractions = []
    for start, block in read.blocks(files, writer, number):
        for entry in reader.within(writer, number, start, block):
            try:
                retractions.append(decode(entry))
            except ValueError:
                continue  # its body was purged, or names no event
    return retractions
