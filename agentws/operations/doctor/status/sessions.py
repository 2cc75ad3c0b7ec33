"""The sessions that have not ended: which of them may run, and which broke off with nothing handed over."""

from __future__ import annotations

from agentws.errors import AgentwsError
from agentws.formats import layout
from agentws.formats.journal import event
from agentws.storage.journal import session_scan
from agentws.storage.workspace import writer_trust

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from agentws.formats.documents.handoff import Handoff
    from agentws.formats.journal.event import Event
    from agentws.planning.events import liveness
    from agentws.planning.handoff.unfinished_sessions import Log, OpenSession
    from agentws.storage.workspace.stores import Stores

_MOST_HANDED = 64
_MOST_LOG_BYTES = 1 << 18


class Sessions:
    """The ids of sessions: `gone` are known to have crashed; of those that are `broken` a handoff is derived."""

    __slots__ = ("broken", "gone")

    def __init__(self, broken: Sequence[str] = (), gone: Sequence[str] = ()) -> None:
        self.broken = list(broken)
        self.gone = frozenset(gone)


def find(stores: Stores, notes: Sequence[Handoff]) -> Sessions:
    """Return the sessions as `handoff list` finds them; none where the journal is unreadable, which its check says."""
    try:
        writers = writer_trust.known(stores)
        found = [
            (name, events)
            for writer in writers
            for name in session_scan.unfinished_sessions(stores.files, writer)
            if (events := session_scan.unfinished_events(stores.files, writer, name))
        ]
        return _judged(stores, found, writers, notes) if found else Sessions()
    except AgentwsError:
        return Sessions()


def _judged(
    stores: Stores, found: Sequence[tuple[str, Sequence[Event]]], writers: Sequence[str], notes: Sequence[Handoff]
) -> Sessions:
    # Mostly every session has ended: what judges the others is not loaded then.
    from agentws.planning.events import liveness
    from agentws.planning.handoff import unfinished_sessions
    from agentws.storage.workspace import handoff_origin

    sessions = [unfinished_sessions.OpenSession(name, events) for name, events in found]
    kinds = (f"{event.HANDOFFS}*",)
    handed = [
        one for each in writers for one in session_scan.newest_events(stores.files, each, _MOST_HANDED, kinds=kinds)
    ]
    strange = handoff_origin.unwritten(stores, [note.path for note in notes])
    ours = [note for note in notes if note.path not in strange]
    waiting = unfinished_sessions.waiting(sessions, notes=ours, handed=handed)
    here, moment = _here(sessions), stores.clock.now()
    broken = unfinished_sessions.broken(
        waiting, here=here, own=stores.own_session, moment=moment, log=_log(stores, waiting)
    )
    gone = [one.id for one in sessions if liveness.judge(one.run, here, moment).state == liveness.CRASHED]
    return Sessions([orphan.session.id for orphan in broken], gone)


def _here(found: Sequence[OpenSession]) -> liveness.ThisMachine:
    from agentws.planning.events import liveness
    from agentws.storage.installation import host_info

    host = host_info.name()
    lives = {one: host_info.lives(*one) for one in liveness.processes([one.run for one in found], host)}
    return liveness.ThisMachine(host, host_info.boot_id(), host_info.namespace(), lives)


def _log(stores: Stores, waiting: Sequence[OpenSession]) -> Log | None:
    """The newest log that is of no day to come: read only where a session recorded nothing but its beginning."""
    if all(one.work for one in waiting):
        return None
    from agentws.planning.boot import sources
    from agentws.planning.handoff.unfinished_sessions import Log

    days = {name: layout.day_of(name) for name in stores.files.listing(layout.DAYS)}
    for day, name in sources.logs(days, until=stores.clock.now().date().isoformat())[:1]:
        data, _ = stores.files.part(f"{layout.DAYS}/{name}", _MOST_LOG_BYTES, from_end=True)
        return Log(f"{layout.DAYS}/{name}", day, data.decode("utf-8", "replace"))
    return None
