"""The hash chain of copied journals: segments whose chain is broken, and journals that went on in two ways."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from agentws.core.disk.files import Files
from agentws.core.formats import layout
from agentws.core.formats.journal import chain, segment
from agentws.core.journal import read
from agentws.errors import AgentwsError


def breaks(files: Files, paths: Iterable[str], original: Files) -> list[str]:
    """Return what is wrong with the chain of each segment among `paths`; `journal verify` checks whole journals.

    `original` has the unchanged segments that were not copied.
    """
    result = []
    for path in sorted(paths):
        parts = path.split("/")
        number = segment.number_of(parts[-1]) if len(parts) == 3 and parts[0] == layout.JOURNAL else None
        if number is not None:
            try:
                wrong = _wrong(files, parts[1], number, original)
            except (AgentwsError, ValueError) as error:
                wrong = str(error)
            if wrong:
                result.append(f"{path}: {wrong}")
    return result


def _wrong(files: Files, writer: str, number: int, original: Files) -> str:
    """Return what is wrong with the first line of the segment that does not follow; empty for nothing."""
    from hashlib import sha256  # fast, but slow to load

    lines = _lines(files, writer, number)
    place = files if number - 1 in read.segments(files, writer) else original
    before = _lines(place, writer, number - 1) if number - 1 in read.segments(place, writer) else b""
    last = before[:-1].rpartition(b"\n")[2]
    known = (segment.seq_of(last), chain.hash_of(last)) if last else None
    return chain.unbroken(lines, known, sha256=sha256).wrong if lines else ""


def _lines(files: Files, writer: str, number: int) -> bytes:
    return b"".join(block for _, block in read.blocks(files, writer, number))


# Forks: a restored snapshot, or a copy, has continued from the same number


def hash_of(files: Files, writer: str, seq: int) -> str:
    """Return the hash of the event with this number; empty if it is missing or cannot be read."""
    try:
        place = read.stored(files, writer, seq)
        return chain.hash_of(place[2]) if place else ""
    except (AgentwsError, ValueError):
        return ""


def differs(files: Files, writer: str, seq: int, hash: str) -> bool:
    """Return whether the event with this number has another hash than `hash`."""
    return hash_of(files, writer, seq) not in ("", hash)


def shared(files: Files, heads: Mapping[str, tuple[int, str]], there: Files | None = None) -> dict[str, int]:
    """Return, by writer, the newest event number that a workspace shares with a copy that has these `heads`.

    Without the copy's files (`there`), only the newest event can be recognized as different.
    """
    return {writer: _shared(files, writer, seq, hash_, there) for writer, (seq, hash_) in heads.items()}


def _shared(files: Files, writer: str, seq: int, hash: str, there: Files | None) -> int:
    end = min(seq, read.last_seq(files, writer))
    if there is None:
        return end - (end == seq and differs(files, writer, seq, hash))
    low, high = 0, end + 1
    if not _is_other(files, there, writer, end):
        return end
    while high - low > 1:  # what follows another event is another one: each holds the hash of the one before
        middle = (low + high) // 2
        low, high = (low, middle) if _is_other(files, there, writer, middle) else (middle, high)
    return low


def _is_other(files: Files, there: Files, writer: str, seq: int) -> bool:
    hash_ = hash_of(there, writer, seq) if seq else ""
    return bool(hash_) and differs(files, writer, seq, hash_)
