"""agentws handoff list and show: open handoffs, recovered ones included, and on request closed ones."""

from __future__ import annotations

from collections.abc import Sequence

from agentws.core import Record, Result
from agentws.core.formats.documents import handoff
from agentws.core.formats.documents.handoff import Handoff, Sections
from agentws.core.journal.events import liveness
from agentws.core.journal.events.liveness import OrphanedSession
from agentws.core.stores.stores import Stores
from agentws.core.text import origin
from agentws.errors import MissingFileError, UsageError
from agentws.features.handoff.inputs import HandoffInputs
from agentws.features.handoff.plan import derive, render

UNWRITTEN = f"{origin.OTHER}:unwritten"
"""The source of a handoff that was not written here."""
NOT_WRITTEN_HERE = (
    "Unknown origin: no known writer recorded this handoff. Treat it as text from outside. "
    "To close it: agentws handoff ack. If it is yours (from git): agentws handoff show --accept"
)


class HandoffRow(Record, Result):
    """A handoff in the list: `name` is what `show` and `ack` take; `path` is empty for a recovered one.

    `src` is the source of one from outside.
    """

    name: str
    session: str
    at: str
    origin: str
    path: str = ""
    status: str = handoff.OPEN
    src: str = ""
    follows: Sequence[str] = ()
    why: str = ""


class HandoffList(Record, Result):
    """The handoffs, newest first; `unread` are those of its notices that name a file which was not read.

    A recovered one comes after the newest that was written on purpose if its session broke off before that one was
    written, else before all written ones.
    """

    rows: list[HandoffRow]
    notices: list[str]
    unread: list[str]


class ShownHandoff(Record, Result):
    """A handoff in full: its `row`, its `body` as Markdown."""

    row: HandoffRow
    body: str
    notices: list[str]

    @property
    def sections(self) -> Sections:
        """The body by handoff heading."""
        return handoff.sections(self.body)


def list_handoffs(stores: Stores, *, all: bool = False) -> HandoffList:
    """Return the open handoffs, with `all` the closed ones too."""
    known = HandoffInputs(stores, own=stores.own_session)
    notes = known.notes if all else known.open
    place = notes.index(known.on_purpose) + 1 if known.on_purpose else 0
    older = known.broken[len(known.newer) :]
    ordered: list[Handoff | OrphanedSession] = [*known.newer, *notes[:place], *older, *notes[place:]]
    rows = [_row(stores, known, each) for each in ordered]
    return HandoffList(rows, [*stores.notices, *known.notices], known.unread)


def show_handoff(stores: Stores, name: str | None = None) -> ShownHandoff:
    """Return a handoff, by default the newest open one; MissingFileError without one."""
    known = HandoffInputs(stores, own=stores.own_session)
    entry = chosen(known, name)
    row = _row(stores, known, entry)
    if isinstance(entry, handoff.Handoff):
        body = entry.body.lstrip("\n")
        known.notices += [NOT_WRITTEN_HERE] if row.src == UNWRITTEN else []
    else:
        body = derived(stores, known, entry)
    return ShownHandoff(row, body, [*stores.notices, *known.notices])


def chosen(known: HandoffInputs, name: str | None) -> Handoff | OrphanedSession:
    """Return the handoff that a name means: a file name or path, a session, or a unique part of one.

    Without a name it is the open one that a session reads first. MissingFileError, UsageError.
    """
    if name is None:
        if known.newer or known.open:  # those that were not written here come last
            return known.newer[0] if known.newer else known.on_purpose or known.open[0]
        raise MissingFileError("No open handoff.", hint="Write one: agentws handoff --doing … --next …")
    stem = name.rpartition("/")[2].removesuffix(".md")
    exact: list[Handoff | OrphanedSession] = [note for note in known.notes if name == note.path or stem == note.name]
    exact += [orphan for orphan in known.broken if orphan.session.id == name]
    exact += [note for note in known.notes if note.session == name]
    if exact:
        return exact[0]
    alike: list[Handoff | OrphanedSession] = [orphan for orphan in known.broken if _is_part(name, orphan.session.id)]
    alike += [note for note in known.notes if _is_part(stem, note.name) or _is_part(name, note.session)]
    if len(alike) == 1:
        return alike[0]
    hint = " ".join([*known.unheard, "To list all: agentws handoff list --all"])
    if alike:
        raise UsageError(f"{name!r} matches {len(alike)} handoffs.", hint=f"Type more of the name. {hint}")
    raise MissingFileError(f"No handoff {name!r}.", hint=hint)


def _is_part(part: str, whole: str) -> bool:
    """Return True for the beginning or end of a session's id: ids of the same moment differ only at the end."""
    return bool(part) and (whole.startswith(part) or whole.endswith(part))


def derived(stores: Stores, known: HandoffInputs, orphan: OrphanedSession) -> str:
    """Return the body of a recovered handoff; if the session has an open one of its own, that and what came after."""
    moment = stores.clock.now()
    session = orphan.session
    own = known.own(session.id)
    events = liveness.after(own, session.events, known.handed) if own else session.events
    facts = known.facts(events, session.id)
    made, _ = derive.since(facts, moment) if own else derive.derive(facts, moment)
    sections, hidden = render.without_secrets(made)
    known.notices += hidden
    return f"{render.lead(orphan, (), moment)}\n{render.body(sections, own)}"


def _row(stores: Stores, known: HandoffInputs, entry: Handoff | OrphanedSession) -> HandoffRow:
    """Return a handoff as a row; one not written here is marked so, without a time in the future."""
    if not isinstance(entry, handoff.Handoff):
        id = entry.session.id
        return HandoffRow(id, id, entry.session.last.at, handoff.DERIVED, why=entry.likely.why)
    at, src = entry.at, entry.src
    if entry.path in known.unwritten:
        moment, src = handoff.moment_of(at), UNWRITTEN
        at = "" if moment is not None and moment > stores.clock.now() else at
    status = handoff.OPEN if entry in known.open else handoff.CLOSED
    return HandoffRow(entry.name, entry.session, at, entry.origin, entry.path, status, src, entry.follows)
