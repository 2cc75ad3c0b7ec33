"""What an automatic handoff says: what was recorded, what its session said before, what others left open."""

from __future__ import annotations

from datetime import UTC

from agentws.formats import handoff
from agentws.operations.handoff import carrying
from agentws.operations.handoff.reading import events_of, newest
from agentws.planning import deriving, unended
from agentws.planning import handoff as _planning
from agentws.storage import writer_trust
from agentws.storage.journal import reference

TYPE_CHECKING = False
if TYPE_CHECKING:
    from agentws.formats.event import Event
    from agentws.formats.handoff import Sections
    from agentws.operations.handoff.following import Followed
    from agentws.operations.handoff.reading import Known
    from agentws.planning.carrying import Carried
    from agentws.storage.stores import Stores


def gather(
    stores: Stores, known: Known, followed: Followed, given: Sections, session: str | None
) -> tuple[Sections, Carried | None, str]:
    """The sections, what is carried over besides, and the origin: words that were `given`, now or before in this
    session, make it one that is meant. Without secrets, which is a notice of `known`; nothing where nothing is told.
    """
    moment = stores.clock.now()
    events = _since_the_last(stores, known, session)
    facts = known.facts(events, session)
    derived, hidden = _planning.without_secrets(deriving.derive(facts, moment).sections)
    told = handoff.merged(given, derived)
    if not told:
        return {}, None, handoff.AUTO
    own, more = carrying.own(known, followed, told)
    found = handoff.merged(told, own)
    carried, others = carrying.carried(known, followed, found, events, moment, session=session)
    known.notices += _planning.said_of_hidden(hidden + more + others)
    return found, carried, handoff.AGENT if given or own else handoff.AUTO


def _since_the_last(stores: Stores, known: Known, session: str | None) -> list[Event]:
    ours = (note for note in known.notes if note.path not in known.unwritten)
    last = next((note for note in ours if not session or note.session == session), None)
    at = unended.moment_of(last.at) if last else None
    after = at.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ") if at else ""
    # The clock may have been put back since: what the journal tells behind it came later all the same.
    written = unended.written_by(last, known.handed) if last else None
    found = _of_session(stores, known, session) if session else newest(stores, known.notices)
    is_later = (one.at >= after or (written is not None and unended.is_before(written, one)) for one in found)
    return sorted((one for one, later in zip(found, is_later, strict=True) if later), key=lambda one: one.at)


def _of_session(stores: Stores, known: Known, session: str) -> list[Event]:
    found: list[Event] = []
    for writer in writer_trust.known(stores):
        found += events_of(stores, writer, session, reference.outlined(stores.files, writer), known.notices)
    return found
