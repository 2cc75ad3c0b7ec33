"""Who gets which part of the budget: identity and the open handoff first, the newest day never last."""

from __future__ import annotations

from agentws.planning import days, headings
from agentws.planning.allotment import fair
from agentws.planning.lines import Shelf
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
    from collections.abc import Sequence

    from agentws.planning.allotment import Scale
    from agentws.planning.excerpt import Measure
    from agentws.planning.part import Part

_WEIGHTS = {IDENTITY: 3, USER: 2, INSTRUCTIONS: 2, MEMORY: 4, PINNED: 3, CONTEXT: 3, HANDOFF: 6, TASK: 2, DAY: 4}
_MOST_SIXTEENTHS = {MEMORY: 3}
_MOST_SIXTEENTHS_ELSE = 4
"""What a file of the stable part gets of the whole where not all fits. What MEMORY.md lacks competes with the logs."""
_STANDING_EIGHTHS = 1
_IN_FLIGHT_EIGHTHS = 2
_ACTIVITY_EIGHTHS = 1
_POOLED = (MEMORY, CONTEXT)


class Sharing:
    """Splits `room` units among the parts, for the agent called `own` on the day `today` (ISO).

    Lines with one of the tags `wanted` come sooner.
    `standing` are the sections of what stands over days, `disagreements` is another one; `is_whole` tells whether the
    logs are shown whole.
    """

    __slots__ = ("_measure", "_own", "_room", "_scale", "_today", "_wanted", "disagreements", "is_whole", "standing")

    def __init__(
        self, room: int, measure: Measure, scale: Scale, *, today: str, own: str, wanted: Sequence[str]
    ) -> None:
        self._today = today
        self._own = own
        self._wanted = wanted
        self._room = room
        self._measure = measure
        self._scale = scale
        self.standing: list[str] = []
        self.disagreements = ""
        self.is_whole = True

    def stable(self, parts: Sequence[Part], total: int) -> int:
        """What seldom changes: a function of these files and the budget alone. Returns the units used."""
        return self._in_turn(parts, total, capped=True)

    def changing(self, parts: Sequence[Part], stable: Sequence[Part], total: int) -> int:
        """What is in flight and the handoff first, then tasks, then the daily logs with what memory still has, and a
        little of what happened lately. Returns the units used.
        """
        handoffs, flights, tasks, logs, activity = (
            [part for part in parts if part.source.role == role] for role in (HANDOFF, IN_FLIGHT, TASK, DAY, ACTIVITY)
        )
        for part in handoffs:
            headings.prefer(part.entries, is_derived=bool(part.source.read_with))
        # However many tasks there are, the newest day has room for a line.
        floor = self._measure(logs[0].title) + self._scale.least if logs else 0
        used = self._in_flight(flights, total, floor)
        total_before = total - used
        handed = self._in_turn(handoffs, total_before * 2 // 3 if logs or tasks else total_before)
        if handoffs and not handed:
            handed = self._choose(handoffs[0], total_before, at_least=True)
        used += handed
        used += self._tasks(tasks, total - used - floor, alone=not logs)
        kept = self._kept_for(activity, total - used)
        used += self._logs(logs, stable, total - used - kept)
        alone = not logs or (self.is_whole and not any(part.rest for part in stable))
        return used + self._activity(activity, kept, total - used, alone=alone)

    def _in_flight(self, parts: Sequence[Part], total: int, floor: int) -> int:
        """A quarter for what is in flight, and at least one line: who repeats an effect does harm."""
        used = 0
        for part in parts:
            grant = total * _IN_FLIGHT_EIGHTHS // 8
            used += self._choose(part, grant)
            if not part.chosen:
                least = self._measure(part.title) + self._measure("\n") + self._scale.floor
                used += self._choose(part, min(total, least), at_least=True)
        return used

    def _kept_for(self, activity: Sequence[Part], total: int) -> int:
        """What the logs leave to what happened lately: an eighth of their room, none where there is little."""
        if self._scale.brief:
            return 0
        return sum(min(part.need(self._measure), total * _ACTIVITY_EIGHTHS // 8) for part in activity)

    def _activity(self, parts: Sequence[Part], kept: int, total: int, *, alone: bool) -> int:
        """What was kept for it; all that is left where it is `alone`, else half of what the logs did not need."""
        grant = total if alone else max(kept, total // 2 if self.is_whole else kept)
        return sum(self._choose(part, min(grant, total)) for part in parts)

    def more(self, parts: Sequence[Part], total: int) -> int:
        """What is left of the budget, for what the stable part lacks. Returns the units used."""
        used = 0
        for part in parts:
            if total - used > self._scale.least and part.more is None and self.is_whole:
                used += part.choose_more(total - used, self._measure)
        return used

    def _choose(self, part: Part, grant: int, *, at_least: bool = False) -> int:
        return part.choose(grant, self._measure, line=self._scale.line, at_least=at_least)

    def _in_turn(self, parts: Sequence[Part], total: int, *, capped: bool = False) -> int:
        """Give each part its fair share in turn, what it does not use flowing on.

        `capped`: where not all fits, no part gets more than its share of the whole.
        """
        used = 0
        needs = [part.need(self._measure) for part in parts]
        capped = capped and sum(needs) > total
        weights = [_WEIGHTS[part.source.role] for part in parts]
        for index, part in enumerate(parts):
            grant = fair(needs[index:], weights[index:], total - used)[0]
            if capped:
                grant = min(grant, self._room * _MOST_SIXTEENTHS.get(part.source.role, _MOST_SIXTEENTHS_ELSE) // 16)
            first_claim = index == 0 and part.source.role in (IDENTITY, HANDOFF)
            if first_claim:
                left = total - used
                least = max(min(left * 2 // 3, self._scale.floor), min(left, self._scale.least))
                grant = max(grant, min(needs[0], least))
            used += self._choose(part, grant, at_least=first_claim)
        return used

    def _tasks(self, parts: Sequence[Part], total: int, *, alone: bool) -> int:
        """A third for the tasks, or all where they are `alone`; what one cannot use goes to the next in order."""
        share = max(0, total if alone else total // 3)
        used = self._in_turn(parts, share)
        for part in parts:
            if not part.chosen:
                used += self._choose(part, share - used)
        if parts and not used:
            used = self._choose(parts[0], total, at_least=True)
        return used

    def _logs(self, logs: Sequence[Part], stable: Sequence[Part], total: int) -> int:
        """All of the logs where all fits, else the lines across all files that matter most."""
        pooled = [part for part in stable if part.source.role in _POOLED and part.rest]
        frames = [self._frame(part.title) for part in logs] + [self._frame(part.title_of_more) for part in pooled]
        pool = self._pool([*logs, *pooled], frames, stable)
        if not self._scale.brief:
            self.disagreements = days.disagreements(pool, total // 8, self._measure)
        used = self._measure(self.disagreements)
        if used + sum(part.need(self._measure) for part in logs) <= total:
            return used + self._all_logs(logs, pool, total - used)
        self.is_whole = False
        used += self._some_lines([*logs, *pooled], frames, pool, total - used)
        if logs and not used:
            used = self._choose(logs[0], total, at_least=True)
        return used

    def _pool(self, parts: Sequence[Part], frames: Sequence[int], stable: Sequence[Part]) -> days.Pool:
        return days.Pool(
            [part.shelf(frame) for part, frame in zip(parts, frames, strict=True)],
            known=[line for part in stable if part.chosen for line in part.chosen.kept.split("\n") if line.strip()],
            today=self._today,
            own=self._own,
            wanted=self._wanted,
            kept=[Shelf(part.entries, frame=0, name=part.source.path) for part in stable],
        )

    def _all_logs(self, logs: Sequence[Part], pool: days.Pool, total: int) -> int:
        """The logs as they are, and what stands over days but for what the newest two plainly show."""
        used = sum(self._choose(part, total) for part in logs)
        if not self._scale.brief:
            room = min(total - used, self._room * _STANDING_EIGHTHS // 8)
            self.standing = days.standing(pool, room, self._measure, older_than_days=2)
        return used + sum(self._measure(text) for text in self.standing)

    def _some_lines(self, parts: Sequence[Part], frames: Sequence[int], pool: days.Pool, total: int) -> int:
        """What matters most, each line in its file's section or in one of what stands over days."""
        chosen = days.choose(pool, total, self._measure, line=self._scale.line)
        self.standing = chosen.sections
        used = chosen.units
        for part, frame, made in zip(parts, frames, chosen.excerpts, strict=True):
            if made.shown:
                take = part.take if part.source.role == DAY else part.take_more
                used += take(made, frame if made.text else 0)
        return used

    def _frame(self, title: str) -> int:
        return self._measure(title) + self._measure("\n")
