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
                wrong = _wrong(files, parts[1], number, original)
            except (AgentwsError, ValueError) as error:
                wrong = str(error)
            if wrong:
                found.append(f"{path}: {wrong}")
    return found


def _wrong(files: Files, writer: str, number: int, original: Files) -> str:
    """Return what is wrong with the first line of the segment that does not follow; empty for nothing."""
    lines = _lines(files, writer, number)
    place = files if number - 1 in read.segments(files, writer) else original
    before = _lines(place, writer, number - 1) if number - 1 in read.segments(place, writer) else b""
    last = before[:-1].rpartition(b"\n")[2]
    known = (segment.seq_of(last), chain.hash_of(last)) if last else None
    return chain.unbroken(lines, known, sha256=hashlib.sha256).wrong if lines else ""


def _lines(files: Files, writer: str, number: int) -> bytes:
    return b"".join(block for _, block in read.blocks(files, writer, number))
