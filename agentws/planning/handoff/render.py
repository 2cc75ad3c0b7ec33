"""The handoff that nobody wrote, as boot and `handoff show` tell it; and a handoff made to fit a size. Pure."""

from __future__ import annotations

from agentws.formats import origin
from agentws.formats.documents import handoff
from agentws.formats.markdown import markdown
from agentws.formats.secrets import secrets
from agentws.formats.text.lazy import Pattern
from agentws.formats.text.sanitize import one_line
from agentws.planning.boot import request
from agentws.planning.boot.request import Source
from agentws.planning.events import describe

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence
    from datetime import datetime

    from agentws.formats.documents.handoff import Sections
    from agentws.planning.handoff.derive import Derived
    from agentws.planning.handoff.unfinished_sessions import Log, OrphanedSession

    Measure = Callable[[str], int]

IN_FLIGHT_BELOW = "see the section In flight below"
"""What stands for the actions in flight where boot tells them in a section of their own."""
HIDDEN = "[hidden]"
"""What stands for a secret in a note: the placeholder of one is never written back as content."""
_PLACEHOLDER = Pattern(rf"{secrets.PLACEHOLDER_OPEN}[a-z0-9:-]*›?")
_SHOW = "agentws handoff show"
_TOO_LONG_AGO = "it started too long ago to tell whether it still runs"
_MOST_BEFORE = 3
_LEAST_FIRST = (
    handoff.LOG, handoff.NAMED, handoff.FILES, handoff.PERHAPS, handoff.CARRIED, handoff.DECISIONS,
    handoff.FAILED, handoff.PENDING, handoff.AT_RISK, handoff.IN_FLIGHT, "", handoff.DOING, handoff.NEXT,
)  # fmt: skip
"""In this order sections give up lines where a handoff is too large; those with headings of their own before all."""


def title(orphan: OrphanedSession, moment: datetime) -> str:
    """Return the title, one line."""
    name = one_line(orphan.session.id)[: describe.MOST_NAME]
    return f"Recovered handoff: session {name} {_how(orphan, moment)}"


def _how(orphan: OrphanedSession, moment: datetime) -> str:
    """How it stands with the session: that it broke off is said only where that is known."""
    if orphan.is_quiet:
        return f"quiet since {_minute(orphan.session.run.newest.at, moment)}"
    at = _minute(orphan.session.last.at, moment)
    return f"may still be running, last event at {at}" if orphan.may_run else f"ended without one at {at}"


def lead(orphan: OrphanedSession, before: Sequence[OrphanedSession], moment: datetime) -> str:
    """Return why the handoff exists and how to close it; and the sessions that broke off `before` it."""
    name = one_line(orphan.session.id)
    told = orphan.likely.why if orphan.session.run.started or orphan.session.again else _TOO_LONG_AGO
    why = told[:1].upper() + told[1:]
    caveat = (
        f": if it {'goes on' if orphan.is_quiet else 'still runs'}, this is only its progress so far"
        if orphan.may_run
        else ""
    )
    # One that began again takes over from itself: it is told until it goes on.
    close = f"Once you have picked this up, run: agentws handoff ack {name}"
    lines = [f"Origin: derived. {why}{caveat}. {'This was its progress.' if orphan.session.again else close}"]
    spoke = [other for other in before if not other.is_silent]
    lines += [
        f"Before it, session {one_line(other.session.id)} {_how(other, moment)}: {_SHOW} {one_line(other.session.id)}"
        for other in spoke[:_MOST_BEFORE]
    ]
    more, silent = len(spoke) - _MOST_BEFORE, len(before) - len(spoke)
    counts = [f"{more} more"] * (more > 0) + [f"{silent} without any record"] * (silent > 0)
    lines += [f"Sessions without a handoff: {', '.join(counts)}: agentws handoff list"] if counts else []
    return handoff.listed(lines)


def source(
    orphan: OrphanedSession,
    derived: Derived,
    moment: datetime,
    *,
    before: Sequence[OrphanedSession] = (),
    log: Log | None = None,
) -> Source:
    """Return it as boot shows it: from the journal, so for nobody else. Boot shows the `log` and open items itself."""
    below = handoff.listed([f"{log.path} and open items follow below."]) if log else ""
    text = f"{lead(orphan, before, moment)}{below}\n{handoff.body(derived.sections)}"
    made = Source(
        f"journal/, session {orphan.session.id}",
        request.HANDOFF,
        text,
        title=title(orphan, moment),
        brief="Recovered handoff",
        labels=("private",),
        read_with=f"{'agentws session show' if orphan.session.again else _SHOW} {orphan.session.id}",
    )
    made.hidden += derived.hidden
    return made


def without_told(text: str, paths: Collection[str]) -> str:
    """The body of a handoff without what it took from the notes at `paths`, where these are told as they are now."""
    found = handoff.sections(text)
    kept = without_taken(found, paths)
    return text if kept == found else handoff.body(kept)


def without_taken(found: Mapping[str, str], paths: Collection[str]) -> Sections:
    """The sections without what they took from the notes at `paths`: what is open in them, and the newest log."""
    kept = {
        heading: "".join(item for item in items_of(text) if place_of(item) not in paths)
        for heading, text in found.items()
        if heading != handoff.LOG or place_of(text, at=0) not in paths
    }
    return {heading: text for heading, text in kept.items() if text.strip()}


def place_of(item: str, *, at: int = -1) -> str:
    """Return the path of the note that an item names at the end of its first line, or `at` its beginning."""
    return item.strip().partition("\n")[0].split(" · ")[at]


