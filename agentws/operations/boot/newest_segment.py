"""The newest segment of a writer as boot reads it: its lines, and the events that they are."""

from __future__ import annotations

from agentws.errors import AgentwsError
from agentws.formats.journal import chain, event, summary

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from agentws.formats.journal.event import Event
    from agentws.operations.boot.scan import Line, Scan

LINE_BYTES = 1 << 16
_MOST_LINES = 6_000
"""More than events of ours fit into a segment: they have 300 bytes or more."""
DAMAGED = (AgentwsError, ValueError)


class Segment:
    """The newest segment of a writer that has a complete line: its `data` from the offset `base` on.

    `unlinked` are the offsets of lines that were found not to be what was written.
    """

    __slots__ = ("base", "data", "first", "number", "unlinked")

    def __init__(self, number: int, data: bytes, size: int, first: bytes) -> None:
        self.number = number
        self.base = size - len(data)
        if self.base:  # larger than any of ours: it begins with the rest of a line
            torn = data.find(b"\n") + 1
            self.base += torn
            data = data[torn:]
        data = data[: data.rfind(b"\n") + 1]
        if data.count(b"\n") > _MOST_LINES:
            kept = b"\n".join(data.rsplit(b"\n", _MOST_LINES)[1:])
            self.base += len(data) - len(kept)
            data = kept
        self.data = data
        self.first = first
        self.unlinked: set[int] = set()

    def named(self, lines: Sequence[Line]) -> list[Line]:
        """Those of these lines that the ones after them name."""
        return [one for one in lines if one[0] not in self.unlinked and self._is_named(*one)]

    def _is_named(self, offset: int, line: bytes) -> bool:
        begin = offset - self.base + len(line) + 1
        try:
            return chain.names(self.data[begin : begin + LINE_BYTES].partition(b"\n")[0], line)
        except ValueError:
            return False  # it is no event

    def lines(self, start: int) -> list[Line]:
        """The complete lines from the offset `start` on."""
        found, offset = [], start
        for line in self.data[start - self.base : -1].split(b"\n") if self.data[start - self.base :] else ():
            found.append((offset, line))
            offset += len(line) + 1
        return found


def sound(scan: Scan, lines: Sequence[Line]) -> list[Event]:
    """The events of these lines; those that are none are counted elsewhere."""
    found = []
    for offset, line in lines:
        try:
            found.append(decoded(line, writer=scan.writer, number=scan.number, offset=offset))
        except DAMAGED:
            continue
    return found


def decoded(line: bytes, *, writer: str, number: int, offset: int) -> Event:
    """The event of a line; ValueError or DamagedError where its words are none, or its body is not the one written."""
    if not chain.is_whole(line):
        raise ValueError
    one = event.decode(line, writer=writer, segment=number, offset=offset)
    words = (one.at, one.kind, one.src, one.session or "")
    if not isinstance(one.seq, int) or not all(isinstance(word, str) for word in words):
        raise ValueError
    if one.body is not None and not isinstance(one.body, dict):
        raise ValueError
    return one


def as_text(one: Event) -> Event:
    """An event of a stranger as the note that it is to us: no decision, no action in flight, of no importance."""
    body = {"text": f"{one.kind}: {summary.of(one.body)}"}
    one.kind, one.session, one.body = event.NOTE, None, body
    return one
