"""Compressed journal segments, read like plain ones. Specified in docs/format/journal.md.

The content is untrusted: its size is bounded before and during decompression.
"""

from __future__ import annotations

from agentws.core.disk.files import Files
from agentws.core.formats.journal import packed, segment
from agentws.errors import DamagedError, MissingFileError

MOST_BYTES = segment.LIMIT_BYTES + (1 << 17)
"""Larger than any segment by agentws."""
MOST_PACKED_BYTES = MOST_BYTES + (1 << 12)
"""Incompressible content becomes slightly larger."""
_FEW_BYTES = 1 << 13

_last: dict[tuple[str, str, str], bytes] = {}
"""The lines read last, by (root, path, stamp): a segment is read in pieces."""


def content(files: Files, path: str) -> bytes:
    """Return the lines of the segment at `path`, which exists only compressed; MissingFileError if it does not,
    DamagedError if it cannot be decompressed.
    """
    place = segment.packed_path(path)
    key = (files.root, place, files.stamps([place])[0])
    if known := _last.get(key):
        return known
    data, size = _part(files, path, MOST_PACKED_BYTES)
    if size > MOST_PACKED_BYTES:
        raise _damaged(place, f"{size:,} bytes, larger than any segment")
    result = lines(place, data)
    _last.clear()
    _last[key] = result
    return result


def lines(place: str, data: bytes) -> bytes:
    """Return the decompressed lines of the segment at `place`; DamagedError."""
    try:
        return packed.unpack(data, MOST_BYTES)
    except ValueError as error:
        raise _damaged(place, str(error)) from error


def part(files: Files, path: str, limit_bytes: int, *, from_end: bool) -> tuple[bytes, int]:
    """As Files.part."""
    data = content(files, path)
    start = max(0, len(data) - limit_bytes) if from_end else 0
    return data[start : start + limit_bytes], len(data)


def beginning(files: Files, path: str, count: int) -> bytes:
    """Return the first `count` bytes of the segment, or fewer, without reading the rest."""
    if count > _FEW_BYTES:
        return content(files, path)[:count]
    try:
        return packed.beginning(_part(files, path, _FEW_BYTES)[0], count)
    except ValueError as error:
        raise _damaged(segment.packed_path(path), str(error)) from error


def _part(files: Files, path: str, limit_bytes: int) -> tuple[bytes, int]:
    try:
        return files.part(segment.packed_path(path), limit_bytes)
    except MissingFileError:
        raise MissingFileError(f"{path}: not found.") from None


def _damaged(place: str, why: str) -> DamagedError:
    return DamagedError(f"{place}: {why}.", hint="To list all damage: agentws journal verify")