def in_flight_line(count: int, *, where: str) -> str:
    """Return the line that says where actions in flight are listed."""
    actions = "1 action" if count == 1 else f"{count} actions"
    return f"{actions}, result unknown: {where}. Check before you repeat one."


def without_secrets(found: Mapping[str, str]) -> tuple[Sections, int]:
    """The sections with HIDDEN for each secret, and for each that was taken out before; and how many those were.

    For what was not written on purpose: there a secret is no reason to refuse the rest.
    """
    kept: Sections = {}
    count = 0
    for heading, text in found.items():
        kept[heading], more = hidden(text)
        count += more
    return kept, count


def hidden(text: str) -> tuple[str, int]:
    """The text with HIDDEN for each secret and each placeholder of one, which would be refused; and how many."""
    clean, _ = secrets.hide(text)
    return _PLACEHOLDER.sub(HIDDEN, clean), clean.count(secrets.PLACEHOLDER_OPEN)


def said_of_hidden(count: int) -> list[str]:
    """A notice of how many were hidden, none for none."""
    return [f"Hidden as possible secrets: {HIDDEN} ({count} place{'s' * (count > 1)})."] if count else []


def bounded(found: Mapping[str, str], room: int, measure: Measure) -> tuple[Sections, int]:
    """The sections in a body of at most `room` units, and how many of their items were left out.

    What tells least goes first, of each section its last item; the first item of what to do next, and of what was being
    done, stays. Where even these are too large they are cut.
    """
    items = {heading: items_of(text) for heading, text in found.items()}
    given = [heading for heading in _giving(items) for _ in items[heading][_kept(heading) :]]

    def fits(left_out: int) -> bool:
        return measure(_body(_without(items, given[:left_out]))) <= room

    left_out = _near(items, given, measure(_body(items)) - room, measure)
    # Counts of parts do not always add up, so the last steps are taken with all of it.
    while left_out and fits(left_out - 1):
        left_out -= 1
    while left_out < len(given) and not fits(left_out):
        left_out += 1
    kept = _without(items, given[:left_out])
    if left_out == len(given) and measure(_body(kept)) > room:
        return _cut(kept, room, measure), left_out
    return {heading: "".join(each) for heading, each in kept.items()}, left_out


def _near(items: Mapping[str, Sequence[str]], given: Sequence[str], surplus: int, measure: Measure) -> int:
    """How many items are to be left out for about so many units, each measured once; none for no surplus."""
    rest = {heading: list(each) for heading, each in items.items()}
    for left_out, heading in enumerate(given):
        if surplus <= 0:
            return left_out
        each = rest[heading]
        text = each.pop(1 if heading == handoff.LOG and len(each) > 1 else -1)
        surplus -= measure(text if rest[heading] else handoff.body({heading: text}))
    return len(given)


def _without(items: Mapping[str, Sequence[str]], given: Sequence[str]) -> dict[str, list[str]]:
    """The items without the last one of a section for each time that it is `given`; no section is empty.

    The end of a log is the newest part of it, and stays the longest; so does the line that names the log.
    """
    kept = {heading: _first(heading, each, len(each) - given.count(heading)) for heading, each in items.items()}
    return {heading: each for heading, each in kept.items() if each}


def _first(heading: str, items: Sequence[str], count: int) -> list[str]:
    if heading == handoff.LOG and count:
        return [items[0], *items[len(items) - count + 1 :]]
    return list(items[:count])


def _cut(items: dict[str, list[str]], room: int, measure: Measure) -> Sections:
    while len(items) > 1 and measure(_body(items)) > room:
        del items[next(iter(_giving(items)))]
    low, high = 0, sum(len(text) for each in items.values() for text in each)
    (heading, each), *_ = items.items()
    whole = "".join(each)
    end = f"…{origin.ending(origin.within(whole))}\n"
    while low < high:
        middle = (low + high + 1) // 2
        if measure(handoff.body({heading: f"{whole[:middle]}{end}"})) <= room:
            low = middle
        else:
            high = middle - 1
    return {heading: whole if low >= len(whole) else f"{whole[:low].rstrip()}{end}"}


def _body(items: Mapping[str, Sequence[str]]) -> str:
    return handoff.body({heading: "".join(each) for heading, each in items.items()})


def _giving(items: Mapping[str, Sequence[str]]) -> list[str]:
    return [*(heading for heading in items if heading not in _LEAST_FIRST), *(h for h in _LEAST_FIRST if h in items)]


def _kept(heading: str) -> int:
    return 1 if heading in (handoff.DOING, handoff.NEXT) else 0


def items_of(text: str) -> list[str]:
    """The blocks of a section, each with the empty lines behind it: an item, a paragraph, a fence, a whole table."""
    found: list[str] = []
    kinds: list[str] = []
    rows = (markdown.ROW, markdown.TABLE_HEAD)
    for block in markdown.blocks(text):
        joins = block.kind == markdown.BLANK or (block.kind == markdown.ROW and kinds[-1:] and kinds[-1] in rows)
        if joins and found:
            found[-1] += block.text
        else:
            found.append(block.text)
        kinds.append(block.kind)
    return found


def _minute(at: str, moment: datetime) -> str:
    from agentws.planning.handoff.unfinished_sessions import moment_of

    found = moment_of(at)
    return f"{found.astimezone(moment.tzinfo):%Y-%m-%d %H:%M}" if found else "an unknown time"
