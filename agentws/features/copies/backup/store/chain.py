"""The chain of the segments that were copied: each line follows the one before, also over the end of a segment."""

from __future__ import annotations

import hashlib

from agentws.core.formats import layout
from agentws.core.formats.journal import chain, segment
from agentws.core.journal import read
from agentws.errors import AgentwsError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from agentws.core.disk.files import Files


def breaks(files: Files, paths: Iterable[str], original: Files) -> list[str]:
    """What is wrong with the segments among `paths`, each read on its own; `journal verify` looks at all of it.

    `original` has the segments that were not copied, since they are as they were.
    """
    found = []
    for path in sorted(paths):
        parts = path.split("/")
        number = segment.number_of(parts[-1]) if len(parts) == 3 and parts[0] == layout.JOURNAL else None
        if number is not None:
            try:
                _segment(files, parts[1], number, original)
            except (AgentwsError, ValueError) as error:
                found.append(f"{path}: {error}")
    return found


def _segment(files: Files, writer: str, number: int, original: Files) -> None:
    """ValueError where a line does not follow the one before."""
    seq, prev = _before(files if number - 1 in read.segments(files, writer) else original, writer, number)
    for _, block in read.blocks(files, writer, number):
        for stored in block[:-1].split(b"\n"):
            if not seq:
                seq, prev = segment.seq_of(stored) - 1, _prev(stored)
            prev = chain.check(stored, seq=seq + 1, prev=prev, sha256=hashlib.sha256)
            seq += 1


def _before(files: Files, writer: str, number: int) -> tuple[int, str]:
    """Number and hash of the newest line of the segment before; (0, "") where there is none that can be read."""
    last = b""
    if number > 1 and number - 1 in read.segments(files, writer):
        for _, block in read.blocks(files, writer, number - 1):
            last = block[:-1].rpartition(b"\n")[2]
    return (segment.seq_of(last), chain.hash_of(last)) if last else (0, "")


def _prev(stored: bytes) -> str:
    """The hash that a line names as that of the line before."""
    return stored.partition(b'"prev":"')[2].partition(b'"')[0].decode("ascii", "replace")
