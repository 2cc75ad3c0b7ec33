"""Forks of a writer's journal: a restored snapshot, or a copy, has continued from the same number."""

from __future__ import annotations

from agentws.core.formats.journal import chain
from agentws.core.journal import read
from agentws.errors import AgentwsError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from agentws.core.disk.files import Files


def hash_of(files: Files, writer: str, seq: int) -> str:
    """Return the hash of the event with this number; empty if it is missing or cannot be read."""
    start = b'{"agentws":1,"seq":%d,' % seq
    try:
        number = read.holding(files, writer, seq)
        for _, line in read.lines(files, writer, number) if number else ():
            if line.startswith(start):
                return chain.hash_of(line)
    except (AgentwsError, ValueError):
        return ""
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
