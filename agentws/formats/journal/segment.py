"""A segment: one file of a writer's journal. Specified in docs/format/journal.md."""

from __future__ import annotations

from agentws.formats import layout

LIMIT_BYTES = 1 << 20
"""A line that would take a segment past this goes into the next one."""
MOST_SESSIONS = 16
"""So many sessions that have not ended are known by their ids."""
_DIGITS = 6
_KIND = b'"kind":"'


def path(writer: str, number: int) -> str:
    """The RelPath of a segment."""
    return f"{layout.JOURNAL}/{writer}/{number:0{_DIGITS}d}.jsonl"


def blob_path(writer: str, name: str) -> str:
    """The RelPath of a blob."""
    return f"{layout.JOURNAL}/{writer}/blobs/{name}"


def number_of(name: str) -> int | None:
    """The number that a file name in a writer's folder stands for, None where it is no segment."""
    stem = name.removesuffix(".jsonl")
    if stem == name or len(stem) < _DIGITS or not (stem.isascii() and stem.isdigit()):
        return None
    return int(stem) if f"{int(stem):0{_DIGITS}d}" == stem and int(stem) else None


def kind_of(stored: bytes) -> str:
    """The kind of a stored line, without parsing the whole of it."""
    start = stored.find(_KIND) + len(_KIND)
    return stored[start : stored.find(b'"', start)].decode("ascii", "replace")


def seq_of(stored: bytes) -> int:
    """The number of a stored line; ValueError where it is not at its place."""
    start = len(b'{"agentws":1,"seq":')
    return int(stored[start : stored.find(b",", start)])
