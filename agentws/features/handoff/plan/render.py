"""Text of recovered handoffs, as boot and `handoff show` show them; and handoffs fitted to a size. Pure."""

from __future__ import annotations

from bisect import bisect_right

from agentws.core.formats.documents import handoff
from agentws.core.formats.secrets import secrets
from agentws.core.journal.events import describe
from agentws.core.markdown import markdown
from agentws.core.notes import request
from agentws.core.notes.request import Source
from agentws.core.text import origin
from agentws.core.text.lazy import Pattern
from agentws.core.text.sanitize import one_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from datetime import datetime

    from agentws.core.formats.documents.handoff import Handoff, Sections
    from agentws.core.journal.events.liveness import OrphanedSession
    from agentws.features.handoff.plan.derive import Derived

    Measure = Callable[[str], int]

HIDDEN = "[hidden]"
"""What stands for a secret in a note: the placeholder of one is never written back as content."""
_PLACEHOLDER = Pattern(rf"{secrets.PLACEHOLDER_OPEN}(?:([a-z0-9-]+)(?=[:›]))?[a-z0-9:-]*›?")
_HANDOFFS = "agentws handoff"
_SHOW = f"{_HANDOFFS} show"
_TOO_LONG_AGO = "it started too long ago to tell whether it still runs"
_MOST_BEFORE = 3
_FIRST = (handoff.NEXT, handoff.DOING, "", handoff.IN_FLIGHT, handoff.AT_RISK, handoff.PENDING, handoff.FAILED)
"""What a handoff keeps first where not all of it fits; then the other sections, in their order."""


def lead(orphan: OrphanedSession, before: Sequence[OrphanedSession], moment: datetime) -> str:
    """Return a recovered handoff's lead: why it exists, how to close it, which sessions broke off `before` it."""
    name = one_line(orphan.session.id)
    known = orphan.likely.why if orphan.session.run.started or orphan.session.again else _TOO_LONG_AGO
    why = known[:1].upper() + known[1:]
    caveat = (
        f": if it {'goes on' if orphan.is_quiet else 'still runs'}, this is only its progress so far"
        if orphan.may_run
        else ""
    )
    # One that began again takes over from itself: it is shown until it goes on.
    close = f"Once you have picked this up, run: agentws handoff ack {name}"
    lines = [f"Made from the journal. {why}{caveat}. {'This was its progress.' if orphan.session.again else close}"]
    spoke = [other for other in before if not other.is_silent]
    lines += [
        f"Before it, session {one_line(other.session.id)} {_how(other, moment)}: {_SHOW} {one_line(other.session.id)}"
        for other in spoke[:_MOST_BEFORE]
    ]
    more, silent = len(spoke) - _MOST_BEFORE, len(before) - len(spoke)
    counts = [f"{more} more"] * (more > 0) + [f"{silent} without any record"] * (silent > 0)
    lines += [f"Sessions without a handoff: {', '.join(counts)}: agentws handoff list"] if counts else []
    return handoff.listed(lines)


def body(sections: Mapping[str, str], own: Handoff | None) -> str:
    """Render the sections of a recovered handoff as a text; one that the session itself wrote comes first, in full."""
    derived = handoff.body(sections)
    return f"{own.body.strip()}\n\n{derived}" if own is not None else derived


def source(
    orphan: OrphanedSession,
    derived: Derived,
    moment: datetime,
    *,
    before: Sequence[OrphanedSession] = (),
    own: Handoff | None = None,
) -> Source:
    """Return a recovered handoff as a source for boot, private since it comes from the journal.

    Its path is that of the session's `own` handoff, if it wrote one before.
    """
    name = one_line(orphan.session.id)[: describe.MOST_NAME]
    made = Source(
        own.path if own is not None else f"journal/, session {orphan.session.id}",
        request.HANDOFF,
        f"{lead(orphan, before, moment)}\n{body(derived[0], own)}",
        title=f"Recovered handoff: session {name} {_how(orphan, moment)}",
        brief="Recovered handoff",
        labels=("private",),
        read_with=f"{'agentws session show' if orphan.session.again else _SHOW} {orphan.session.id}",
    )
    made.hidden += derived[1]
    return made


