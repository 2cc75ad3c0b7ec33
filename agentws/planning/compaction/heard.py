"""What the logs hold from outside: kept among itself alone, where the agent's own entries leave room. Pure.

So no text from outside can displace, replace or outweigh what is the agent's own, whatever it says.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from agentws.formats import markdown, origin, outside
from agentws.planning.compaction import candidates, kinds

if TYPE_CHECKING:
    from collections.abc import Sequence

    from agentws.planning.compaction.units import Day, Entry, Unit

_PIN = " !10"


def own(day: Day) -> Day:
    """The day without what comes from outside; each line keeps its number."""
    text = outside.without(day.text)
    return day if text is day.text else replace(day, text=text)


def of(days: Sequence[Day], *, private_tags: Sequence[str]) -> list[Unit]:
    """The sentences from outside in all `days`, in order: without kind, importance or state."""
    found: list[Unit] = []
    for day in days:
        sources = {at + 1: one.src for one in outside.stretches(day.text) for at in range(one.start, one.end)}
        for unit in candidates.of([_alone(day, sources)], private_tags=private_tags) if sources else ():
            unit.turn += found[-1].turn + 1 if found else 0
            unit.group += found[-1].group + 1 if found else 0
            unit.who, unit.about = "", unit.who or unit.about
            unit.kind, unit.importance, unit.done, unit.is_spoken = kinds.FROM_OUTSIDE, None, None, False
            unit.src = origin.lowest(sources[one.line] for one in unit.sources if one.line in sources)
            found.append(unit)
    return found


def marked(entry: Entry) -> Entry:
    """An entry of memory with the mark of its origin; one that an earlier version left unmarked moves with it."""
    if not origin.is_outside(entry.src) or origin.of_line(entry.text):
        return entry
    return replace(entry, text=with_mark(entry.text, entry.src), kind=kinds.HEARD, is_pinned=False)


def with_mark(text: str, src: str) -> str:
    """The text of an entry that ends in the mark of its origin."""
    return text.rstrip().removesuffix(_PIN).rstrip() + origin.ending(src)


def _alone(day: Day, sources: dict[int, str]) -> Day:
    """The day with what comes from outside alone, below its headings, as items of their own."""
    headings = {block.line for block in markdown.blocks(day.text) if block.kind == markdown.HEADING}
    lines = day.text.split("\n")
    kept = (line if at in sources or at in headings else "" for at, line in enumerate(lines, 1))
    return replace(day, text="\n".join(kept))
