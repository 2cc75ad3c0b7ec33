"""Who gets how much of the budget: who the agent is, what is in flight, the newest log, what is open, the rest. Pure."""

from __future__ import annotations

from agentws.planning.boot import open_items, order
from agentws.planning.notes import ledger
from agentws.planning.boot.split import fair
from agentws.planning.request import (
    ACTIVITY,
    CONTEXT,
    DAY,
    HANDOFF,
    IDENTITY,
    IN_FLIGHT,
    INSTRUCTIONS,
    MEMORY,
    PINNED,
    TASK,
    USER,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from agentws.planning.boot.part import Part
    from agentws.planning.boot.selection import Measure
    from agentws.planning.boot.split import Scale

_WEIGHTS = {IDENTITY: 3, USER: 2, INSTRUCTIONS: 2, MEMORY: 4, PINNED: 3, CONTEXT: 3, HANDOFF: 6, TASK: 2, DAY: 4}
_SELF = (IDENTITY, USER, INSTRUCTIONS)
_SELF_HUNDREDTHS = int(__import__("os").environ.get("X_SELF", 10))
_KEPT_HUNDREDTHS = int(__import__("os").environ.get("X_KEPT", 8))
_OPEN_HUNDREDTHS = int(__import__("os").environ.get("X_OPEN", 8))
_NEWEST_HUNDREDTHS = int(__import__("os").environ.get("X_NEWEST", 70))
_IN_FLIGHT_EIGHTHS = 2
_ACTIVITY_EIGHTHS = 1
_ALL = 1 << 60


class Allocation:
    """Splits `room` units among the parts. `open` is the section of what is open; `is_whole` tells whether the logs are
    shown whole.
    """

    __slots__ = ("_measure", "_room", "_scale", "_today", "is_whole", "open")

    def __init__(self, room: int, measure: Measure, scale: Scale, *, today: str) -> None:
        self._today = today
        self._room = room
        self._measure = measure
        self._scale = scale
        self.open = ""
        self.is_whole = False

    def stable(self, parts: Sequence[Part], head: int) -> int:
        """What seldom changes: a function of these files and the budget alone. Returns the units used."""
        self_, kept = ([part for part in parts if (part.source.role in _SELF) == wanted] for wanted in (True, False))
        used = self._in_turn(self_, self._room * _SELF_HUNDREDTHS // 100 - head)
        return used + self._in_turn(kept, self._room * _KEPT_HUNDREDTHS // 100)

    def changing(self, parts: Sequence[Part], stable: Sequence[Part], total: int) -> int:
        """What is in flight and the handoff first, then tasks, the newest log, what is open, a little of what happened
        lately, the days before. Returns the units used.
        """
        handoffs, flights, tasks, logs, activity = (
            [part for part in parts if part.source.role == role] for role in (HANDOFF, IN_FLIGHT, TASK, DAY, ACTIVITY)
        )
        # However many tasks there are, the newest day has room for a line.
        floor = logs[0].frame(self._measure) + self._scale.least if logs else 0
        left = total - self._in_flight(flights, total, floor)
        left -= self._in_turn(handoffs, left * 2 // 3 if logs or tasks else left)
        left -= self._tasks(tasks, left - floor, alone=not logs)
        kept = sum(min(part.need(self._measure), left * _ACTIVITY_EIGHTHS // 8) for part in activity)
        if self._scale.brief:
            kept = 0
        left -= self._logs(logs, stable, left - kept)
        self.is_whole = all(part.is_whole for part in logs)
        left -= sum(part.choose(left, self._measure) for part in activity)
        return total - left

    def more(self, parts: Sequence[Part], total: int) -> int:
        """What is left of the budget, for what the stable part lacks. Returns the units used."""
        used = 0
        for part in sorted(parts, key=lambda part: part.source.role in _SELF):
            if total - used > self._scale.least and not part.is_whole:
                used += part.choose_more(order.of(part), total - used, self._measure)
        return used

    def _in_flight(self, parts: Sequence[Part], total: int, floor: int) -> int:
        """A quarter for what is in flight, and at least one line: who repeats an effect does harm."""
        used = 0
        for part in parts:
            used += part.choose(total * _IN_FLIGHT_EIGHTHS // 8, self._measure)
            if not part.text_shown:
                least = part.frame(self._measure) + self._scale.floor
                used += part.choose(min(total, least), self._measure, at_least=True)
        return used

    def _in_turn(self, parts: Sequence[Part], total: int) -> int:
        """Give each part its fair share in turn, what it does not use flowing on; the first one has a line at least."""
        used = 0
        needs = [part.need(self._measure) for part in parts]
        weights = [_WEIGHTS[part.source.role] for part in parts]
        for index, part in enumerate(parts):
            grant = fair(needs[index:], weights[index:], total - used)[0]
            is_first = index == 0 and part.source.role in (IDENTITY, HANDOFF)
            if is_first:
                left = total - used
                grant = max(grant, min(needs[0], max(min(left * 2 // 3, self._scale.floor), min(left, self._scale.least))))
            used += part.choose(grant, self._measure, at_least=is_first)
        return used

    def _tasks(self, parts: Sequence[Part], total: int, *, alone: bool) -> int:
        """A third for the tasks, or all where they are `alone`; what one cannot use goes to the next in order."""
        share = max(0, total if alone else total // 3)
        used = self._in_turn(parts, share)
        for part in parts:
            if not part.text_shown:
                used += part.choose(share - used, self._measure)
        if parts and not used:
            used = parts[0].choose(total, self._measure, at_least=True)
        return used

    def _logs(self, logs: Sequence[Part], stable: Sequence[Part], total: int) -> int:
        """The newest log from its end, what is open, the days before, each from its end."""
        if not logs:
            return 0
        measure = self._measure
        if sum(part.need(measure) for part in logs) <= total:
            return sum(part.take_whole(measure) for part in logs)
        known = ledger.of([part.entries for part in [*logs, *stable]], today=self._today)
        reserved = self._room * _OPEN_HUNDREDTHS // 100
        left = total - reserved
        left -= self._from_end(logs[0], left if self._compact(logs[0]) <= left else left * _NEWEST_HUNDREDTHS // 100)
        items = open_items.section(known, [*logs, *stable], reserved, measure, line=self._scale.line)
        self.open = items.text
        left += reserved - measure(items.text)
        for part in logs[1:]:
            if left < self._scale.line * 2:
                break
            left -= self._from_end(part, left, without=self._told(part, known, items))
        return total - left

    def _told(self, part: Part, known: ledger.Ledger, items: open_items.Section) -> set[int]:
        """Rows of an earlier day that need not be shown: what is over by now, and what stands among what is open."""
        over = {at for entry in known.over if entry.path == part.source.path and (at := part.row_of(entry)) is not None}
        return over | {at for path, at in items.rows if path == part.source.path}

    def _from_end(self, part: Part, room: int, without: Collection[int] = ()) -> int:
        made, ranked = part.selection(self._measure), [at for at in order.of(part) if at not in without]
        used = made.fill(ranked, room, stops=True)
        if room - used > self._scale.line * 2:
            used += made.fill_cut(ranked, room - used)
        return used

    def _compact(self, part: Part) -> int:
        trial = part._selection(self._measure)
        trial.fill(part.telling, _ALL)
        return trial.units
