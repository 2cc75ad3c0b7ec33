"""Handoffs that nobody has read: open for long, too many at once, or written by nobody. Pure."""

from __future__ import annotations

from datetime import datetime, timedelta

from agentws.core.formats.documents import handoff
from agentws.core.text.names import some
from agentws.features.doctor.plan.finding import ADVICE, WARNING, Finding
from agentws.features.doctor.plan.permissions import quoted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from agentws.core.formats.documents.handoff import Handoff
    from agentws.core.journal.events.unfinished_sessions import OrphanedSession

_LONG = timedelta(days=3)
_SHOWN_BY_BOOT = 3
_LIST = "agentws handoff list"


def waiting(open_: Sequence[Handoff], now: datetime) -> list[Finding]:
    """Findings about the open handoffs, newest first."""
    found = []
    for note in open_:
        at = handoff.moment_of(note.at)
        if at is not None and now - at > _LONG:
            says = f"open for {(now - at).days} days and not picked up"
            found.append(Finding("handoff-unread", WARNING, says, remedy=_read(note.name), path=note.path))
    if len(found) > _SHOWN_BY_BOOT:
        says = (
            f"{len(found)} handoffs have been open for more than {_LONG.days} days: {some([one.path for one in found])}"
        )
        found = [Finding("handoff-unread", WARNING, says, remedy=f"{_LIST}, then agentws handoff ack NAME for each")]
    if len(open_) > 1:
        severity = WARNING if len(open_) > _SHOWN_BY_BOOT else ADVICE
        hidden = f", but boot shows only {_SHOWN_BY_BOOT}" if severity == WARNING else ""
        says = f"{len(open_)} handoffs are open at once{hidden}"
        found.append(
            Finding(
                "handoffs-open", severity, says, remedy=f"{_LIST}, then agentws handoff ack NAME for the finished ones"
            )
        )
    return found


def derived(broken: Sequence[OrphanedSession]) -> list[Finding]:
    """A finding for the sessions that broke off and handed nothing over."""
    gone = [orphan for orphan in broken if not orphan.may_run]
    quiet = [orphan for orphan in broken if orphan.is_quiet]
    unsure = [orphan for orphan in broken if orphan.may_run and not orphan.is_quiet]
    found = [_derived(WARNING, gone, "ended without a handoff")] if gone else []
    found += [_derived(ADVICE, quiet, "went quiet without a handoff")] if quiet else []
    return found + ([_derived(ADVICE, unsure, "may still be running, without a handoff yet")] if unsure else [])


def _derived(severity: str, broken: Sequence[OrphanedSession], what: str) -> Finding:
    name = broken[0].session.id
    who = f"session {name}" if len(broken) == 1 else f"{len(broken)} sessions"
    return Finding("handoff-derived", severity, f"{who} {what}: {broken[0].likely.why}", remedy=_read(name))


def _read(name: str) -> str:
    # Whoever sent us the workspace chose the name, and somebody may paste this into a shell.
    return f"agentws handoff show {quoted(name)}, then: agentws handoff ack {quoted(name)}"
