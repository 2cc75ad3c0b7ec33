"""The input of the verbs of handoffs: the notes, the sessions that broke off, and the facts behind them."""

from __future__ import annotations

from agentws.formats import layout
from agentws.formats.documents import handoff
from agentws.formats.journal import event as _event
from agentws.planning.boot import sources
from agentws.planning.events import liveness
from agentws.planning.handoff import derive, unfinished_sessions
from agentws.planning.handoff.unfinished_sessions import Log, OpenSession
from agentws.storage.disk.lenient import LenientReader
from agentws.storage.installation import host_info
from agentws.storage.journal import read as _read
from agentws.storage.journal import reference, select, session_scan
from agentws.storage.workspace import handoff_origin, writer_trust

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from agentws.formats.documents.handoff import Handoff
    from agentws.formats.journal.event import Event
    from agentws.formats.journal.segment_index import Outline
    from agentws.planning.handoff.unfinished_sessions import OrphanedSession
    from agentws.storage.workspace.stores import Stores

_MOST_EVENTS, _MOST_TELLING, _MOST_HANDED = 400, 100, 64
_TELLING = (_event.PLAN, _event.DECISION, _event.ERROR, _event.NOTE)
_SEGMENTS_BEFORE = 8


class HandoffInputs:
    """The handoffs of a workspace, and the sessions that broke off with none, each newest first; `handed` are the
    events that tell of handoffs. `unwritten` are the paths of those that were not written here.
    """

    __slots__ = ("_stores", "broken", "handed", "notes", "notices", "reader", "today", "unwritten")

    def __init__(self, stores: Stores, *, own: str | None) -> None:
        self._stores = stores
        self.today = stores.clock.now().date().isoformat()
        self.reader = LenientReader(stores.files)
        self.notices = self.reader.notices
        self.notes = self._notes()
        self.unwritten = handoff_origin.unwritten(stores, [note.path for note in self.notes])
        ours = [note for note in self.notes if note.path not in self.unwritten]
        strange = [note for note in self.notes if note.path in self.unwritten]
        self.notes = [*ours, *handoff.past_first(strange, self.today)]
        outlines = {writer: reference.outlined(stores.files, writer) for writer in writer_trust.known(stores)}
        self.handed = [event for writer, state in outlines.items() for event in self._handed(writer, state)]
        self.broken = self._broken(own, outlines)

    @property
    def open(self) -> list[Handoff]:
        """The stored ones that are open, newest first; those that were not written here behind the others."""
        open_ = {note.path for note in handoff.still_open(self.notes, strange=self.unwritten)}
        return [note for note in self.notes if note.path in open_]

    @property
    def open_here(self) -> list[Handoff]:
        """Return the open handoffs that were written here: those a session goes on with."""
        return [note for note in self.open if note.path not in self.unwritten]

    def _notes(self) -> list[Handoff]:
        found = []
        for path in reversed(self.reader.markdown(layout.HANDOFFS)):
            read = self.reader.document(path)
            if read is not None:
                found.append(handoff.Handoff(path, read))
        return sorted(found, key=lambda note: note.name, reverse=True)

    def _handed(self, writer: str, state: Outline) -> list[Event]:
        """The newest events that tell of handoffs; and of the sessions that have not ended those that took them over,
        however long ago.
        """
        newest = _newest(self._stores, writer, _MOST_HANDED, self.notices, kinds=("handoff.*",))
        refs = [ref for name, ref in state.handed.items() if name in state.sessions]
        return [*filter(None, (reference.at(self._stores.files, writer, ref) for ref in refs)), *newest]

    def _broken(self, own: str | None, outlines: Mapping[str, Outline]) -> list[OrphanedSession]:
        found = []
        for writer, state in outlines.items():
            for name in state.sessions:
                events = events_of(self._stores, writer, name, state, self.notices)
                found += [OpenSession(name, events)] if events else []
        notes = [note for note in self.notes if note.path not in self.unwritten]
        waiting = unfinished_sessions.waiting(found, notes=notes, handed=self.handed)
        host = host_info.name()
        lives = {one: host_info.lives(*one) for one in liveness.processes([one.run for one in waiting], host)}
        here = liveness.ThisMachine(host, host_info.boot_id(), host_info.namespace(), lives)
        return unfinished_sessions.broken(waiting, here=here, own=own, moment=self._stores.clock.now(), log=self.log())

    def log(self) -> Log | None:
        """The newest daily log of a day that has come."""
        days = {name: layout.day_of(name) for name in self.reader.listing(layout.DAYS)}
        for day, name in sources.logs(days, until=self.today)[:1]:
            document = self.reader.document(f"{layout.DAYS}/{name}", from_end=True)
            return Log(f"{layout.DAYS}/{name}", day, document.body) if document is not None else None
        return None

    def own(self, session: str) -> Handoff | None:
        """The open handoff that this session wrote itself, None without one."""
        return unfinished_sessions.own_handoff(self.open_here, session)

    def facts(self, events: Sequence[Event], session: str | None) -> derive.Facts:
        """Return the facts of a handoff from these events; the actions in flight are those of `session`, else all."""
        return derive.Facts(events, open=in_flight(self._stores, session, self.notices))


