"""A handoff that is taken back: the journal is told, so that boot derives again what it took over."""

from __future__ import annotations

from agentws.formats.journal import event as _event
from agentws.planning.events import liveness
from agentws.planning.handoff import unfinished_sessions
from agentws.storage.journal import read, select
from agentws.storage.workspace import record, writer_trust

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from agentws.formats.journal.event import Event
    from agentws.storage.workspace.record import Happening
    from agentws.storage.workspace.stores import Stores

UNDONE = unfinished_sessions.UNDONE
_VERBS = ("handoff", "handoff ack")
_NAMED: tuple[str, ...] = ("path", "session", "follows")
_MOST_EVENTS = 64


def taken_back(stores: Stores, verb: str, paths: Sequence[str]) -> tuple[list[Happening], list[str]]:
    """The event that the handoff at one of these paths was taken back, where none says so; notices of what stays."""
    event = _newest_of(stores, paths) if verb in _VERBS else None
    if event is None or event.kind == UNDONE:
        return [], []
    told = event.body or {}
    body: dict[str, object] = {key: told[key] for key in _NAMED if key in told}
    session = event.session or record.NOBODY
    return [record.Happening(UNDONE, body, session=session)], [_stays_ended(one) for one in _ended_by(stores, event)]


def _newest_of(stores: Stores, paths: Sequence[str]) -> Event | None:
    """The newest event that tells of a handoff at one of these paths."""
    wanted = select.Wanted(kinds=(f"{_event.HANDOFFS}*",))
    reader = select.Reader(stores.files, wanted)
    found = [one for writer in writer_trust.known(stores) for one in reader.newest(writer, _MOST_EVENTS)]
    found = [one for one in found if (one.body or {}).get("path") in paths]
    return max(found, key=lambda one: (one.at, one.seq), default=None)


def _ended_by(stores: Stores, event: Event) -> Iterator[str]:
    """The sessions that have ended by this handoff, which was recorded with it: right behind its event."""
    last = read.last_seq(stores.files, event.writer)
    for seq in range(event.seq + 1, last + 1):
        one = read.find(stores.files, event.writer, seq)
        if one.kind != _event.ENDED or (one.body or {}).get("outcome") != liveness.CRASHED:
            return
        yield one.session or ""


def _stays_ended(session: str) -> str:
    return (
        f"Session {session} stays ended, and no handoff is derived of it again: that it crashed had been recorded. "
        f"See what it did: agentws session show {session}"
    )
