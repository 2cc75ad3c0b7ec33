"""The handoffs that nobody wrote: derived from what was read, where a session broke off. Nothing is stored."""

from __future__ import annotations

from agentws.formats.documents import handoff
from agentws.operations.boot import world
from agentws.planning.boot import request
from agentws.planning.events import liveness
from agentws.planning.handoff import derive as _derive
from agentws.planning.handoff import render, unfinished_sessions
from agentws.planning.handoff.unfinished_sessions import Log, OpenSession
from agentws.storage.journal import session_scan

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from agentws.formats.documents.handoff import Handoff
    from agentws.formats.journal.event import Event
    from agentws.operations.boot.world import Asked
    from agentws.planning.boot.request import Source
    from agentws.planning.events.activity import Journal, Open
    from agentws.planning.handoff.unfinished_sessions import OrphanedSession
    from agentws.storage.workspace.stores import Stores


def derive(
    stores: Stores,
    journals: Sequence[Journal],
    moment: datetime,
    *,
    notes: Sequence[Handoff],
    read: Sequence[Source],
) -> tuple[list[Source], Asked]:
    """The derived handoffs, the newest first, and what was asked of the machine for them: nothing where no session
    is left that nobody has taken over.
    """
    found = [OpenSession(name, events) for journal in journals for name, events in journal.unended.items()]
    found += [again for one in found if (again := unfinished_sessions.before_it_began_again(one))]
    handed = [event for journal in journals for event in journal.handed]
    waiting = unfinished_sessions.waiting(found, notes=notes, handed=handed)
    if not waiting:
        return [], []
    here, asked = world.ask(stores, [one.run for one in waiting])
    log = _newest_log(read, moment)
    broken = unfinished_sessions.broken(waiting, here=here, own=stores.own_session, moment=moment, log=log)
    full = unfinished_sessions.in_full(broken)
    before = [orphan for orphan in broken if orphan not in full]
    open_ = handoff.still_open(notes)
    made = []
    for place, one in enumerate(full):
        own = unfinished_sessions.own_handoff(open_, one.session.id)
        events = unfinished_sessions.after(own, one.session.events, handed) if own else _whole(stores, one)
        in_flight = _open(journals, one)
        facts = _derive.Facts(events, open=[each.action for each in in_flight if each.action])
        below = render.in_flight_line(len(in_flight), where=render.IN_FLIGHT_BELOW)
        derived = (_derive.since if own else _derive.derive)(facts, moment, in_flight=below)
        made.append(render.source(one, derived, moment, before=() if place else before, own=own))
    return made, asked


def _whole(stores: Stores, orphan: OrphanedSession) -> Sequence[Event]:
    """The events at hand, with the first request of the session, which may stand far before them."""
    first = orphan.session.run.first
    begun = {"segment": first.segment, "offset": first.offset}
    request = session_scan.first_request(stores.files, first.writer, orphan.session.id, begun)
    known = {one.seq for one in orphan.session.events}
    return sorted((*(one for one in request if one.seq not in known), *orphan.session.events), key=lambda one: one.seq)


def turns(journals: Sequence[Journal], moment: datetime) -> datetime | None:
    """Return when the next of these sessions becomes quiet without further events; None for never."""
    runs = [OpenSession(name, events).run for journal in journals for name, events in journal.unended.items()]
    found = [at for run in runs if run.ended is None and (at := liveness.quiet_at(run)) and at > moment]
    return min(found, default=None)


def running(stores: Stores, journals: Sequence[Journal], moment: datetime) -> tuple[set[str], Asked]:
    """The sessions with actions in flight that are known to run, and what was asked of the machine for that."""
    names = {one.action.session for journal in journals for one in journal.open if one.action}
    found = [
        OpenSession(name, events).run for each in journals for name, events in each.unended.items() if name in names
    ]
    if not found:
        return set(), []
    here, asked = world.ask(stores, found)
    return {run.id for run in found if liveness.judge(run, here, moment).state == liveness.RUNNING}, asked


def _open(journals: Sequence[Journal], orphan: OrphanedSession) -> list[Open]:
    return [
        each
        for journal in journals
        for each in journal.open
        if each.action and each.action.session == orphan.session.id
    ]


def _newest_log(read: Sequence[Source], moment: datetime) -> Log | None:
    """The newest log of a day that has come: the days come newest first."""
    today = moment.date().isoformat()
    found = next((one for one in read if one.role == request.DAY and one.brief <= today), None)
    return Log(found.path, found.brief, found.text) if found else None