def events_of(stores: Stores, writer: str, session: str, state: Outline, notices: list[str]) -> list[Event]:
    """The events of a session that a handoff is derived from, oldest first: its beginning, its first request, its
    newest notes, decisions, plans and errors, and its newest events.
    """
    first = _first_segment(stores, writer, session, state)
    recent = _newest(stores, writer, _MOST_EVENTS, notices, first=first, session=session)
    told = _newest(stores, writer, _MOST_TELLING, notices, first=first, session=session, kinds=_TELLING)
    turns = (_event.STARTED, _event.ENDED)  # it may have ended before it began
    began = _newest(stores, writer, 2, notices, first=first, session=session, kinds=turns)
    asked = session_scan.first_request(stores.files, writer, session, state.begun.get(session))
    unresolved = {ref.get("seq") for ref in state.errors}
    gone = reference.retracted([state])
    # An error may have been resolved by an event that is not at hand; the outline knows.
    return [
        one
        for one in _united([*began, *told, *asked, *recent])
        if (one.kind != _event.ERROR or one.seq in unresolved) and (one.writer, one.seq) not in gone
    ]


def _first_segment(stores: Stores, writer: str, session: str, state: Outline) -> int:
    """Where to stop looking back for a session: where it began, and a little before, for it may have begun again."""
    began, numbers = state.begun.get(session), _read.newest(stores.files, writer, 1)
    number = began.get("segment") if isinstance(began, dict) else None
    return min(number, numbers[0] - _SEGMENTS_BEFORE) if isinstance(number, int) and numbers else 0


def newest(stores: Stores, notices: list[str]) -> list[Event]:
    """The newest events of all sessions, each writer's oldest first."""
    writers = writer_trust.known(stores)
    gone = reference.retracted(reference.outlined(stores.files, writer) for writer in writers)
    found = [one for writer in writers for one in _newest(stores, writer, _MOST_EVENTS, notices)]
    return [one for one in found if (one.writer, one.seq) not in gone]


def in_flight(stores: Stores, session: str | None, notices: list[str]) -> list[Event]:
    """The actions without a result, newest first; of one session, or of all."""
    found = []
    for writer, ref in reference.open_calls(stores.files, writer_trust.known(stores)):
        one = reference.at(stores.files, writer, ref)
        if one is None:
            is_retired = ref["seq"] <= _read.retired(stores.files, writer)
            state = "was retired" if is_retired else "is unreadable"
            notices.append(f"The event of an action in flight {state}: {writer}:{ref['seq']}.")
            continue
        found += [one] if session is None or one.session == session else []
    return sorted(found, key=lambda one: one.at, reverse=True)


def _newest(
    stores: Stores,
    writer: str,
    limit: int,
    notices: list[str],
    *,
    first: int = 0,
    session: str | None = None,
    kinds: Sequence[str] = (),
    src: str | None = None,
) -> list[Event]:
    wanted = select.Wanted(session=session, kinds=kinds, src=src, without=(*_event.STRUCTURE, _event.RETRACTED))
    reader = select.Reader(stores.files, wanted)
    found = reader.newest(writer, limit, first=first)
    notices += [notice for notice in reader.notices if notice not in notices]
    return found


def _united(events: Iterable[Event]) -> list[Event]:
    return sorted({event.seq: event for event in events}.values(), key=lambda one: one.seq)
