"""Entries made of chosen sentences: what one said in a conversation, or noted under a heading, shares a bullet."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

from agentws.formats import origin
from agentws.planning.compaction import kinds
from agentws.planning.compaction.units import Entry, Source, Unit

if TYPE_CHECKING:
    from collections.abc import Sequence

_MOST_SPOKEN, _MOST_NOTED = 400, 300
"""An entry that would be longer becomes two."""
_GAP = " … "


def key(unit: Unit) -> tuple[object, ...]:
    """Units with the same key may share an entry."""
    return (unit.group, unit.who, unit.src) if unit.is_spoken else (unit.group, unit.about, unit.kind, unit.src)


def most_chars(unit: Unit) -> int:
    """How long the text of an entry with it may become."""
    return _MOST_SPOKEN if unit.is_spoken else _MOST_NOTED


def entries(units: Sequence[Unit], chosen: Sequence[int], scores: Sequence[float]) -> list[Entry]:
    """The entries that say what was chosen, in the order of the logs; old ones as they were."""
    found: list[Entry] = []
    bundles: dict[tuple[object, ...], list[int]] = {}
    for index in sorted(chosen):
        old = units[index].entry
        if old is not None:
            found.append(old)
        else:
            bundles.setdefault(key(units[index]), []).append(index)
    for together in bundles.values():
        found.extend(_entry(units, part, scores) for part in _parts(units, together))
    return found


def may_join(before: Unit, after: Unit) -> bool:
    """True where `after`, of the same key, may stand behind `before` in one entry.

    In notes those are neighbours alone, and nothing that is open: each item of those is done at another time.
    """
    if after.is_spoken:
        return True
    return (
        after.turn - before.turn in (0, 1)
        and before.sources[0].path == after.sources[0].path
        and title(before) == title(after) != kinds.OPEN
    )


def title(unit: Unit) -> str:
    """The sub-heading that a unit would stand under alone."""
    return kinds.of(unit.text, unit.kind, is_spoken=unit.is_spoken) if unit.entry is None else unit.entry.kind


def _parts(units: Sequence[Unit], together: Sequence[int]) -> list[list[int]]:
    parts: list[list[int]] = []
    room = 0
    for index in together:
        size = len(units[index].text) + 3
        last = units[parts[-1][-1]] if parts else None
        if last is None or size > room or units[index].is_pinned != last.is_pinned or not may_join(last, units[index]):
            parts.append([])
            room = most_chars(units[index])
        parts[-1].append(index)
        room -= size
    return parts


def _entry(units: Sequence[Unit], part: Sequence[int], scores: Sequence[float]) -> Entry:
    first = units[part[0]]
    text = first.text
    for before, index in itertools.pairwise(part):
        text += _glue(units[before], units[index]) + units[index].text
    src = origin.lowest(units[index].src for index in part)
    kept = f"{first.lead}{text}{' !10' if first.is_pinned else ''}{origin.ending(src)}"
    sources: dict[Source, None] = dict.fromkeys(source for index in part for source in units[index].sources)
    return Entry(
        text=kept,
        kind=kinds.of(text, first.kind, is_spoken=first.is_spoken),
        days=(first.day,),
        sources=tuple(sources),
        score=round(sum(scores[index] for index in part), 4),
        is_pinned=first.is_pinned,
        src=src,
    )


def _glue(before: Unit, after: Unit) -> str:
    if before.is_spoken and (after.turn, after.place) != (before.turn, before.place + 1):
        return _GAP
    return " " if before.text.endswith((".", "!", "?", ":", ";", "…", "。")) else "; "


def section(entries: Sequence[Entry], heading: str) -> str:
    """The managed section with its sub-headings, entries of a kind by their day; empty without entries."""
    if not entries:
        return ""
    parts = [f"## {heading}\n"]
    titles = [*kinds.ORDER, *dict.fromkeys(entry.kind for entry in entries if entry.kind not in kinds.ORDER)]
    for title in titles:
        ours = sorted((entry for entry in entries if entry.kind == title), key=lambda entry: entry.days[:1])
        if ours:
            parts.append(f"### {title}\n\n" + "".join(f"- {entry.text}\n" for entry in ours))
    return "\n".join(parts)
