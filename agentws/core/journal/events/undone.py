"""Events that an undo took back: they stay in the journal, and are no longer shown. Pure."""

from __future__ import annotations

from agentws.core.formats.journal import event

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from agentws.core.formats.journal.event import Event

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
