"""The limits of a replay: up to an event, a moment or a position of each writer. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING

from agentws.core.formats.journal import event

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from agentws.core.formats.journal.event import Event


class Bounds:
    """The limit of a replay: the event `last` (writer and number, or its id), a number of `each` writer, or `moment`.

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
    """Yield the events of one writer that are within the bounds.

    Structural events count with the event behind them, whatever their time.
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
    """Yield the merged events up to and including the event that the bounds name."""
    for one in events:
        bounds.met = one.id == bounds.id or (one.writer, one.seq) == bounds.last
        yield one
        if bounds.met:
            return


def wanted(events: Iterable[Event], session: str | None, position: dict[str, int]) -> Iterator[Event]:
    """Yield the events of one session, or all; `position` is updated with how far each writer was read."""
    for one in events:
        position[one.writer] = one.seq
        if session is None or one.session == session:
            yield one
