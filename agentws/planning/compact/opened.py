"""Open items of compacted days: listed in the digest before their day moves, else the day stays. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING

from agentws.formats import layout
from agentws.formats.markdown import notes
from agentws.planning.compact import candidates, digest
from agentws.planning.compact.choice import Kept
from agentws.planning.compact.units import Source
from agentws.planning.notes import ledger, reading

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from agentws.planning.compact.fold import Folder
    from agentws.planning.notes.entry import Entry
    from agentws.planning.notes.ledger import Ledger, LedgerItem
    from agentws.planning.tokens.counters import Measure

_HALF = 2
"""What is open takes no more than the half of the digest's room."""


class Opened:
    """The open items of compacted days: the `lines` of the digest that list them, those listed there first.

    `items` are the open items of days that move, by the text of their line.
    """

    def __init__(self, ledger_: Ledger, moving: Sequence[Entry], staying: Collection[str]) -> None:
        self.lines: list[Kept] = []
        self.items: dict[str, list[LedgerItem]] = {}
        self._ledger = ledger_
        self._moving = moving
        self._staying = staying

    def fill(self, lines: Sequence[Kept], room: int, measure: Measure) -> tuple[list[Kept], int]:
        """Return the lines that have room, and the room that is left."""
        found: list[Kept] = []
        most = room // _HALF
        used = measure(f"\n## {digest.OPEN}\n\n") if lines else 0
        for one in sorted(lines, key=lambda each: not each.digest):
            cost = measure(f"- {one.text}\n")
            if used + cost <= most or one.digest:  # what stands there is not open anywhere else
                found.append(one)
                used += cost
        return found, room - (used if found else 0)

    def held(self, shown: Collection[str]) -> set[str]:
        """Return the paths of days that stay: what is open in them stands in no line that is `shown`.

        With such a day the days stay that close something of it: else it would be open again.
        """
        said = {entry for text in shown for item in self.items.get(text, ()) for entry in item.said}
        over = self._ledger.over
        found = {entry.path for entry in self._moving if entry not in over and entry not in said}
        found -= {*self._staying}
        size = -1
        while size < len(found):
            size = len(found)
            found |= {by.path for one, by in over.items() if one.path in found and by.path != digest.PATH}
        return found


def of(
    found: Folder,
    lines: Mapping[str, digest.Line],
    read: Sequence[Sequence[Entry]],
    around: Sequence[Sequence[Entry]],
    *,
    tags: Collection[str],
) -> Opened:
    """Return what is open in the days that move, and in the digest."""
    shelved = [
        reading.read(one.text, path=one.path, day=day) for day, one, _ in found.shelved if _is_day(one.path, day)
    ]
    page = _page(lines)
    moving = {one.path for _, one, _ in found.moves}
    own = [entry for entries in (*read, *shelved) for entry in candidates.boxes(entries) if entry.path in moving]
    if not own and not page:
        return Opened(ledger.Ledger([]), [], ())
    files = [*read, *shelved, *around, [entry for entry, _ in page]]
    today = max((entries[0].day for entries in files if entries), default="")
    made = Opened(ledger.of([list(entries) for entries in files], today=today), own, ())
    by_entry = dict(page)
    own_ = {*own}
    for item in made._ledger.open:
        stands = next((by_entry[entry] for entry in item.said if entry in by_entry), None)
        if stands is not None:
            if not stands.is_ticked:
                _add(made, Kept(stands.text, digest.OPEN, "", (), digest=stands.digest), item)
        elif any(entry in own_ for entry in item.said) and not any(_is_private(entry, tags) for entry in item.said):
            _add(made, _line(item), item)
    return made


def _add(made: Opened, line: Kept, item: LedgerItem) -> None:
    if line.text not in made.items:
        made.lines.append(line)
    made.items.setdefault(line.text, []).append(item)


def _is_private(entry: Entry, tags: Collection[str]) -> bool:
    return notes.has_label("\n".join((*entry.headings, entry.whole)), [*tags])


def _line(item: LedgerItem) -> Kept:
    entry = item.entry
    sources = [Source(one.path, one.line, one.end_line) for one in item.said if one.day]
    text = f"[ ] {item.since} {' '.join(entry.body.split())} ^{item.ref}"
    return Kept(text, digest.OPEN, item.last, sources, days=sorted({one.day for one in item.said if one.day}))


def _page(lines: Mapping[str, digest.Line]) -> list[tuple[Entry, digest.Line]]:
    """What the digest says is open, each with its line."""
    those = [line for line in lines.values() if line.title == digest.OPEN]
    text = "".join(f"- {line.text}\n" for line in those)
    entries = reading.read(text, path=digest.PATH)
    return [(entry, those[entry.line - 1]) for entry in entries if entry.line <= len(those)]


def _is_day(path: str, day: str) -> bool:
    return path.startswith(f"{layout.DAYS}/") and layout.day_of(path.rpartition("/")[2]) == day
