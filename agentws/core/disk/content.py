"""The content of a file, in pieces: one of any size is searched in little memory."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from agentws.core.disk.files import Files

_PIECE_BYTES = 1 << 20
_OVERLAP_BYTES = 1 << 15
"""No name that is encoded is longer."""


def pieces(files: Files, path: str) -> Iterator[bytes]:
    """The content of a file in pieces that overlap, cut between lines or words where there are any."""
    at = 0
    while True:
        data = files.piece(path, at, _PIECE_BYTES)
        if len(data) < _PIECE_BYTES:
            yield data
            return
        end = _between(data, len(data))
        yield data[:end]
        at += _between(data, end - _OVERLAP_BYTES)


def _between(data: bytes, end: int) -> int:
    """Where a line or a word ends, not long before `end`."""
    start = end - _OVERLAP_BYTES
    return max(data.rfind(b"\n", start, end), data.rfind(b" ", start, end)) + 1 or end
