"""The input of the verbs of handoffs: the notes, the sessions that broke off, the facts behind them.

And which of them a new handoff takes over.
"""

from __future__ import annotations

from agentws.formats import layout
from agentws.formats.documents import handoff
from agentws.formats.journal import event as _event
from agentws.formats.journal import thread
from agentws.planning.events import liveness
from agentws.planning.handoff import derive, render, unfinished_sessions
from agentws.planning.handoff.unfinished_sessions import OpenSession
from agentws.storage.disk.lenient import LenientReader
from agentws.storage.installation import host_info
from agentws.storage.journal import read as _read
from agentws.storage.journal import reference, select, session_scan
from agentws.storage.workspace import handoff_origin, writer_trust

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from agentws.formats.documents.handoff import Handoff, Sections
    from agentws.formats.journal.event import Event
    from agentws.formats.journal.segment_index import Outline
    from agentws.planning.handoff.unfinished_sessions import OrphanedSession
    from agentws.storage.workspace.stores import Stores

_MOST_EVENTS, _MOST_TELLING, _MOST_HANDED = 400, 100, 64
_TELLING = (_event.PLAN, _event.DECISION, _event.ERROR, _event.NOTE)
_SEGMENTS_BEFORE = 8
_MOST_FOLLOWED, _MOST_FOLLOWED_BYTES = 200, 8 << 10
_MOST_OTHERS, _MOST_OTHERS_BYTES = 20, 3 << 10
"""No more of them are named: front matter has its limits, and boot shows fewer."""


class HandoffInputs:
    """The handoffs of a workspace, and the sessions that broke off with none, each newest first; `handed` are the
    events that tell of handoffs. `unwritten` are the paths of those that were not written here; these come behind the
    others, also among those that are `open`.
    """

    __slots__ = ("_stores", "broken", "handed", "notes", "notices", "open", "outlines", "reader", "today", "unwritten")

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
        open_ = {note.path for note in handoff.still_open(self.notes, strange=self.unwritten)}
        self.open = [note for note in self.notes if note.path in open_]
        self.outlines = {writer: reference.outlined(stores.files, writer) for writer in writer_trust.known(stores)}
        self.handed = [event for writer, state in self.outlines.items() for event in self._handed(writer, state)]
        self.broken = self._broken(own)

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

    def _broken(self, own: str | None) -> list[OrphanedSession]:
        found = []
        for writer, state in self.outlines.items():
            for name in state.sessions:
                events = events_of(self._stores, writer, state, name, self.notices)
                found += [OpenSession(name, events)] if events else []
        notes = [note for note in self.notes if note.path not in self.unwritten]
        waiting = unfinished_sessions.waiting(found, notes=notes, handed=self.handed)
        here = host_info.this_machine(liveness.processes([one.run for one in waiting], host_info.name()))
        return unfinished_sessions.broken(waiting, here=here, own=own, moment=self._stores.clock.now())

    def own(self, session: str) -> Handoff | None:
        """The open handoff that this session wrote itself, None without one."""
        return unfinished_sessions.own_handoff(self.open_here, session)

    def recorded(self, session: str) -> list[Sequence[Event]]:
        """The events of a session, each writer's apart; the newest of all sessions where it has no name."""
        if not session:
            gone = reference.retracted(self.outlines.values())
            newest = [_newest(self._stores, writer, _MOST_EVENTS, self.notices) for writer in self.outlines]
            return [[one for one in events if (one.writer, one.seq) not in gone] for events in newest]
        several = (events_of(self._stores, *each, session, self.notices) for each in self.outlines.items())
        return [events for events in several if events]

    def facts(self, events: Sequence[Event], session: str | None) -> derive.Facts:
        """Return the facts of a handoff from these events; the actions in flight are those of `session`, else all."""
        return derive.Facts(events, open=in_flight(self._stores, session, self.notices))


def events_of(stores: Stores, writer: str, state: Outline, session: str, notices: list[str]) -> list[Event]:
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
    events = {one.seq: one for one in (*began, *told, *asked, *recent)}
    # An error may have been resolved by an event that is not at hand; the outline knows.
    return [
        one
        for _, one in sorted(events.items())
        if (one.kind != _event.ERROR or one.seq in unresolved) and (one.writer, one.seq) not in gone
    ]


def _first_segment(stores: Stores, writer: str, session: str, state: Outline) -> int:
    """Where to stop looking back for a session: where it began, and a little before, for it may have begun again."""
    began, numbers = state.begun.get(session), _read.newest(stores.files, writer, 1)
    number = began.get("segment") if isinstance(began, dict) else None
    return min(number, numbers[0] - _SEGMENTS_BEFORE) if isinstance(number, int) and numbers else 0


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
) -> list[Event]:
    wanted = select.Wanted(session=session, kinds=kinds, without=(*_event.STRUCTURE, _event.RETRACTED))
    reader = select.Reader(stores.files, wanted)
    found = reader.newest(writer, limit, first=first)
    notices += [notice for notice in reader.notices if notice not in notices]
    return found


