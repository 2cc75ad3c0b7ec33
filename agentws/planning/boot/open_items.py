"""The section of what is open over all days: one line each, with the reference that closes it. Pure."""

from __future__ import annotations

from agentws.formats import markdown
from agentws.planning import mark
from agentws.planning.boot.selection import clip
from agentws.planning.notes.entry import WAITING

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from agentws.planning.boot.part import Part
    from agentws.planning.notes.ledger import Item, Ledger
    from agentws.planning.tokens import Measure

_HOW = "Close one: agentws done WORDS|REF\n"
_BOXES = ("[ ] ", "[x] ", "[X] ", "[~] ", "[-] ")
_LONGEST_LINES, _SHORTEST_LINE = 2, 4


class Section:
    """`text` is what is shown, `rows` the rows that need not be shown again, as (part, index)."""

    __slots__ = ("rows", "shown", "text")

    def __init__(self) -> None:
        self.text = ""
        self.shown = 0
        self.rows: set[tuple[str, int]] = set()


def section(ledger: Ledger, parts: Sequence[Part], room: int, measure: Measure, *, line: int, small: bool) -> Section:
    """What is open and stands in no section yet, newest first, as far as `room` units go."""
    made = Section()
    by_path = {part.source.path: part for part in parts}
    title = mark.heading("Open")
    how = "" if small else _HOW
    longest = line if small else line * _LONGEST_LINES
    room -= measure(title) + measure(how) + measure("\n")
    lines: list[str] = []
    stale = [item for item in ledger.open if item.is_stale and not item.is_expired]
    for item in ledger.open:
        if room < line // _SHORTEST_LINE:
            break
        if item.is_expired or item.is_stale:
            continue
        part = by_path.get(item.entry.path)
        at = part.row_of(item.entry) if part else None
        if part is None or at is None or is_shown(part, at):
            continue
        text = _line(item, part.rows[at].text, longest, measure, small=small)
        cost = measure(text)
        if cost > room:
            continue
        room -= cost
        lines.append(text)
        made.rows.add((part.source.path, at))
    if stale:
        text = f"- {len(stale)} older, perhaps over: agentws todo --stale\n"
        if measure(text) <= room:
            lines.append(text)
    if lines:
        made.shown = len(lines)
        made.text = f"{title}{''.join(lines)}{how}\n"
    return made


def is_shown(part: Part, at: int) -> bool:
    """Return whether the row stands in the text already."""
    return any(piece is not None and at in piece.taken for piece in (part.chosen, part.more))


def _line(item: Item, text: str, room: int, measure: Measure, *, small: bool) -> str:
    """One line: since when, whether it waits, what it says, its reference."""
    body = text[markdown.marker(text) :].strip()
    if body.startswith(_BOXES):
        body = body[4:]
    since = "" if small or not item.since else f"{item.since[5:]} "
    waits = "⏳ " if item.entry.state == WAITING and "⏳" not in body else ""
    start, end = f"- {since}{waits}", f" ^{item.ref}\n"
    return f"{start}{clip(body, room - measure(start + end), measure).rstrip()}{end}"
