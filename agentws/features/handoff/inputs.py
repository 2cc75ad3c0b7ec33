"""Reads the input of handoff verbs: handoffs, sessions that broke off, events; and what a new one follows."""

from __future__ import annotations

from collections.abc import Sequence

from agentws.core.disk.lenient import LenientReader
from agentws.core.formats import layout
from agentws.core.formats.documents import handoff
from agentws.core.formats.documents.handoff import Handoff, Sections
from agentws.core.formats.journal import event as _event, segment_index, thread
from agentws.core.formats.journal.event import Event
from agentws.core.journal import read as _read, reference
from agentws.core.journal.events import liveness
from agentws.core.journal.events.liveness import OrphanedSession
from agentws.core.journal.unended import Unended
from agentws.core.stores import writer_trust
from agentws.core.stores.stores import Stores
from agentws.features.handoff import handoff_origin
from agentws.features.handoff.plan import derive, render

_MOST_FOLLOWED, _MOST_FOLLOWED_BYTES = 200, 8 << 10
_MOST_OTHERS, _MOST_OTHERS_BYTES = 20, 3 << 10
"""No more of them are named: front matter has its limits, and boot shows fewer."""


class HandoffInputs:
    """The handoffs of a workspace, and the sessions that broke off without one, each newest first.

    `handed` are the events about handoffs. `unwritten` are the paths of handoffs that were not written here; they come
    after the others, also among those that are `open`. `on_purpose` is the newest one written on purpose, None without
    one, and `newer` are the sessions that broke off (`broken`) since then. `unread` are the notices about files
    that were not read, `unheard` those about a journal that counts nowhere.
    """

    def __init__(self, stores: Stores, *, own: str | None) -> None:
        self._files = stores.files
        now = stores.clock.now()
        reader = LenientReader(stores.files, adopted=stores.manifest.setting("adopted.documents"))
        self.notices = reader.notices
        read = ((path, reader.document(path)) for path in reversed(reader.markdown(layout.HANDOFFS)))
        notes = [handoff.Handoff(path, document) for path, document in read if document is not None]
        misplaced = stores.files.in_place_of(layout.HANDOFFS)
        self.notices += misplaced
        self.unread = [*misplaced, *reader.unread.values()]
        self.unwritten = handoff_origin.unwritten(stores, [note.path for note in notes])
        notes.sort(key=lambda note: note.name, reverse=True)
        ours = [note for note in notes if note.path not in self.unwritten]
        strange = [note for note in notes if note.path in self.unwritten]
        self.notes = [*ours, *handoff.past_first(strange, now.date().isoformat())]
        open_ = {note.path for note in handoff.still_open(self.notes, strange=self.unwritten)}
        self.open = [note for note in self.notes if note.path in open_]
        trust = writer_trust.of(stores)
        self.unheard = trust.remade
        self.notices += self.unheard
        self.outlines = {writer: reference.outlined(stores.files, writer) for writer in trust.known}
        self._unended = Unended(stores.files, self.outlines, self.notices)
        self.handed = self._unended.handed
        self.broken = self._unended.broken(notes=ours, own=own, moment=now)
        self.on_purpose = liveness.on_purpose(self.open_here)
        self.newer = liveness.since(self.on_purpose, self.broken, self.handed)

    @property
    def open_here(self) -> list[Handoff]:
        """Return the open handoffs that were written here: those a session continues."""
        return [note for note in self.open if note.path not in self.unwritten]

    def own(self, session: str) -> Handoff | None:
        """Return the open handoff that this session wrote itself, None without one."""
        return liveness.own_handoff(self.open_here, session)

    def recorded(self, session: str) -> list[list[Event]]:
        """Return a session's events for a handoff, a list for each writer; those of all sessions without a name."""
        return [events for writer in self.outlines if (events := self._unended.events(writer, session))]

    def facts(self, events: Sequence[Event], session: str) -> derive.Facts:
        """Return the facts for a handoff derived from these events.

        With the actions without a result, newest first: those of the `session`, or all if it has no name.
        """
        open_, interrupted = [], set()
        for writer, ref in reference.open_calls(self._files, list(self.outlines)):
            event = reference.at(self._files, writer, ref)
            if event is None:
                is_retired = ref["seq"] <= _read.retired(self._files, writer)
                state = "was retired" if is_retired else "is unreadable"
                self.notices.append(f"The event of an action in flight {state}: {writer}:{ref['seq']}.")
            elif event.session == session or not session:
                open_.append(event)
                if ref.get(segment_index.INTERRUPTED):
                    interrupted.add(event.cursor)
        newest_first = sorted(open_, key=lambda event: event.at, reverse=True)
        return derive.Facts(events, open=newest_first, interrupted=interrupted)

    def in_flight(self) -> set[str | None] | None:
        """Return the sessions of the actions without a result, or None if an action is unreadable."""
        calls = reference.open_calls(self._files, list(self.outlines))
        events = [reference.at(self._files, writer, ref) for writer, ref in calls]
        return None if None in events else {event.session for event in events if event is not None}


