"""Check the hash chain of the journal segments that a backup has copied, also across segments."""

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
    """Return what is wrong with the chain of each segment among `paths`; `journal verify` checks whole journals.

    `original` has the unchanged segments that were not copied.
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
    """Raise ValueError if a line of the segment does not follow the one before."""
    seq, prev = _before(files if number - 1 in read.segments(files, writer) else original, writer, number)
    for _, block in read.blocks(files, writer, number):
        for stored in block[:-1].split(b"\n"):
            if not seq:
                seq, prev = segment.seq_of(stored) - 1, _prev(stored)
            prev = chain.check(stored, seq=seq + 1, prev=prev, sha256=hashlib.sha256)
            seq += 1


def _before(files: Files, writer: str, number: int) -> tuple[int, str]:
    """Return the number and hash of the previous segment's last line; (0, "") if there is no such segment."""
    last = b""
    if number > 1 and number - 1 in read.segments(files, writer):
        for _, block in read.blocks(files, writer, number - 1):
            last = block[:-1].rpartition(b"\n")[2]
    return (segment.seq_of(last), chain.hash_of(last)) if last else (0, "")


def _prev(stored: bytes) -> str:
    """Return the hash of the previous line, as a stored line names it (`prev`)."""
    return stored.partition(b'"prev":"')[2].partition(b'"')[0].decode("ascii", "replace")
