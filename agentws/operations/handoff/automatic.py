"""An automatic handoff: what was recorded, what its session said before, what others left open."""

from __future__ import annotations

from datetime import UTC

from agentws.formats.documents import handoff
from agentws.formats.journal import event, thread
from agentws.formats.text.sanitize import one_line
from agentws.operations.handoff.inputs import events_of, newest
from agentws.planning.events import describe
from agentws.planning.handoff import carry_over, derive, render, unfinished_sessions
from agentws.storage.journal import reference
from agentws.storage.workspace import writer_trust

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from agentws.formats.documents.handoff import Handoff, Sections
    from agentws.formats.journal.event import Event
    from agentws.operations.handoff.inputs import HandoffInputs
    from agentws.operations.handoff.predecessors import Followed
    from agentws.planning.handoff.carry_over import Carried, CarriedOver
    from agentws.planning.handoff.unfinished_sessions import OrphanedSession
    from agentws.storage.workspace.stores import Stores

_MINUTE = "%Y-%m-%d %H:%M"


def gather(
    stores: Stores,
    known: HandoffInputs,
    followed: Followed,
    given: Sections,
    session: str | None,
    *,
    via: str | None = None,
) -> tuple[Sections, Carried | None, str]:
    """The sections, what is carried over besides, and the origin: words that were `given`, now or before in this
    session, make it one that is meant. Without secrets, which is a notice of `known`; nothing where nothing is told.
    """
    moment = stores.clock.now()
    events = _since_the_last(stores, known, session)
    facts = known.facts(events, session)
    facts.open = derive.without_this(facts.open)
    facts.unreported = _unreported(facts.open, session, via)
    derived, hidden = render.without_secrets(derive.derive(facts, moment).sections)
    told = handoff.merged(given, derived)
    if not told:
        return {}, None, handoff.AUTO
    own, more = _own(known, followed, told)
    found = handoff.merged(told, own)
    carried, others = _carried(known, followed, found, events, moment, session=session)
    known.notices += render.said_of_hidden(hidden + more + others)
    return found, carried, handoff.AGENT if given or own else handoff.AUTO


def _unreported(open_: Sequence[Event], session: str | None, via: str | None) -> list[Event]:
    """Those of the actions in flight that are over with the session, which its host ends: no result will come."""
    end = thread.of_turn(event.ENDED, session, via or "", None)
    return [one for one in open_ if end and (found := thread.thread_of(one)) and found.takes(end)]


def _since_the_last(stores: Stores, known: HandoffInputs, session: str | None) -> list[Event]:
    ours = (note for note in known.notes if note.path not in known.unwritten)
    last = next((note for note in ours if not session or note.session == session), None)
    at = unfinished_sessions.moment_of(last.at) if last else None
    after = at.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ") if at else ""
    # The clock may have been put back since: what the journal tells behind it came later all the same.
    written = unfinished_sessions.written_by(last, known.handed) if last else None
    found = _recorded(stores, known, session) if session else newest(stores, known.notices)
    is_later = (
        one.at >= after or (written is not None and unfinished_sessions.is_before(written, one)) for one in found
    )
    return sorted((one for one, later in zip(found, is_later, strict=True) if later), key=lambda one: one.at)


def _recorded(stores: Stores, known: HandoffInputs, session: str) -> list[Event]:
    found: list[Event] = []
    for writer in writer_trust.known(stores):
        found += events_of(stores, writer, session, reference.outlined(stores.files, writer), known.notices)
    return found


def _carried(
    known: HandoffInputs,
    followed: Followed,
    told: Sections,
    events: Sequence[Event],
    moment: datetime,
    *,
    session: str | None,
) -> tuple[Carried, int]:
    """What those that are `followed` left open, which `told` does not say and neither the logs nor the `events` say is
    done; and how many secrets are hidden in it.
    """
    anew = _told_anew(known) if followed.notes else []
    several = [
        _of_note(note, moment, anew, is_own=note.session == session)
        for note in followed.notes
        if not note.is_on_purpose
    ]
    several += [_of_session(orphan, moment) for orphan in followed.broken]
    entries = (entry for some in known.entries() for entry in some if entry.day)
    said = carry_over.since(entries, [(_when(one.at, moment), one) for one in events])
    return carry_over.Carried(several, told, said), sum(one.hidden for one in several)


def _own(known: HandoffInputs, followed: Followed, told: Sections) -> tuple[Sections, int]:
    """What the session itself has written on purpose, in those that are `followed`, which `told` does not say; and how
    many secrets are hidden in it.
    """
    notes = [one for one in followed.notes if one.is_on_purpose]
    anew = _told_anew(known) if notes else []
    found: Sections = {}
    count = 0
    for note in notes:
        kept, more = carry_over.own(handoff.sections(note.body), handoff.merged(told, found), told=anew)
        found = handoff.merged(found, kept)
        count += more
    return found, count


def _told_anew(known: HandoffInputs) -> list[str]:
    """The tasks and the notes that each handoff tells as they are then."""
    return [*derive.names(known.all_tasks()), *(some[0].path for some in known.entries() if some)]


def _of_note(note: Handoff, moment: datetime, anew: Sequence[str], *, is_own: bool) -> CarriedOver:
    when = _when(note.at, moment) or note.name[:10]
    found = handoff.sections(note.body)
    is_answered = handoff.IN_FLIGHT not in found and thread.UNREPORTED not in found.get(handoff.DOING, "")
    return carry_over.left(found, place=note.path, when=when, is_answered=is_answered, told=anew, is_own=is_own)


def _of_session(orphan: OrphanedSession, moment: datetime) -> CarriedOver:
    """Of its events alone: logs and tasks are told by each handoff, and boot tells what is in flight."""
    session = orphan.session
    name = one_line(session.id)[: describe.MOST_NAME * 3]
    found = derive.derive(derive.Facts(session.events), moment).sections
    return carry_over.left(
        found,
        place=f"session {name} (agentws session show {name})",
        when=_when(session.last.at, moment),
        is_answered=_is_answered(session.events),
        broke_off=True,
    )


def _is_answered(events: Sequence[Event]) -> bool:
    """Return whether the last thing that happened is that the agent said something, and none of its actions is open."""
    told = [one for one in events if one.kind == event.NOTE or one.kind in event.CALLS]
    ended = {one.call for one in told if one.kind in event.CALLS[1:]}
    is_open = any(one.call not in ended for one in told if one.kind == event.ACTION)
    return not is_open and bool(told) and told[-1].kind == event.NOTE and not derive.is_asked(told[-1])


def _when(at: str, moment: datetime) -> str:
    found = unfinished_sessions.moment_of(at)
    return f"{found.astimezone(moment.tzinfo):{_MINUTE}}" if found else ""