# What a new handoff takes over


def followed(
    known: HandoffInputs, session: str, *, is_auto: bool, src: str | None = None
) -> tuple[list[str], list[str], int]:
    """Return what a new handoff follows, the handoffs it leaves open, and how many more it had no room to name.

    It follows what the session can have read when it began, or all that is open if it never did begin. One made
    automatically (`is_auto`) follows automatic ones alone: those of its own session, and if that called a tool also
    those of others, and crashed sessions without a call in flight. A text from outside (`src`) neither closes what is
    the agent's own nor takes over a session.
    """
    # The first writer that knows the session, since it was taken up again last.
    events = liveness.since_it_ended(next(iter(known.recorded(session) if session else []), []))
    began = next((event for event in events if event.kind == _event.STARTED), None)
    worked = not session or any(event.kind == _event.ACTION for event in events)
    written = {(event.body or {}).get("path"): event for event in known.handed if event.kind == liveness.WRITTEN}
    notes = []
    for note in known.open_here:
        is_own = bool(session) and note.session == session
        is_known = is_own or began is None or _could_read(note, written.get(note.path), began)
        is_taken = is_own or (worked and not note.is_on_purpose) if is_auto else bool(note.src or not src)
        notes += [note] if is_known and is_taken else []
    ended = [orphan for orphan in known.broken if began is None or _was_told(orphan, began)]
    if is_auto and ended:
        unknown = known.in_flight() if worked and began is not None else None
        ended = [] if unknown is None else [orphan for orphan in ended if orphan.session.id not in unknown]
        ended = [orphan for orphan in ended if not (orphan.may_run or known.own(orphan.session.id))]
    ids = [] if src else [orphan.session.id for orphan in ended]
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
    """Return whether a session that broke off did so before the new session began, so that boot showed it."""
    if not liveness.is_before(orphan.session.last, began):
        return False
    start = handoff.moment_of(began.at)
    return not orphan.is_quiet or start is None or liveness.is_quiet(orphan.session.run, start)


def _could_read(note: Handoff, event: Event | None, began: Event) -> bool:
    """Return whether the handoff existed when the session began, by its event, else by its own date."""
    if event is not None:
        return liveness.is_before(event, began)
    written, start = handoff.moment_of(note.at), handoff.moment_of(began.at)
    return written is None or start is None or written <= start


# What was recorded since


def recorded(stores: Stores, known: HandoffInputs, session: str, *, via: str | None = None) -> Sections:
    """Return handoff sections from the session's events since its last handoff on purpose, secrets hidden.

    Of all sessions if it has no name. Hidden secrets are a notice of `known`.
    """
    ours = [note for note in known.notes if note.path not in known.unwritten]
    last = next((note for note in ours if not session or (note.session == session and note.is_on_purpose)), None)
    return _clean(known, derive.derive(_facts(known, session, last, via), stores.clock.now()))


def with_what_came_after(stores: Stores, known: HandoffInputs, own: Handoff, *, via: str | None = None) -> str:
    """Return a session's own handoff as input, with later events in one section at its end."""
    facts = _facts(known, own.session, own, via)
    sections = _clean(known, derive.since(facts, stores.clock.now()))
    heading = f"\n## {handoff.SINCE}\n\n"
    before, text, _ = own.text.rpartition(heading)
    kept = before if text else own.text
    return f"{kept.rstrip()}\n{heading}{sections[handoff.SINCE]}" if sections else own.text


def _facts(known: HandoffInputs, session: str, last: Handoff | None, via: str | None) -> derive.Facts:
    events = [event for each in known.recorded(session) for event in each]
    events = liveness.after(last, events, known.handed) if last is not None else events
    facts = known.facts(sorted(events, key=lambda event: event.at), session)
    from agentws.core.formats.journal import shell_call

    # This very handoff is a call that is still in flight.
    facts.open = [event for at, event in enumerate(facts.open) if at or shell_call.verb(event.body) != "handoff"]
    # A host that ends the session will report no result of these.
    end = thread.of_turn(_event.ENDED, session or None, via or "", None)
    facts.unreported = [
        event
        for event in facts.open
        if end
        and event.cursor not in facts.interrupted
        and (agent_thread := thread.thread_of(event))
        and agent_thread.takes(end)
    ]
    return facts


def _clean(known: HandoffInputs, derived: derive.Derived) -> Sections:
    clean, hidden = render.without_secrets(derived[0])
    known.notices += hidden
    return clean
