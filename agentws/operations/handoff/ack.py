"""handoff ack: a handoff whose work was taken over is closed; one that nobody wrote is stored as it is closed.

And show --accept: one that was not written here, as one that came through git, becomes the agent's own.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from agentws.changes import ABSENT, ChangeSet, Write
from agentws.formats import digest
from agentws.formats.documents import handoff
from agentws.operations.handoff import listing
from agentws.operations.handoff import write as _write
from agentws.operations.handoff.inputs import HandoffInputs
from agentws.planning.handoff import unfinished_sessions
from agentws.storage.workspace import record, seals

TYPE_CHECKING = False
if TYPE_CHECKING:
    from agentws.formats.documents.handoff import Handoff
    from agentws.operations.handoff.listing import ShownHandoff
    from agentws.planning.handoff.unfinished_sessions import OrphanedSession
    from agentws.storage.workspace.stores import Stores


@dataclass(slots=True)
class Closed:
    """A handoff that was closed, or would be: its `path` and `session`; `already` where it was closed before."""

    name: str
    path: str
    session: str
    origin: str
    already: bool = False
    dry_run: bool = False
    notices: list[str] = field(default_factory=list)


def ack_handoff(stores: Stores, name: str | None = None, *, dry_run: bool = False) -> Closed:
    """Close a handoff, the newest open one where no name is given, and record that.

    MissingFileError where there is none; ChangedUnderneathError where somebody edits it at that moment.
    """
    if not dry_run:
        stores.check_writable()
        stores.settle()
    known = HandoffInputs(stores.heard(), own=stores.own_session)
    found = listing.chosen(known, name)
    if isinstance(found, handoff.Handoff):
        done, write = _stored(stores, found)
    else:
        done, write = _never_written(stores, known, found)
    done.dry_run = dry_run
    notices = known.notices
    if write is None:
        done.already = True
    elif not dry_run:
        stores.apply(ChangeSet("handoff ack", (write,)))
        body: dict[str, object] = {"path": done.path, "session": done.session}
        if done.path in known.unwritten:  # what it says of its session ends none
            body |= {"session": "", "unwritten": True}
        over = [orphan for orphan in known.broken if orphan is found]
        notices += _write.record(stores, unfinished_sessions.CLOSED, done.name, session=None, body=body, over=over)
    done.notices = [*stores.notices, *notices]
    return done


def accept(stores: Stores, name: str | None = None) -> ShownHandoff:
    """Take a handoff as the agent's own, durably, and show it; one that is its own already is only shown.

    MissingFileError where there is none.
    """
    stores.check_writable()
    known = HandoffInputs(stores, own=stores.own_session)
    found = listing.chosen(known, name)
    said = []
    if isinstance(found, handoff.Handoff) and found.path in known.unwritten:
        body = {"text": found.name, "path": found.path}
        happened = record.Happening(
            unfinished_sessions.ACCEPTED, body, session=record.NOBODY
        )  # it hands over no session
        said = record.record(stores, [happened])[1] + seals.quietly(stores)
    done = listing.show_handoff(stores, name)
    done.notices += said
    return done


def _stored(stores: Stores, note: Handoff) -> tuple[Closed, Write | None]:
    """The note with its status closed; None where it says so already."""
    before = stores.files.read(note.path)
    after = handoff.closed(before, path=note.path)
    done = Closed(note.name, note.path, session=note.session, origin=note.origin)
    return done, Write(note.path, after, expects=digest.of(before)) if after != before else None


def _never_written(stores: Stores, known: HandoffInputs, orphan: OrphanedSession) -> tuple[Closed, Write | None]:
    """What was derived, as a note that is closed: so it is kept, and never derived again. A session that wrote one
    itself has that closed.
    """
    now = stores.clock.now()
    session = orphan.session.id
    if (own := known.own(session)) is not None:
        return _stored(stores, own)
    path = _write.free(stores, handoff.path_for(now.strftime("%Y-%m-%d-%H%M%S"), session))
    data = handoff.encode(
        listing.derived(stores, known, orphan),
        session=session,
        at=now.isoformat(timespec="seconds"),
        follows=(),
        origin=handoff.DERIVED,
        status=handoff.CLOSED,
        audience=stores.made_for(),
    )
    done = Closed(session, path, session=session, origin=handoff.DERIVED)
    return done, Write(path, data, expects=ABSENT)
