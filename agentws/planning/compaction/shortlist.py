"""Which units can be chosen at all: of very many, those that are worth the most for their length. Pure.

What is exact costs much for each unit. A year has a thousand times more of them than a room holds, and nearly all are
plainly behind the rest.
"""

from __future__ import annotations

from heapq import nlargest
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from agentws.planning.compaction.scoring import Scores
    from agentws.planning.compaction.units import Unit

_FEWEST, _TIMES = 3000, 40
"""So many units at the least, and so many times the lines that the room holds."""
_OF_A_DAY = 4
_READING_CHARS = 60
"""What each costs besides its own length: its lead, and being read."""


def of(units: Sequence[Unit], scores: Scores, room_lines: float) -> list[int]:
    """The indices of those that may be chosen, in order, for a room of about so many lines.

    What is in memory or pinned is always among them; so are the best decision, lesson or preference of each day, the
    best of these, and the best of all.
    """
    most = max(_FEWEST, int(room_lines * _TIMES))
    if len(units) <= most:
        return list(range(len(units)))
    always = [index for index, unit in enumerate(units) if unit.entry is not None or unit.is_pinned]
    worth = [score / (len(unit.text) + _READING_CHARS) for score, unit in zip(scores.of, units, strict=True)]
    weighty = [index for index, unit in enumerate(units) if unit.is_weighty]
    among = {index: scores.among(index) / (len(units[index].text) + _READING_CHARS) for index in weighty}
    of_days: dict[str, list[int]] = {}
    for index in weighty:
        of_days.setdefault(units[index].day, []).append(index)
    best_of_days = (index for day in of_days.values() for index in nlargest(_OF_A_DAY, day, key=among.__getitem__))
    best = nlargest(most, range(len(units)), key=worth.__getitem__)
    return sorted({*always, *best, *nlargest(most // 3, weighty, key=among.__getitem__), *best_of_days})
