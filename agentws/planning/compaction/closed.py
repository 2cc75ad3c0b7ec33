"""What a line of any day closed by its reference, `(closes ^t3fk)`: certain, where all else is weighed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from agentws.formats import layout, origin
from agentws.planning.compaction import leaving
from agentws.planning.notes import reading, reference

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from agentws.planning.compaction.units import Context, Unit


def find(units: Sequence[Unit], context: Context, among: Collection[int]) -> dict[int, leaving.Leaving]:
    """Index of a unit among these that is over by its reference → why."""
    closers = _closers([*context.logs, *(day.text for day in context.days)])
    if not closers:
        return {}
    lengths = {len(ref) for ref in closers}
    found = {}
    for index in among:
        by = next((closers[ref] for ref in _references(units[index], lengths) if ref in closers), None)
        if by is not None:
            found[index] = leaving.Leaving(leaving.CLOSED, by)
    return found


def _closers(texts: Sequence[str]) -> dict[str, str]:
    """The line that closes each reference; what comes from outside closes nothing."""
    return {
        ref: line.strip("- ")
        for text in texts
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
