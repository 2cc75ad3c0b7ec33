"""Looks through the lines of a segment one by one: what is open, significant, and how much there was of what."""

from __future__ import annotations

import itertools

from agentws.formats.journal import chain, event, segment, segment_index

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from agentws.planning.events.summaries import Hours

    Line = tuple[int, bytes]
    """A line without its newline, and its offset."""

ODD = (AttributeError, KeyError, RecursionError, TypeError, ValueError)
"""What a line that somebody else wrote may lead to."""
_BEGIN = b'{"agentws":1,"seq":'
_AT = b'"at":"'
_TOOL = b'"tool":"'
_QUOTE = b'"'
_UNTOLD = (*event.STRUCTURE, event.RESULT, event.STARTED, event.ENDED)
_HOUR, _MINUTE, _SECOND = 13, 16, 19


class Scan:
    """Lines of a segment, looked through one by one: their `outline`, their `hours`, and how many are `damaged`.

    `lost` are the numbers of events that the outline refers to and that are not there.
    """

    __slots__ = ("damaged", "hours", "lost", "number", "outline", "writer")

    def __init__(self, writer: str, number: int) -> None:
        self.writer = writer
        self.number = number
        self.outline = segment_index.Outline()
        self.hours: Hours = {}
        self.damaged = 0
        self.lost: set[int] = set()

    def fold(self, lines: Sequence[Line], *, count: bool = False) -> list[Line]:
        """Go on by these lines; returns those that are events. `count` them among the hours too."""
        found = []
        for offset, line in lines:
            try:
                if not (line.startswith(_BEGIN) and line.endswith(b"}")):
                    raise ValueError
                self.outline.fold(line, writer=self.writer, segment=self.number, offset=offset)
                if count:
                    self._count(line)
            except ODD:
                self.damaged += 1
            else:
                found.append((offset, line))
        return found

    def _count(self, line: bytes) -> None:
        kind = segment.kind_of(line)
        if kind in _UNTOLD:
            return
        at = line.index(_AT) + len(_AT)
        minute = line[at : at + _MINUTE].decode("ascii")
        what = kind
        if kind == event.ACTION:
            start = line.find(_TOOL, at) + len(_TOOL)
            if start > at:
                what = f"{kind} {line[start : line.find(_QUOTE, start)].decode()}"
        hour = minute[:_HOUR]
        first, last, counts = self.hours.get(hour) or (minute, minute, {})
        counts[what] = counts.get(what, 0) + 1
        self.hours[hour] = (min(first, minute), max(last, minute), counts)


def second(line: bytes) -> str:
    """When a line was written, in UTC and to the second."""
    at = line.find(_AT) + len(_AT)
    return line[at : at + _SECOND].decode("ascii", "replace")


def unlinked(lines: Sequence[Line]) -> set[int]:
    """The offsets of lines that the ones after them do not name as the ones before: these are not what was written."""
    pairs = itertools.pairwise(lines)
    found = set()
    for (offset, line), (_, after) in pairs:
        try:
            if not chain.names(after, line):
                found.add(offset)
        except ValueError:
            continue  # it is no event, and said to be none
    return found
