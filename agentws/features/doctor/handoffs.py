"""Handoffs that wait for somebody to read them, those included that nobody has written."""

from __future__ import annotations

from agentws.core.formats import layout
from agentws.core.formats.documents import handoff
from agentws.core.journal import session_scan
from agentws.core.stores import writer_trust
from agentws.errors import AgentwsError
from agentws.features.doctor.plan import handoffs
from agentws.features.doctor.plan.finding import WARNING, Finding, of_error

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from agentws.core.formats.documents.handoff import Handoff
    from agentws.core.formats.journal.event import Event
    from agentws.core.journal.events.unfinished_sessions import OrphanedSession
    from agentws.features.doctor.report import Seen

_MOST_NOTES, _MOST_HANDED, _MOST_WRITERS = 200, 64, 32
_LARGEST_NOTE_BYTES = 1 << 18


def findings(seen: Seen) -> list[Finding]:
    """Return the findings about handoffs."""
    notes = _notes(seen)
    found = handoffs.waiting(handoff.still_open(notes), seen.moment)
    try:
        found += handoffs.derived(_broken(seen, notes))
    except AgentwsError as error:
        remedy = error.hint or "List all damage: agentws journal verify"
        found.append(of_error("journal-unread", WARNING, error.message, remedy=remedy))
    return found


def _notes(seen: Seen) -> list[Handoff]:
    """The newest handoffs; one that cannot be read is a finding of the documents."""
    found = []
    names = [path for path in seen.look.files(layout.HANDOFFS) if path.endswith(".md")]
    for path in names[-_MOST_NOTES:]:
        try:
            note = handoff.decode(seen.stores.files.part(path, _LARGEST_NOTE_BYTES)[0], path=path)
        except AgentwsError:
            continue
        note.body = ""  # however many there are, their texts are not kept in memory
        found.append(note)
    return found


def _broken(seen: Seen, notes: Sequence[Handoff]) -> list[OrphanedSession]:
    files = seen.stores.files
    writers = writer_trust.known(seen.stores)[-_MOST_WRITERS:]
    handed = [
        event
        for writer in writers
        for event in session_scan.newest_events(files, writer, _MOST_HANDED, kinds=("handoff.*",))
    ]
    found = [
        (name, events)
        for writer in writers
        for name in session_scan.unfinished_sessions(files, writer)
        if (events := session_scan.unfinished_events(files, writer, name))
    ]
    return _judged(seen, found, notes, handed) if found else []


def _judged(
    seen: Seen, found: Sequence[tuple[str, Sequence[Event]]], notes: Sequence[Handoff], handed: Sequence[Event]
) -> list[OrphanedSession]:
    # Mostly every session has ended: what judges the others is not loaded then.
    from agentws.core.installation import host_info
    from agentws.core.journal.events import liveness, unfinished_sessions
    from agentws.features.handoff import handoff_origin

    sessions = [unfinished_sessions.OpenSession(name, events) for name, events in found]
    strange = handoff_origin.unwritten(seen.stores, [note.path for note in notes])
    ours = [note for note in notes if note.path not in strange]
    waiting = unfinished_sessions.waiting(sessions, notes=ours, handed=handed)
    here = host_info.this_machine(liveness.processes([one.run for one in waiting], host_info.name()))
    return unfinished_sessions.broken(waiting, here=here, own=seen.stores.own_session, moment=seen.moment)
