"""The content of a file in pieces, to search a file of any size in little memory."""

from __future__ import annotations

from collections.abc import Iterator

from agentws.core.disk.files import Files

_PIECE_BYTES = 1 << 20
_OVERLAP_BYTES = 1 << 15
"""Longer than any encoded name."""


def pieces(files: Files, path: str) -> Iterator[bytes]:
    """Yield the content of a large file in overlapping pieces, cut between lines or words if there are any."""
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
    """Return where a line or a word ends shortly before `end`."""
    start = end - _OVERLAP_BYTES
    return max(data.rfind(b"\n", start, end), data.rfind(b" ", start, end)) + 1 or end
