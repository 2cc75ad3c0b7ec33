"""Close handoffs, and take those of unknown origin as the agent's own."""

from __future__ import annotations

from collections.abc import Sequence

from agentws.changes import ABSENT, ChangeSet, Write
from agentws.core import Record, Result
from agentws.core.formats import digest
from agentws.core.formats.documents import handoff
from agentws.core.journal.events import liveness
from agentws.core.stores import record as _record, seals
from agentws.core.stores.stores import Stores
from agentws.features.handoff import listing
from agentws.features.handoff.inputs import HandoffInputs
from agentws.features.handoff.listing import ShownHandoff
from agentws.features.handoff.write import new_file, path_of, record_event


class Closed(Record, Result):
    """A handoff that was closed, or would be: its `path` and `session`; `already` if it was closed before."""

    name: str
    path: str
    session: str
    origin: str
    already: bool = False
    dry_run: bool = False
    notices: Sequence[str] = ()


def ack_handoff(stores: Stores, name: str | None = None, *, dry_run: bool = False) -> Closed:
    """Close a handoff, by default the newest open one, and record that.

    MissingFileError without one; ChangedUnderneathError if somebody edits it at that moment.
    """
    if not dry_run:
        stores.check_writable()
        stores.settle()
    known = HandoffInputs(stores.visible_to(), own=stores.own_session)
    chosen = listing.chosen(known, name)
    write: Write | None = None
    note = chosen if isinstance(chosen, handoff.Handoff) else known.own(chosen.session.id)
    if note is not None:
        done = Closed(note.name, note.path, session=note.session, origin=note.origin)
        before = stores.files.read(note.path)
        after = handoff.closed(before, path=note.path)
        write = Write(note.path, after, expects=digest.of(before))
        done.already = after == before
    elif not isinstance(chosen, handoff.Handoff):  # what was derived is kept, and never derived again
        session = chosen.session.id
        made = _kept_by_killed_ack(known, session)
        done = Closed(session, made or path_of(stores, session), session=session, origin=handoff.DERIVED)
        if made is None:
            body = listing.derived(stores, known, chosen)
            data = new_file(stores, body, session, handoff.DERIVED, (), status=handoff.CLOSED)
            write = Write(done.path, data, expects=ABSENT)
    done.dry_run = dry_run
    notices = known.notices
    if not (done.already or dry_run):
        if write is not None:
            stores.apply(ChangeSet("handoff ack", (write,)))
        fields: dict[str, object] = {"path": done.path, "session": done.session}
        if done.path in known.unwritten:  # what it says of its session ends none
            fields |= {"session": "", "unwritten": True}
        over = [orphan for orphan in known.broken if orphan is chosen]
        notices += record_event(stores, liveness.CLOSED, done.name, session=None, body=fields, over=over)
    done.notices = [*stores.notices, *notices]
    return done


def _kept_by_killed_ack(known: HandoffInputs, session: str) -> str | None:
    """Return the path of a recovered handoff whose ack was killed after it kept the file, before it recorded that."""
    recorded = {(event.body or {}).get("path") for event in known.handed}
    for note in known.notes:
        if note.closed and (note.session, note.origin) == (session, handoff.DERIVED):
            return note.path if note.path not in recorded else None
    return None


def accept(stores: Stores, name: str | None = None) -> ShownHandoff:
    """Record a handoff of unknown origin as the agent's own, and show it; an own one is only shown.

    MissingFileError without one, NeedsYouError for an agent.
    """
    stores.check_writable()
    known = HandoffInputs(stores, own=stores.own_session)
    chosen = listing.chosen(known, name)
    messages = []
    if isinstance(chosen, handoff.Handoff) and chosen.path in known.unwritten:
        stores.environment.check_person(f"agentws handoff show {chosen.name} --accept")
        body = {"text": chosen.name, "path": chosen.path}
        event_of_nobody = _record.Happening(liveness.ACCEPTED, body, session=_record.NOBODY)
        messages = _record.record(stores, [event_of_nobody])[1] + seals.quietly(stores)  # it hands over no session
    done = listing.show_handoff(stores, name)
    done.notices += messages
    return done
