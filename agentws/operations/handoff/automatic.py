"""An automatic handoff: what was recorded in its session, or below a handoff that the session itself wrote."""

from __future__ import annotations

from agentws.formats.documents import handoff
from agentws.formats.journal import event, thread
from agentws.operations.handoff.inputs import events_of, newest
from agentws.planning.handoff import derive, render, unfinished_sessions
from agentws.storage.journal import reference
from agentws.storage.workspace import writer_trust

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from agentws.formats.documents.handoff import Handoff, Sections
    from agentws.formats.journal.event import Event
    from agentws.operations.handoff.inputs import HandoffInputs
    from agentws.planning.handoff.derive import Facts
    from agentws.storage.workspace.stores import Stores


def gather(stores: Stores, known: HandoffInputs, session: str, *, via: str | None = None) -> Sections:
    """The sections from what the session recorded since its last handoff on purpose; of all sessions where it has no
    name. Without secrets, which is a notice of `known`.
    """
    ours = [note for note in known.notes if note.path not in known.unwritten]
    last = next((one for one in ours if not session or (one.session == session and one.is_on_purpose)), None)
    return _clean(known, derive.derive(_facts(stores, known, session, last, via), stores.clock.now()).sections)


def since(stores: Stores, known: HandoffInputs, own: Handoff, *, via: str | None = None) -> str:
    """The text of the handoff that a session wrote itself, with what came after it in one section at its end."""
    facts = _facts(stores, known, own.session, own, via)
    sections = _clean(known, derive.since(facts, stores.clock.now()).sections)
    heading = f"\n## {handoff.SINCE}\n\n"
    before, found, _ = own.text.rpartition(heading)
    kept = before if found else own.text
    return f"{kept.rstrip()}\n{heading}{sections[handoff.SINCE]}" if sections else own.text


def _facts(stores: Stores, known: HandoffInputs, session: str, last: Handoff | None, via: str | None) -> Facts:
    recorded = _recorded(stores, known, session) if session else newest(stores, known.notices)
    events = unfinished_sessions.after(last, recorded, known.handed) if last is not None else recorded
    facts = known.facts(sorted(events, key=lambda one: one.at), session or None)
    # This very handoff is a call that is still in flight.
    facts.open = [one for at, one in enumerate(facts.open) if at or derive.our_verb(one) != "handoff"]
    # A host that ends the session will report no result of these.
    end = thread.of_turn(event.ENDED, session or None, via or "", None)
    facts.unreported = [one for one in facts.open if end and (found := thread.thread_of(one)) and found.takes(end)]
    return facts


def _clean(known: HandoffInputs, sections: Sections) -> Sections:
    clean, hidden = render.without_secrets(sections)
    known.notices += render.said_of_hidden(hidden)
    return clean


def _recorded(stores: Stores, known: HandoffInputs, session: str) -> Sequence[Event]:
    found: list[Event] = []
    for writer in writer_trust.known(stores):
        found += events_of(stores, writer, session, reference.outlined(stores.files, writer), known.notices)
    return found
