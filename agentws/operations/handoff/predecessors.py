"""The handoffs that a new one takes over: open ones and broken sessions, as its session found them."""

from __future__ import annotations

from agentws.formats.documents import handoff
from agentws.formats.journal.event import ACTION, STARTED
from agentws.operations.handoff.inputs import events_of
from agentws.planning.events import liveness
from agentws.planning.handoff import unfinished_sessions
from agentws.storage.journal import reference
from agentws.storage.workspace import writer_trust

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from agentws.formats.documents.handoff import Handoff
    from agentws.formats.journal.event import Event
    from agentws.operations.handoff.inputs import HandoffInputs
    from agentws.planning.handoff.unfinished_sessions import OrphanedSession
    from agentws.storage.workspace.stores import Stores


_MOST_FOLLOWED, _MOST_FOLLOWED_BYTES = 200, 8 << 10
_MOST_OTHERS, _MOST_OTHERS_BYTES = 20, 3 << 10
"""No more of them are named: front matter has its limits, and boot shows fewer."""


class Followed:
    """The predecessors of a handoff: `notes`, and sessions that are `broken`, each newest first; `others` names the
    notes that stay open beside it. `left` counts what it would take over if there were room to name it.
    """

    __slots__ = ("broken", "left", "notes", "others")

    def __init__(
        self, notes: Sequence[Handoff], broken: Sequence[OrphanedSession], others: Sequence[str], left: int = 0
    ) -> None:
        self.notes = notes
        self.broken = broken
        self.others = others
        self.left = left

    @property
    def names(self) -> list[str]:
        """The notes by their names, the sessions by their ids."""
        return [*(note.name for note in self.notes), *(orphan.session.id for orphan in self.broken)]


def find(stores: Stores, known: HandoffInputs, session: str, *, is_auto: bool, src: str | None = None) -> Followed:
    """Return what the session can have read when it began; all that is open, where it never did.

    One made automatically (`is_auto`) follows automatic ones alone: those of its own session, and where that called a
    tool also those of others. Nor do words from outside (`src`) close what is the agent's own, or take over a session.
    """
    events = _events(stores, session) if session else []
    began = next((one for one in events if one.kind == STARTED), None)
    worked = not session or any(one.kind == ACTION for one in events)
    written = {
        (event.body or {}).get("path"): event for event in known.handed if event.kind == unfinished_sessions.WRITTEN
    }
    notes = []
    for note in known.open_here:
        is_own = bool(session) and note.session == session
        is_known = is_own or began is None or _could_read(note, written.get(note.path), began)
        is_taken = is_own or (worked and not note.is_on_purpose) if is_auto else bool(note.src or not src)
        notes += [note] if is_known and is_taken else []
    ended = [orphan for orphan in known.broken if began is None or _was_told(orphan, began)]
    broken = [] if src or is_auto else ended
    # Those that it may not take over are named before those that there is no room for.
    return _with_room(notes, broken, [note.name for note in known.open_here if note not in notes])


def _with_room(notes: Sequence[Handoff], broken: Sequence[OrphanedSession], others: Sequence[str]) -> Followed:
    """As many of them as the file of a handoff can name, sessions first, each newest first; the rest stays open."""
    ids = [orphan.session.id for orphan in broken]
    # Whoever names a session takes over its notes with it: so these are named before others.
    wanted = sorted(notes, key=lambda note: note.session not in ids)
    names = [*ids, *(note.name for note in wanted)]
    count = handoff.room_for(names, most=_MOST_FOLLOWED, most_bytes=_MOST_FOLLOWED_BYTES)
    sessions, chosen = broken[:count], {note.path for note in wanted[: max(0, count - len(ids))]}
    taken = [note for note in notes if note.path in chosen]
    others = [*others, *(note.name for note in notes if note.path not in chosen)]
    named = others[: handoff.room_for(others, most=_MOST_OTHERS, most_bytes=_MOST_OTHERS_BYTES)]
    return Followed(taken, sessions, others=named, left=len(names) - count)


def _was_told(orphan: OrphanedSession, began: Event) -> bool:
    """Return whether its work came before that; one that is quiet was told to nobody as long as it was not."""
    if not unfinished_sessions.is_before(orphan.session.last, began):
        return False
    start = unfinished_sessions.moment_of(began.at)
    return not orphan.is_quiet or start is None or liveness.is_quiet(orphan.session.run, start)


def _events(stores: Stores, session: str) -> Sequence[Event]:
    """The events of a session since it was taken up again last, by the first writer that knows it."""
    for writer in writer_trust.known(stores):
        events = events_of(stores, writer, session, reference.outlined(stores.files, writer), [])
        if events:
            return unfinished_sessions.since_it_ended(events)
    return []


def _could_read(note: Handoff, event: Event | None, began: Event) -> bool:
    """Return whether the note stood there when the session began, by its event, else by what it says of itself."""
    if event is not None:
        return unfinished_sessions.is_before(event, began)
    written, start = unfinished_sessions.moment_of(note.at), unfinished_sessions.moment_of(began.at)
    return written is None or start is None or written <= start
