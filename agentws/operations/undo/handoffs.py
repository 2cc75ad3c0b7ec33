"""A handoff that is taken back: the journal is told, so that boot derives again what it took over."""

from __future__ import annotations

from agentws.errors import AgentwsError
from agentws.formats import event as _event
from agentws.planning import sessions, unended
from agentws.storage import recording
from agentws.storage.journal import reading, selecting

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from agentws.formats.event import Event
    from agentws.storage.stores import Stores

_VERBS = ("handoff", "handoff ack")
_NAMED: tuple[str, ...] = ("path", "session", "follows")
_MOST_EVENTS = 64


def taken_back(stores: Stores, verb: str, paths: Sequence[str], *, dry_run: bool) -> list[str]:
    """Record that the handoff at one of these paths was taken back, once; notices of what stays as it is.

    What cannot be recorded is a notice: the note itself is gone by then.
    """
    if verb not in _VERBS:
        return []
    try:
        event = _newest_of(stores, paths)
        if event is None or event.kind == unended.UNDONE:
            return []
        said = [_stays_ended(one) for one in _ended_by(stores, event)]
        return said if dry_run else [*_record(stores, event), *said]
    except AgentwsError as error:
        return [f"That a handoff was taken back was not recorded: {error.message} {error.hint or ''}".rstrip()]


def _newest_of(stores: Stores, paths: Sequence[str]) -> Event | None:
    """The newest event that tells of a handoff at one of these paths."""
    wanted = selecting.Wanted(kinds=(f"{_event.HANDOFFS}*",))
    reader = selecting.Reader(stores.files, wanted)
    found = [one for writer in reading.writers(stores.files) for one in reader.newest(writer, _MOST_EVENTS)]
    found = [one for one in found if (one.body or {}).get("path") in paths]
    return max(found, key=lambda one: (one.at, one.seq), default=None)


def _ended_by(stores: Stores, event: Event) -> Iterator[str]:
    """The sessions that have ended by this handoff, which was recorded with it: right behind its event."""
    last = reading.last_seq(stores.files, event.writer)
    for seq in range(event.seq + 1, last + 1):
        one = reading.find(stores.files, event.writer, seq)
        if one.kind != _event.ENDED or (one.body or {}).get("outcome") != sessions.CRASHED:
            return
        yield one.session or ""


def _record(stores: Stores, event: Event) -> list[str]:
    told = event.body or {}
    body: dict[str, object] = {key: told[key] for key in _NAMED if key in told}
    _, notices = recording.record(stores, [recording.told(unended.UNDONE, session=event.session, body=body)])
    return notices


def _stays_ended(session: str) -> str:
    return (
        f"Session {session} stays ended, and no handoff is derived of it again: that it crashed had been recorded. "
        f"See what it did: agentws session show {session}"
    )
