"""The parts of a large document, each small enough to be looked at by itself. Pure.

A part ends before an item of a list or a heading that stands at the margin. Where there is none for long, it ends with
any line (it is torn), and what goes on from there to the next part has to be looked at besides.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

LARGE_BYTES = 1 << 19
_LEAST_BYTES, _MOST_BYTES = 1 << 18, 1 << 19
_FRESH = re.compile(rb"\n(?=[-*+] |#{1,6} )")
_AROUND_BYTES = 1 << 16
_AROUND_LINES = 16
"""No name and no text of that many words goes over more lines."""


class Part(NamedTuple):
    """Some whole lines: offsets (bytes) of its `start` and `end`."""

    start: int
    end: int
    is_torn: bool


def of(data: bytes) -> Iterator[Part]:
    """The parts of a document, in order; a line is always whole."""
    start = 0
    while len(data) - start > LARGE_BYTES:
        fresh = _FRESH.search(data, start + _LEAST_BYTES, start + _MOST_BYTES)
        end = fresh.end() if fresh else _line_end(data, start)
        yield Part(start, end, fresh is None and end < len(data))
        start = end
    if start < len(data):
        yield Part(start, len(data), is_torn=False)


def _line_end(data: bytes, start: int) -> int:
    end = data.rfind(b"\n", start, start + _MOST_BYTES) + 1
    return end or data.find(b"\n", start + _MOST_BYTES) + 1 or len(data)


def around(data: bytes, end: int) -> tuple[Sequence[bytes], Sequence[bytes]]:
    """The last lines before this offset, where a line ends, and the first behind it."""
    above = data[max(0, end - _AROUND_BYTES) : end].split(b"\n")[:-1]
    below = data[end : end + _AROUND_BYTES].split(b"\n")
    return above[-_AROUND_LINES:], below[:_AROUND_LINES]
