"""The section of what is open over all days: one line each, with the reference that closes it. Pure."""

from __future__ import annotations

from agentws.formats.markdown import inset, markdown
from agentws.planning.boot import frame_mark
from agentws.planning.boot.selection import clip
from agentws.planning.notes.entry import MARKED, WAITING

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from agentws.planning.boot.part import Part
    from agentws.planning.notes.ledger import Ledger, LedgerItem
    from agentws.planning.tokens.counters import Measure

_HOW = "Close one: agentws done WORDS|REF"
_BOXES = ("[ ] ", "[x] ", "[X] ", "[~] ", "[-] ")
_WAITS, _URGENT = "⏳", "🔴"
_LONGEST_LINES, _SHORTEST_LINE = 2, 4


class Section:
    """`text` is what is shown, `rows` the rows that it lists, as (part, index), `whole` those that it does not cut."""

    __slots__ = ("rows", "shown", "text", "whole")

    def __init__(self) -> None:
        self.text = ""
        self.shown = 0
        self.rows: set[tuple[str, int]] = set()
        self.whole: set[tuple[str, int]] = set()


def section(
    ledger: Ledger,
    parts: Sequence[Part],
    room: int,
    measure: Measure,
    *,
    line: int,
    small: bool,
    again: bool = False,
) -> Section:
    """Return the open items, the newest day first, within `room` units, and the number of the others.

    What stands in a section already is counted alone. Where there is room to say it `again`, that holds for the newest
    log only, the first of `parts`: it stands next to this.
    """
    made = Section()
    by_path = {part.source.path: part for part in parts}
    title = frame_mark.heading("Open")
    room -= measure(title) + measure(_ending(99, small=small))
    longest = line if small else line * _LONGEST_LINES
    lines: list[str] = []
    stale = rest = 0
    for item in _in_order(ledger.open):
        if item.is_expired or item.is_stale:
            stale += not item.is_expired
            continue
        part = by_path.get(item.entry.path)
        at = part.row_of(item.entry) if part else None
        if part is None or at is None:
            continue
        is_here = is_shown(part, at) and (not again or part is parts[0])
        if is_here or room < line // _SHORTEST_LINE:
            rest += 1
            continue
        text, is_whole = _line(
            item, part.rows[at].text, longest, measure, small=small, label=part.private_label(item.entry)
        )
        cost = measure(text)
        if cost > room:
            rest += 1
            continue
        room -= cost
        lines.append(text)
        made.rows.add((part.source.path, at))
        if is_whole:
            made.whole.add((part.source.path, at))
    if stale:
        text = f"- {stale} older, possibly done: agentws todo --stale\n"
        if measure(text) <= room:
            lines.append(text)
    if lines or (rest and not small and room > 0):
        made.shown = len(lines)
        made.text = f"{title}{''.join(lines)}{_ending(rest, small=small, alone=not lines)}"
    return made


def _ending(rest: int, *, small: bool, alone: bool = False) -> str:
    """How many more there are, or how many at all where the line stands `alone`, and how one is closed."""
    more = f"{rest} {'open' if alone else 'more'}: agentws todo" if rest else ""
    told = [more] if small else [more, _HOW]
    text = ". ".join(filter(None, told))
    return f"{text}\n\n" if text else "\n"


def _in_order(items: Sequence[LedgerItem]) -> list[LedgerItem]:
    """The newest day first, of one day what is urgent, then what is marked as waiting, then from the end of the log.

    A numbered list stands in its order, and so does what a file that is no log lists: it begins with what matters most.
    """
    places: dict[tuple[str, ...], int] = {}

    def first(numbered: tuple[int, LedgerItem]) -> tuple[int, int, int]:
        at, item = numbered  # of a log the last line comes first
        entry = item.entry
        urgency = 2 if entry.is_urgent else int(entry.state == WAITING and entry.sure == MARKED)
        if not entry.day:
            return -urgency, 0, entry.line
        if entry.first.lstrip()[:1].isdigit():
            return -urgency, places.setdefault((entry.path, *entry.headings), at), entry.line
        return -urgency, at, 0

    ranked = [item for _, item in sorted(enumerate(items), key=first)]
    return sorted(ranked, key=lambda item: item.entry.day, reverse=True)


def is_shown(part: Part, at: int) -> bool:
    """Return whether the row stands in the text already."""
    return any(piece is not None and at in piece.taken for piece in (part.chosen, part.more))


def _line(item: LedgerItem, text: str, room: int, measure: Measure, *, small: bool, label: str) -> tuple[str, bool]:
    """One line: since when, whether it waits or is urgent, what it says, whether it is private, its reference; and
    whether it says all that the row says.
    """
    entry = item.entry
    body = text[markdown.marker(text) :].strip()
    said = entry.body if not entry.said[: entry.core].rstrip()[-1:].isalpha() else entry.said
    if said and said in body:
        body = inset.lines(said.replace("**", ""))  # behind a bullet alone, `## Now` would be a heading
    elif body.startswith(_BOXES):
        body = inset.lines(body[4:])
    body = body.replace(f" ^{item.ref}", "")
    signs = [sign for sign, is_meant in ((_WAITS, entry.state == WAITING), (_URGENT, entry.is_urgent)) if is_meant]
    since = "" if small or not item.since else f"{item.since[5:]} "
    start = f"- {since}{''.join(f'{sign} ' for sign in signs if sign not in body)}"
    private = f" {label}" if label and label not in body else ""
    end = f"{private} ^{item.ref}\n"
    shown = clip(body, room - measure(start + end), measure)
    if item.due and shown != body and item.due not in shown:  # it stood in what is cut away
        start += f"({'was ' if item.is_late else ''}due {item.due[5:]}) "
        shown = clip(body, room - measure(start + end), measure)
    return f"{start}{shown.rstrip()}{end}", shown == body
