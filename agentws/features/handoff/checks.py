"""Checks of `doctor` for handoffs: open ones that wait to be read, and sessions that ended without one."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta

from agentws.core.findings import ADVICE, WARNING, Finding, of_error, quoted
from agentws.core.formats import layout
from agentws.core.formats.documents import handoff
from agentws.core.formats.documents.handoff import Handoff
from agentws.core.journal import reference
from agentws.core.journal.events.liveness import OpenSession, OrphanedSession
from agentws.core.notes import sources
from agentws.core.stores import writer_trust
from agentws.core.stores.seen import Seen
from agentws.core.stores.stores import Stores
from agentws.core.text.names import some
from agentws.errors import AgentwsError

_MOST_NOTES, _MOST_WRITERS = 200, 32
_LARGEST_NOTE_BYTES = 1 << 18
_LONG = timedelta(days=3)
_SHOWN_BY_BOOT = 3
_LIST = "agentws handoff list"


def findings(seen: Seen) -> list[Finding]:
    """Return the findings about handoffs: open ones that wait, and sessions that broke off without one."""
    notes = _notes(seen)
    faults = _waiting(handoff.still_open(notes), seen.moment)
    try:
        writers = writer_trust.known(seen.stores)[-_MOST_WRITERS:]
        faults += _unended(unended(seen.stores, writers, notes, seen.moment)[1])
    except AgentwsError as error:
        remedy = error.hint or "List all damage: agentws journal verify"
        faults.append(of_error("journal-unread", WARNING, error.message, remedy=remedy))
    return faults


def _notes(seen: Seen) -> list[Handoff]:
    """The newest handoffs; one that cannot be read is a finding of the documents."""
    handoffs = []
    names = [path.rpartition("/")[2] for path in seen.look.files(layout.HANDOFFS)]
    for path in (
        f"{layout.HANDOFFS}/{name}" for name in seen.stores.own_documents(layout.HANDOFFS, names)[-_MOST_NOTES:]
    ):
        try:
            note = handoff.decode(seen.stores.files.part(path, _LARGEST_NOTE_BYTES)[0], path=path)
        except AgentwsError:
            continue
        note.body = ""  # however many there are, their texts are not kept in memory
        handoffs.append(note)
    return handoffs


def unended(
    stores: Stores, writers: Sequence[str], notes: Sequence[Handoff], moment: datetime
) -> tuple[list[OpenSession], list[OrphanedSession]]:
    """Return these writers' sessions without an end, and those of them that broke off and handed nothing over."""
    outlines = {writer: reference.outlined(stores.files, writer) for writer in writers}
    if not any(outline.sessions for outline in outlines.values()):
        return [], []
    # Mostly every session has ended: what judges the others is not loaded then.
    from agentws.core.journal.unended import Unended
    from agentws.features.handoff import handoff_origin

    found = Unended(stores.files, outlines, [])
    strange = handoff_origin.unwritten(stores, [note.path for note in notes])
    ours = [note for note in notes if note.path not in strange]
    return found.sessions, found.broken(notes=ours, own=stores.own_session, moment=moment)


def _waiting(open_: Sequence[Handoff], now: datetime) -> list[Finding]:
    """Findings about the open handoffs, newest first."""
    faults = []
    for note in open_:
        at = handoff.moment_of(note.at)
        if at is not None and now - at > _LONG:
            says = f"written {sources.distance(note.at[:10], now.date().isoformat())} and not picked up"
            faults.append(Finding("handoff-unread", WARNING, says, remedy=_read(note.name), path=note.path))
    if len(faults) > _SHOWN_BY_BOOT:
        paths = some([finding.path for finding in faults])
        says = f"{len(faults)} handoffs have been open for more than {_LONG.days} days: {paths}"
        faults = [Finding("handoff-unread", WARNING, says, remedy=f"{_LIST}, then agentws handoff ack NAME for each")]
    if len(open_) > 1:
        severity = WARNING if len(open_) > _SHOWN_BY_BOOT else ADVICE
        hidden = f", but boot shows only {_SHOWN_BY_BOOT}" if severity == WARNING else ""
        says = f"{len(open_)} handoffs are open at once{hidden}"
        faults.append(
            Finding(
                "handoffs-open", severity, says, remedy=f"{_LIST}, then agentws handoff ack NAME for the finished ones"
            )
        )
    return faults


def _unended(broken: Sequence[OrphanedSession]) -> list[Finding]:
    """A finding for the sessions that broke off and handed nothing over."""
    from agentws.core.journal.events import liveness

    crashed = [orphan for orphan in broken if orphan.likely.state == liveness.CRASHED]
    exited = [orphan for orphan in broken if orphan.likely.state == liveness.EXITED]
    quiet = [orphan for orphan in broken if orphan.is_quiet]
    unsure = [orphan for orphan in broken if orphan.may_run and not orphan.is_quiet]
    faults = [_derived(WARNING, crashed, "ended without a handoff")] if crashed else []
    faults += [_derived(ADVICE, exited, "ended without a handoff")] if exited else []
    faults += [_derived(ADVICE, quiet, "went quiet without a handoff")] if quiet else []
    return faults + ([_derived(ADVICE, unsure, "may still be running, without a handoff yet")] if unsure else [])


def _derived(severity: str, broken: Sequence[OrphanedSession], what: str) -> Finding:
    name = broken[0].session.id
    who = f"session {name}" if len(broken) == 1 else f"{len(broken)} sessions"
    return Finding("handoff-derived", severity, f"{who} {what}: {broken[0].likely.why}", remedy=_read(name))


def _read(name: str) -> str:
    # Whoever sent us the workspace chose the name, and somebody may paste this into a shell.
    return f"agentws handoff show {quoted(name)}, then: agentws handoff ack {quoted(name)}"
