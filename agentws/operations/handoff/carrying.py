"""What an automatic handoff takes over from those it follows, as they stand in the files and the journal."""

from __future__ import annotations

from agentws.formats import event as _event
from agentws.formats import handoff
from agentws.formats.inert import one_line
from agentws.planning import carrying, deriving, telling, unended

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from agentws.formats.event import Event
    from agentws.formats.handoff import Handoff, Sections
    from agentws.operations.handoff.following import Followed
    from agentws.operations.handoff.reading import Known
    from agentws.planning.carrying import Carried, Left
    from agentws.planning.unended import Broken

_MINUTE = "%Y-%m-%d %H:%M"


def carried(
    known: Known, followed: Followed, told: Sections, events: Sequence[Event], moment: datetime, *, session: str | None
) -> tuple[Carried, int]:
    """What those that are `followed` left open, which `told` does not say and neither the logs nor the `events` say is
    done; and how many secrets are hidden in it.
    """
    anew = _told_anew(known) if followed.notes else []
    several = [
        _of_note(one, moment, anew, is_own=one.session == session) for one in followed.notes if not one.is_on_purpose
    ]
    several += [_of_session(one, moment) for one in followed.broken]
    entries = (entry for some in known.entries() for entry in some if entry.day)
    said = carrying.since(entries, [(_when(one.at, moment), one) for one in events])
    return carrying.Carried(several, told, said), sum(one.hidden for one in several)


def own(known: Known, followed: Followed, told: Sections) -> tuple[Sections, int]:
    """What the session itself has written on purpose, in those that are `followed`, which `told` does not say; and how
    many secrets are hidden in it.
    """
    notes = [one for one in followed.notes if one.is_on_purpose]
    anew = _told_anew(known) if notes else []
    found: Sections = {}
    count = 0
    for note in notes:
        kept, more = carrying.own(handoff.sections(note.body), handoff.merged(told, found), told=anew)
        found = handoff.merged(found, kept)
        count += more
    return found, count


def _told_anew(known: Known) -> list[str]:
    """The tasks and the notes that each handoff tells as they are then."""
    return [*deriving.names(known.all_tasks()), *(some[0].path for some in known.entries() if some)]


def _of_note(note: Handoff, moment: datetime, anew: Sequence[str], *, is_own: bool) -> Left:
    when = _when(note.at, moment) or note.name[:10]
    found = handoff.sections(note.body)
    is_answered = handoff.IN_FLIGHT not in found
    return carrying.left(found, place=note.path, when=when, is_answered=is_answered, told=anew, is_own=is_own)


def _of_session(one: Broken, moment: datetime) -> Left:
    """Of its events alone: logs and tasks are told by each handoff, and boot tells what is in flight."""
    session = one.session
    name = one_line(session.id)[: telling.MOST_NAME * 3]
    found = deriving.derive(deriving.Facts(session.events), moment).sections
    return carrying.left(
        found,
        place=f"session {name} (agentws session show {name})",
        when=_when(session.last.at, moment),
        is_answered=_is_answered(session.events),
        broke_off=True,
    )


def _is_answered(events: Sequence[Event]) -> bool:
    """True where the last thing that happened is that the agent said something, and none of its actions is open."""
    told = [one for one in events if one.kind == _event.NOTE or one.kind in _event.CALLS]
    ended = {one.call for one in told if one.kind in _event.CALLS[1:]}
    is_open = any(one.call not in ended for one in told if one.kind == _event.ACTION)
    return not is_open and bool(told) and told[-1].kind == _event.NOTE and not deriving.is_asked(told[-1])


def _when(at: str, moment: datetime) -> str:
    found = unended.moment_of(at)
    return f"{found.astimezone(moment.tzinfo):{_MINUTE}}" if found else ""
