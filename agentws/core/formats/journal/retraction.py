"""Retractions: events that a later event declares void, or that an undo took back. They stay in the journal.

Specified in docs/format/journal.md.
"""

from __future__ import annotations

from agentws.core import Record
from agentws.core.formats.journal import event, purge

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from agentws.core.formats.journal.event import Body, Event


class Retraction(Record):
    """A retraction: the event `seq` of `writer` with this `digest`, retracted by the event `by` (its cursor)."""

    writer: str
    seq: int
    digest: str
    by: str

    def plain(self) -> list[str | int]:
        """Return the retraction's fields, as the constructor takes them."""
        return [self.writer, self.seq, self.digest, self.by]


class Retractions:
    """All retractions of a journal, to look up by event."""

    def __init__(self, retractions: Iterable[Retraction] = ()) -> None:
        self._by_place: dict[tuple[str, int], list[Retraction]] = {}
        for retraction in retractions:
            self._by_place.setdefault((retraction.writer, retraction.seq), []).append(retraction)

    def __bool__(self) -> bool:
        return bool(self._by_place)

    def holds(self, writer: str, seq: int) -> bool:
        """Return whether the event with this number was retracted."""
        return (writer, seq) in self._by_place

    def by(self, entry: Event) -> str:
        """Return the cursor of the event that retracted this one; empty if none did."""
        named = self._by_place.get((entry.writer, entry.seq), ())
        return next((each.by for each in named if each.digest == entry.digest), "")

    def without(self, events: Iterable[Event]) -> Iterator[Event]:
        """Yield the events that were not retracted."""
        return (entry for entry in events if not self.by(entry)) if self._by_place else iter(events)


def body(entry: Event, *, reason: str) -> Body:
    """Return the body of the event that retracts `entry`."""
    fields = {"writer": entry.writer, "seq": entry.seq, "digest": entry.digest, "kind": entry.kind}
    return {"v": event.VERSION, **fields, "reason": reason}


def decode(entry: Event) -> Retraction:
    """Return the retraction in a `retracted` event; ValueError without one."""
    order = purge.order(entry)
    return Retraction(order.writer, order.seq, order.digest, entry.cursor)


def is_retractable(kind: str) -> bool:
    """Return whether events of this kind can be retracted: those agents report, not agentws's own records."""
    return kind not in event.STRUCTURE and not kind.startswith((*event.RESERVED, "session."))


_DETAILS = ("task.undone", "task.redone", "handoff.undone")
"""Recorded together with `change.undone`, which says the same for people."""


def taken_back(events: Iterable[Event]) -> set[str]:
    """Return the cursors of the events that undo events among these took back."""
    return {cursor for entry in events if entry.kind == event.UNDONE for cursor in cursors(entry)}


def cursors(entry: Event) -> list[str]:
    """Return the cursors of the events that a `change.undone` event names."""
    named = (entry.body or {}).get("events")
    return [cursor for cursor in named if isinstance(cursor, str)] if isinstance(named, list) else []


def is_detail(entry: Event) -> bool:
    """Return whether the event repeats, for programs, what an undo changed in a task or handoff."""
    return entry.kind in _DETAILS
