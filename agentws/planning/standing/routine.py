"""Routine: what the logs say nearly every day in nearly the same words. Told once, not day by day."""

from __future__ import annotations

from agentws.planning.alike import Alike
from agentws.planning.standing import unfinished

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from agentws.planning.lines import Line

_FEWEST_DAYS = 4
_NEARLY_EVERY = 0.5
_LATELY = 10


class Habit:
    """A line that comes back: the `index` of its newest wording, on how many `days`, and all the `indices` it has."""

    __slots__ = ("days", "index", "indices")

    def __init__(self, index: int, days: int, indices: Sequence[int]) -> None:
        self.index = index
        self.days = days
        self.indices = tuple(indices)


def find(lines: Sequence[Line]) -> list[Habit]:
    """The lines that came back on at least half of the last ten logged days, the most frequent first."""
    alike = Alike(lines)
    on: dict[int, set[str]] = {}
    where: dict[int, list[int]] = {}
    for index, line in enumerate(lines):  # shelves stand newest first
        if line.is_foreign or line.age is None or line.age >= _LATELY or line.parent is not None:
            continue
        same = alike.nearest(index)
        if same is None:
            alike.add(index)
            same = index
        on.setdefault(same, set()).add(line.day)
        where.setdefault(same, []).append(index)
    days = {line.day for line in lines if line.age is not None and line.age < _LATELY}
    least = max(_FEWEST_DAYS, _NEARLY_EVERY * len(days))
    often = [index for index in on if len(on[index]) >= least and not _is_open(lines[index])]
    habits = [Habit(index, len(on[index]), where[index]) for index in often]
    return sorted(habits, key=lambda habit: (-habit.days, habit.index))


def _is_open(line: Line) -> bool:
    """True for an open item, which is told as such."""
    said = " ".join((line.text, *line.path)).lower()
    return any(hint in said for hint in unfinished.HINTS) and unfinished.is_open(line)
