"""What the newest segment holds of sessions that have not ended: found by their names, few lines parsed."""

from __future__ import annotations

from agentws.formats.journal import event
from agentws.formats.json import plainjson
from agentws.operations.boot.scan import second

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Sequence

    from agentws.formats.journal.event import Event
    from agentws.formats.journal.segment_index import Outline
    from agentws.operations.boot.scan import Line

_MOST_EVENTS = 48
"""So many of the newest events of a session are read."""
_ASKED = b'"kind":"%s","session":%%s,"src":"%s"' % (event.NOTE.encode(), event.USER.encode())


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


def find(
    lines: Lines, known: Sequence[Event], outline: Outline, *, decode: Callable[[Sequence[Line]], list[Event]]
) -> dict[str, list[Event]]:
    """The events of each session that has not ended, oldest first: those that are `known`, the newest of the segment,
    and what the user asked last. Errors that a later result resolved are none of them.
    """
    found: dict[str, list[Event]] = {}
    unresolved = {ref.get("seq") for ref in outline.errors}
    seen = {one.offset for one in known if one.segment == lines.number}
    for session in outline.sessions:
        name = plainjson.dumps(session).encode()
        said = _first(lines.naming(b'"session":' + name), _MOST_EVENTS)
        asked = _first(lines.naming(_ASKED % name), 1)
        events = _united([one for one in known if one.session == session], decode(_new([*said, *asked], seen)))
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
