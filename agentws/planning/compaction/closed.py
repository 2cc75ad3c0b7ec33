"""What a line of any day closed by its reference, `(closes ^t3fk)`: certain, where all else is weighed."""

from __future__ import annotations

from itertools import zip_longest
from typing import TYPE_CHECKING

from agentws.formats import layout, origin
from agentws.planning.compaction import leaving
from agentws.planning.notes import reading, reference

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from agentws.planning.compaction.units import Context, Unit


_UNKNOWN_DAY = "9999"


def find(units: Sequence[Unit], context: Context, among: Collection[int]) -> dict[int, leaving.Leaving]:
    """Index of a unit among these that is over by its reference → why."""
    logs = zip_longest(context.logs, context.log_days, fillvalue=_UNKNOWN_DAY)
    closers = _closers([*logs, *((day.text, day.day) for day in context.days)])
    if not closers:
        return {}
    lengths = {len(ref) for ref in closers}
    found = {}
    for index in among:
        unit = units[index]
        refs = [ref for ref in _references(unit, lengths) if ref in closers and closers[ref][0] >= unit.day]
        if refs:
            found[index] = leaving.Leaving(leaving.CLOSED, closers[refs[0]][1])
    return found


def _closers(texts: Sequence[tuple[str, str]]) -> dict[str, tuple[str, str]]:
    """The newest day that closes each reference, and the line; what comes from outside closes nothing.

    What was noted after that day has this reference by chance, and is not over.
    """
    return {
        ref: (day, line.strip("- "))
        for text, day in sorted(texts, key=lambda one: one[1])
        if "(closes ^" in text
        for line in text.split("\n")
        if not origin.of_line(line)
        for ref in reference.closes(line)
    }


def _references(unit: Unit, lengths: Collection[int]) -> list[str]:
    """The reference that a unit has, in each of these lengths where it is a computed one."""
    if "(closes ^" in unit.text:
        return []
    path, day = (layout.MEMORY, "") if unit.entry is not None else (unit.sources[0].path, unit.day)
    entries = reading.read(f"- {unit.text}\n", path=path, day=day)
    return [entries[0].longer_ref(length) for length in lengths] if entries else []
