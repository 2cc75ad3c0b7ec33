"""A segment: one file of a writer's journal. Specified in docs/format/journal.md."""

from __future__ import annotations

from agentws.core.formats import layout

LIMIT_BYTES = 1 << 20
"""A line that would take a segment past this goes into the next one."""
MOST_SESSIONS = 16
"""So many sessions that have not ended are known by their ids."""
GZ = ".gz"
_PACKED = "packed"
_DIGITS = 6
_KIND = b'"kind":"'


def path(writer: str, number: int) -> str:
    """The RelPath of a segment."""
    return f"{layout.JOURNAL}/{writer}/{number:0{_DIGITS}d}.jsonl"


def packed_folder(writer: str) -> str:
    """The RelPath of the folder of a writer's compressed segments."""
    return f"{layout.JOURNAL}/{writer}/{_PACKED}"


def packed_path(path: str) -> str:
    """The RelPath of the compressed form of the segment at `path`."""
    folder, _, name = path.rpartition("/")
    return f"{folder}/{_PACKED}/{name}{GZ}"


def packed_number_of(name: str) -> int | None:
    """As `number_of`, of a file name in the folder of compressed segments."""
    return number_of(name.removesuffix(GZ)) if name.endswith(GZ) else None


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
