"""Events that a later one took back: they stay in the journal, and are shown no more. Pure."""

from __future__ import annotations

from agentws.core.formats.journal import event

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from agentws.core.formats.journal.event import Event

_DETAILS = ("task.undone", "task.redone", "handoff.undone")
"""Recorded with `change.undone`, which says the same for people."""


def taken_back(events: Iterable[Event]) -> set[str]:
    """The cursors of the events that some of these took back."""
    return {cursor for one in events if one.kind == event.UNDONE for cursor in cursors(one)}


def cursors(one: Event) -> list[str]:
    """The cursors of the events that `change.undone` names."""
    named = (one.body or {}).get("events")
    return [cursor for cursor in named if isinstance(cursor, str)] if isinstance(named, list) else []


def is_detail(one: Event) -> bool:
    """Return whether the event only tells programs how things stand after an undo."""
    return one.kind in _DETAILS
