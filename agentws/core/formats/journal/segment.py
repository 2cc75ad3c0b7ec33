"""Segments, the files of a writer's journal: names and places. Specified in docs/format/journal.md."""

from __future__ import annotations

from agentws.core.formats import layout

LIMIT_BYTES = 1 << 20
"""A line that would make a segment larger than this begins the next one."""
MOST_SESSIONS = 16
"""So many sessions that have not ended are known by their ids."""
GZ = ".gz"
_PACKED = "packed"
_DIGITS = 6
_KIND = b'"kind":"'


def path(writer: str, number: int) -> str:
    """Return the RelPath of a segment."""
    return f"{layout.JOURNAL}/{writer}/{number:0{_DIGITS}d}.jsonl"


def packed_folder(writer: str) -> str:
    """Return the RelPath of the folder with a writer's compressed segments."""
    return f"{layout.JOURNAL}/{writer}/{_PACKED}"


def packed_path(path: str) -> str:
    """Return the RelPath of the compressed form of the segment at `path`."""
    folder, _, name = path.rpartition("/")
    return f"{folder}/{_PACKED}/{name}{GZ}"


def packed_number_of(name: str) -> int | None:
    """Return the segment number in the name of a compressed segment, None for any other file."""
    return number_of(name.removesuffix(GZ)) if name.endswith(GZ) else None


def blob_path(writer: str, name: str) -> str:
    """Return the RelPath of the blob of a body too large for its segment."""
    return f"{layout.JOURNAL}/{writer}/blobs/{name}"


def number_of(name: str) -> int | None:
    """Return the segment number in a file name of a writer's folder, None for any other file."""
    stem = name.removesuffix(".jsonl")
    if stem == name or len(stem) < _DIGITS or not (stem.isascii() and stem.isdigit()):
        return None
    return int(stem) if f"{int(stem):0{_DIGITS}d}" == stem and int(stem) else None


def kind_of(stored: bytes) -> str:
    """Return the kind of a segment's stored line without parsing all of it."""
    start = stored.find(_KIND) + len(_KIND)
    return stored[start : stored.find(b'"', start)].decode("ascii", "replace")


def seq_of(stored: bytes) -> int:
    """Return the sequence number of a segment's stored line; ValueError if it is not in its place."""
    start = len(b'{"agentws":1,"seq":')
    return int(stored[start : stored.find(b",", start)])


def seq_in(stored: bytes) -> int:
    """Return the sequence number of a stored line; 0 if it is not in its place."""
    try:
        return seq_of(stored)
    except ValueError:
        return 0