# What a new handoff takes over


def followed(
    known: HandoffInputs, session: str, *, is_auto: bool, src: str | None = None
) -> tuple[list[str], list[str], int]:
    """(follows, others, left): what the session can have read when it began, all that is open where it never did; the
    notes that stay open beside it; and how many it would take over if there were room to name them.

    One made automatically (`is_auto`) follows automatic ones alone: those of its own session, and where that called a
    tool also those of others. Nor do words from outside (`src`) close what is the agent's own, or take over a session.
    """
    # The first writer that knows the session, since it was taken up again last.
    events = unfinished_sessions.since_it_ended(next(iter(known.recorded(session) if session else []), []))
    began = next((one for one in events if one.kind == _event.STARTED), None)
    worked = not session or any(one.kind == _event.ACTION for one in events)
    written = {(one.body or {}).get("path"): one for one in known.handed if one.kind == unfinished_sessions.WRITTEN}
    notes = []
    for note in known.open_here:
        is_own = bool(session) and note.session == session
        is_known = is_own or began is None or _could_read(note, written.get(note.path), began)
        is_taken = is_own or (worked and not note.is_on_purpose) if is_auto else bool(note.src or not src)
        notes += [note] if is_known and is_taken else []
    ended = [orphan.session.id for orphan in known.broken if began is None or _was_told(orphan, began)]
    ids = [] if src or is_auto else ended
    # Whoever names a session takes over its notes with it: so these are named before others.
    wanted = [*ids, *(note.name for note in sorted(notes, key=lambda note: note.session not in ids))]
    taken = wanted[: handoff.room_for(wanted, most=_MOST_FOLLOWED, most_bytes=_MOST_FOLLOWED_BYTES)]
    # Those that it may not take over are named before those that there is no room for.
    others = [note.name for note in known.open_here if note not in notes]
    others += [note.name for note in notes if note.name not in taken[len(ids) :]]
    others = others[: handoff.room_for(others, most=_MOST_OTHERS, most_bytes=_MOST_OTHERS_BYTES)]
    names = [note.name for note in notes if note.name in taken[len(ids) :]]
    return [*names, *taken[: len(ids)]], others, len(wanted) - len(taken)


def _was_told(orphan: OrphanedSession, began: Event) -> bool:
    """Return whether its work came before that; one that is quiet was told to nobody as long as it was not."""
    if not unfinished_sessions.is_before(orphan.session.last, began):
        return False
    start = handoff.moment_of(began.at)
    return not orphan.is_quiet or start is None or liveness.is_quiet(orphan.session.run, start)


def _could_read(note: Handoff, event: Event | None, began: Event) -> bool:
    """Return whether the note stood there when the session began, by its event, else by what it says of itself."""
    if event is not None:
        return unfinished_sessions.is_before(event, began)
    written, start = handoff.moment_of(note.at), handoff.moment_of(began.at)
    return written is None or start is None or written <= start


# What was recorded since


def recorded(stores: Stores, known: HandoffInputs, session: str, *, via: str | None = None) -> Sections:
    """The sections from what the session recorded since its last handoff on purpose; of all sessions where it has no
    name. Without secrets, which is a notice of `known`.
    """
    ours = [note for note in known.notes if note.path not in known.unwritten]
    last = next((one for one in ours if not session or (one.session == session and one.is_on_purpose)), None)
    return _clean(known, derive.derive(_facts(stores, known, session, last, via), stores.clock.now()).sections)


def with_what_came_after(stores: Stores, known: HandoffInputs, own: Handoff, *, via: str | None = None) -> str:
    """The text of the handoff that a session wrote itself, with what came after it in one section at its end."""
    facts = _facts(stores, known, own.session, own, via)
    sections = _clean(known, derive.since(facts, stores.clock.now()).sections)
    heading = f"\n## {handoff.SINCE}\n\n"
    before, found, _ = own.text.rpartition(heading)
    kept = before if found else own.text
    return f"{kept.rstrip()}\n{heading}{sections[handoff.SINCE]}" if sections else own.text


def _facts(stores: Stores, known: HandoffInputs, session: str, last: Handoff | None, via: str | None) -> derive.Facts:
    events = [one for each in known.recorded(session) for one in each]
    events = unfinished_sessions.after(last, events, known.handed) if last is not None else events
    facts = known.facts(sorted(events, key=lambda one: one.at), session or None)
    # This very handoff is a call that is still in flight.
    facts.open = [one for at, one in enumerate(facts.open) if at or derive.our_verb(one) != "handoff"]
    # A host that ends the session will report no result of these.
    end = thread.of_turn(_event.ENDED, session or None, via or "", None)
    facts.unreported = [one for one in facts.open if end and (found := thread.thread_of(one)) and found.takes(end)]
    return facts


def _clean(known: HandoffInputs, sections: Sections) -> Sections:
    clean, hidden = render.without_secrets(sections)
    known.notices += render.said_of_hidden(hidden)
    return clean
