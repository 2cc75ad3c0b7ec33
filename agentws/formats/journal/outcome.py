"""What a result or an error says of whether its call ran: that it was refused, or that nobody said."""

from __future__ import annotations

from agentws.formats.journal.event import BATCH, REFUSED, TOLD_BY, Event

UNMARKED = "result told with its batch; whether it was refused the host did not say"


def is_refused(end: Event) -> bool:
    """Return whether the host said that it refused the call."""
    return (end.body or {}).get(REFUSED) is True


def is_unmarked(end: Event) -> bool:
    """Return whether the call may have run, or been refused."""
    return (end.body or {}).get(TOLD_BY) == BATCH