def more(count: int) -> Source:
    """Return a source for boot with the number of sessions that broke off and whose handoffs it does not render."""
    title = f"{count} more session{'s' * (count > 1)} without a handoff"
    path, command = "journal/, more sessions", f"{_HANDOFFS} list"
    return Source(path, request.HANDOFF, title, title=title, labels=("private",), read_with=command)


def in_flight_line(count: int) -> str:
    """Return the line of a handoff that replaces the actions in flight where boot has a section for them."""
    actions = "1 action" if count == 1 else f"{count} actions"
    return f"{actions}, result unknown: see the section In flight below. Check before you repeat one."


def without_secrets(sections: Mapping[str, str]) -> tuple[Sections, list[str]]:
    """Return a handoff's sections with HIDDEN for each secret (also those redacted before), and a notice about them.

    For text that was not written on purpose: there a secret is no reason to refuse the rest.
    """
    clean: Sections = {}
    kinds: list[str] = []
    for heading, text in sections.items():
        plain, _ = secrets.hide(text)
        kinds += _PLACEHOLDER.findall(plain)
        clean[heading] = _PLACEHOLDER.sub(HIDDEN, plain)
    if not kinds:
        return clean, []
    names = ", ".join(filter(None, dict.fromkeys(kinds))) or "unknown"
    return clean, [f"Hidden as possible secrets: {names} ({len(kinds)} place{'s' * (len(kinds) > 1)})."]


def bounded(sections: Mapping[str, str], room: int, measure: Measure) -> tuple[Sections, int]:
    """Return a handoff's sections as a body of at most `room` units, and how many of their items were left out.

    Items are kept whole and from the first on; if not even the first one fits, it is cut.
    """
    if measure(handoff.body(sections)) <= room:
        return dict(sections), 0
    order = [*(heading for heading in _FIRST if heading in sections), *(h for h in sections if h not in _FIRST)]
    items = [(heading, item) for heading in order for item in items_of(sections[heading])]

    def size(count: int) -> int:
        return measure(handoff.body(_chosen(sections, items[:count])))

    count = bisect_right(range(1, len(items)), room, key=size)
    if count:
        return _chosen(sections, items[:count]), len(items) - count
    heading, text = items[0]
    end = f"…{origin.ending(origin.within(text))}\n"
    length = bisect_right(range(1, len(text)), room, key=lambda at: measure(handoff.body({heading: text[:at] + end})))
    return {heading: f"{text[:length].rstrip()}{end}"}, len(items)


def _chosen(sections: Mapping[str, str], items: Sequence[tuple[str, str]]) -> Sections:
    """These items, their sections in the order of all."""
    chosen: Sections = {}
    for heading, item in items:
        chosen[heading] = chosen.get(heading, "") + item
    return {heading: chosen[heading] for heading in sections if heading in chosen}


def items_of(text: str) -> list[str]:
    """Return the blocks of a handoff's section with their empty lines: an item, a paragraph, a fence, a whole table."""
    items: list[str] = []
    kinds: list[str] = []
    rows = (markdown.ROW, markdown.TABLE_HEAD)
    for block in markdown.blocks(text):
        joins = block.kind == markdown.BLANK or (block.kind == markdown.ROW and kinds[-1:] and kinds[-1] in rows)
        if joins and items:
            items[-1] += block.text
        else:
            items.append(block.text)
        kinds.append(block.kind)
    return items


def _how(orphan: OrphanedSession, moment: datetime) -> str:
    """Return how a session without a handoff is: quiet, perhaps still running, or ended."""
    if orphan.is_quiet:
        return f"quiet since {_minute(orphan.session.run.newest.at, moment)}"
    at = _minute(orphan.session.last.at, moment)
    return f"may still be running, last event at {at}" if orphan.may_run else f"ended without one at {at}"


def _minute(at: str, moment: datetime) -> str:
    known = handoff.moment_of(at)
    return f"{known.astimezone(moment.tzinfo):%Y-%m-%d %H:%M}" if known else "an unknown time"
