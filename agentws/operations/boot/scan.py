"""A scan of a segment's lines, one by one: what is open or significant, and the number of each kind."""

from __future__ import annotations

import itertools

from agentws.errors import AgentwsError
from agentws.formats.journal import chain, event, segment, segment_index, summary
from agentws.formats.json import plainjson

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Sequence

    from agentws.formats.journal.event import Event
    from agentws.formats.journal.segment_index import Outline
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
    """Return when a line was written, in UTC and to the second."""
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
        """Return those of these lines that later ones name."""
        return [line for line in lines if line[0] not in self.unlinked and self._is_named(*line)]

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


_MOST_EVENTS, _MOST_NOTES = 96, 32
"""So many of the newest events of a session are read, and of what was asked and said in it."""
_NOTED = b'"kind":"%s","session":%%s,' % event.NOTE.encode()


class Lines:
    """The complete lines of a segment, by its `number`: `data` from the offset `base` on, none later than `until`."""

    __slots__ = ("_base", "_data", "_until", "number")

    def __init__(self, number: int, data: bytes, base: int, *, until: str) -> None:
        self.number = number
        self._data = data
        self._base = base
        self._until = until

    def naming(self, words: bytes) -> Iterator[Line]:
        """The lines that hold these words, the newest first."""
        data, end = self._data, len(self._data)
        while (at := data.rfind(words, 0, end)) >= 0:
            start = data.rfind(b"\n", 0, at) + 1
            line = data[start : data.find(b"\n", at)]
            if not self._until or second(line) <= self._until:
                yield self._base + start, line
            end = start


def open_sessions(
    lines: Lines, known: Sequence[Event], outline: Outline, *, decode: Callable[[Sequence[Line]], list[Event]]
) -> dict[str, list[Event]]:
    """The events of each session that has not ended, oldest first: those that are `known`, the newest of the segment,
    and what was asked and said last. Errors that a later result resolved are none of them.
    """
    found: dict[str, list[Event]] = {}
    unresolved = {ref.get("seq") for ref in outline.errors}
    seen = {one.offset for one in known if one.segment == lines.number}
    for session in outline.sessions:
        name = plainjson.dumps(session).encode()
        said = _first(lines.naming(b'"session":' + name), _MOST_EVENTS)
        noted = _first(lines.naming(_NOTED % name), _MOST_NOTES)
        events = _united([one for one in known if one.session == session], decode(_new([*said, *noted], seen)))
        events = [
            one for one in events if one.session == session and (one.kind != event.ERROR or one.seq in unresolved)
        ]
        if events:
            found[session] = events
    return found


def _first(lines: Iterator[Line], most: int) -> list[Line]:
    return [line for _, line in zip(range(most), lines, strict=False)]


def _new(lines: Sequence[Line], seen: Collection[int]) -> list[Line]:
    """The lines at offsets that were not seen yet, each once, oldest first."""
    return sorted({offset: line for offset, line in lines if offset not in seen}.items())


def _united(*several: Sequence[Event]) -> list[Event]:
    return sorted({one.seq: one for events in several for one in events}.values(), key=lambda one: one.seq)
