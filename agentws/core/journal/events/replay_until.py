"""The limits of a replay: up to an event, a moment or a position of each writer. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING

from agentws.core.formats.journal import event

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from agentws.core.formats.journal.event import Event


class Bounds:
    """The end of a replay: the event `last` (writer and number, or its id), numbers of `each` writer, or `moment`.

    `met` is True once `last` was seen.
    """

    __slots__ = ("each", "id", "last", "met", "moment")

    def __init__(self) -> None:
        self.each: dict[str, int] | None = None
        self.last: tuple[str, int] | None = None
        self.id = ""
        self.moment = ""
        self.met = False


def within(events: Iterable[Event], bounds: Bounds) -> Iterator[Event]:
    """The events of one writer that count, however many there are of others.

    What holds the journal together counts with the event behind it, whatever time it says.
    """
    held: list[Event] = []
    for one in events:
        if bounds.each is not None and one.seq > bounds.each.get(one.writer, 0):
            return
        is_late = bool(bounds.moment) and one.at > bounds.moment
        if is_late and one.kind not in event.STRUCTURE:
            return
        held.append(one)
        if not is_late:
            yield from held
            held.clear()


def upto(events: Iterable[Event], bounds: Bounds) -> Iterator[Event]:
    """The merged events up to the one that is named."""
    for one in events:
        bounds.met = one.id == bounds.id or (one.writer, one.seq) == bounds.last
        yield one
        if bounds.met:
            return


def wanted(events: Iterable[Event], session: str | None, position: dict[str, int]) -> Iterator[Event]:
    """Yield the events of one session, or all; `position` learns how far each writer was read."""
    for one in events:
        position[one.writer] = one.seq
        if session is None or one.session == session:
            yield one
