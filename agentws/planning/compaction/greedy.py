"""Which units to keep within a budget: the best for what they cost, each thing once, no day or topic alone."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from heapq import heapify, heappop, heappush
from typing import TYPE_CHECKING, Any

from agentws.planning.compaction import bundling, kinds
from agentws.planning.compaction.alike import Alike
from agentws.planning.compaction.lines import Line
from agentws.planning.compaction.words import words

if TYPE_CHECKING:
    from collections.abc import Container, Iterator

    from agentws.planning.compaction.counts import Counts
    from agentws.planning.compaction.scoring import Scores
    from agentws.planning.compaction.units import Unit

Measure = Callable[[str], int]
"""Units of a text, under the counter in use."""

_READING = 0.6
"""What reading a bullet costs besides its tokens, in lines of usual length."""
_TOLD_SPOKEN = 0.95
_TOLD_NOTED = 0.6
_MOST_TOLD = 4
_SEAM_CHARS = 3
_EVENTS_SHARE, _EVENTS_LINES = 0.5, 36
"""Of the room for notes, or of so many lines of usual length where that is more, what merely happened has no more, as
long as anything else wants it.
"""
_SAID_AGAIN, _WEIGHTY_SAID_AGAIN = 0.4, 0.65
"""A note with less news than this is left out: it says again what others say, if in other words. A rule is given again
and again; once told, another wording of it is no news.
"""
_WEIGHTY_SHARE = 0.6
_SMALL_ROOM = 45
"""Decisions, lessons and preferences have this share of a room for themselves, and more of what it has above so many
lines of usual length: a small one is better filled with what comes up again.
"""


class Greedy:
    """Takes the best unit for what it costs, again and again; `chosen` are those it took, in that order.

    A unit is worth less the more of its words were told already, and costs less where it joins an entry. `told` says
    which unit says what another one would have said. `known` are lines that are read anyway. It chooses `among` these
    indices, in order. Pinned units are taken whatever they cost, those in `never` not at all. Decisions, lessons and
    preferences have a part of the room for themselves, the best one of each new day first; what merely happened has no
    more than half while others want it.
    """

    def __init__(
        self,
        units: Sequence[Unit],
        scores: Scores,
        counts: Counts,
        measure: Measure,
        *,
        among: Sequence[int],
        yardstick: int,
        never: Container[int],
        known: Sequence[str] = (),
    ) -> None:
        self.chosen: list[int] = []
        self.told: dict[int, int] = {}
        self._units, self._scores, self._words = units, scores, counts.words
        self._prices = _Prices(units, measure)
        self._over = yardstick * _READING
        self._yardstick = yardstick
        self._seen: dict[str, int] = dict.fromkeys((word for line in known for word in words(line)), 1)
        self._kept: set[int] = set()
        self._worth: dict[int, float] = {}
        self._paid: dict[int, int] = {}
        self._lines = _Lines(units)
        self._exact: dict[str, int] = {}
        self._alike = Alike(self._lines)
        self._together = _together(units, among)
        self._pinned = [index for index in among if units[index].is_pinned]
        self._may = dict.fromkeys(
            index for index in among if scores.of[index] > 0 and index not in never and not units[index].is_pinned
        )
        self._heap = [(-self._density(index), index) for index in self._may]
        heapify(self._heap)
        self._events_left: float | None = None

    def fill(self, room: int) -> None:
        """Take what fits into `room` more units of the counter."""
        for index in self._pinned:
            room -= self._take(index)
        self._pinned = []
        if self._events_left is None:
            most = max(room * _EVENTS_SHARE, _EVENTS_LINES * self._yardstick)
            self._events_left = room if self._scores.is_talk else most
            room = self._fill_reserve(room)
        aside: list[tuple[float, int]] = []
        room = self._fill(room, aside, is_capped=not self._scores.is_talk)
        for item in aside:
            heappush(self._heap, item)
        if aside:
            self._fill(room, [], is_capped=False)

    def _fill_reserve(self, room: int) -> int:
        """Take decisions, lessons and preferences: the best one of each new day, then others; the room that is left."""
        reserve = int(max(0, room - _SMALL_ROOM * self._yardstick) * _WEIGHTY_SHARE)
        rest = room - reserve
        for index in sorted(self._best_of_days(), key=lambda index: -self._scores.among(index)):
            price = self._prices.of(index)
            if price <= reserve and not self._is_said(index) and not self._is_told(index):
                reserve -= self._take(index)
                self._bring_near(index)
        self._worth = {index: self._scores.among(index) for index in self._may if self._units[index].is_weighty}
        others, self._heap = self._heap, [(-self._density(index), index) for index in self._worth]
        heapify(self._heap)
        reserve = self._fill(reserve, [], is_capped=False)
        self._worth, self._heap = {}, others
        for index in self.chosen:
            self._bring_near(index)
        return rest + reserve

    def _best_of_days(self) -> Iterator[int]:
        best: dict[str, tuple[float, int]] = {}
        for index in self._may:
            unit = self._units[index]
            if unit.is_weighty and unit.entry is None:
                worth = self._scores.among(index) * self._news(index) / (self._prices.of(index) + self._over)
                best[unit.day] = max(best.get(unit.day, (0.0, -1)), (worth, index))
        yield from (index for _, index in best.values())

    def _fill(self, room: int, aside: list[tuple[float, int]], *, is_capped: bool) -> int:
        too_long: list[tuple[float, int]] = []
        while self._heap and room > self._over / 8:
            before, index = heappop(self._heap)
            if index in self._kept or index in self.told:
                continue
            now = -self._density(index)
            if self._heap and now > before + 1e-12 and now > self._heap[0][0]:
                heappush(self._heap, (now, index))  # what was chosen meanwhile has told its words
            elif self._prices.of(index) > room:
                too_long.append((now, index))
            elif is_capped and self._is_too_much(index):
                aside.append((now, index))
            elif not self._is_said(index) and not self._is_told(index):
                opens = self._prices.opens(index)
                room -= self._take(index)
                if opens or not self._units[index].is_spoken:
                    self._bring_near(index)
        for item in too_long:
            heappush(self._heap, item)
        return room

    def _is_too_much(self, index: int) -> bool:
        """True for what only tells what happened, where there is enough of it."""
        left = self._events_left or 0.0
        return self._prices.of(index) > left and bundling.title(self._units[index]) == kinds.EVENTS

    def give_back(self, units: int) -> None:
        """Let go of the last ones that were taken: about `units` and at least one, but none that is pinned."""
        for place in range(len(self.chosen) - 1, -1, -1):
            index = self.chosen[place]
            if self._units[index].is_pinned:
                continue
            del self.chosen[place]
            self._kept.discard(index)
            self._count(index, -self._paid[index])
            for word in self._words[index]:
                self._seen[word] -= 1
            for one in self._lines[index].exact:
                self._exact[one] -= 1
            heappush(self._heap, (-self._density(index), index))
            self._prices.give_back(index)
            units -= self._paid[index]
            if units <= 0:
                return

    def _is_said(self, index: int) -> bool:
        """True for a new note whose words were nearly all told already, by several others perhaps."""
        unit = self._units[index]
        if unit.entry is not None or unit.is_spoken or not all(map(self._exact.get, self._lines[index].exact)):
            return False
        return self._news(index) < (_WEIGHTY_SAID_AGAIN if unit.is_weighty else _SAID_AGAIN)

    def _is_told(self, index: int) -> bool:
        nearest = self._alike.nearest(index)
        if nearest is None or nearest not in self._kept:  # it may have been given back
            return False
        if self._units[index].entry is not None and self._units[nearest].entry is not None:
            return False
        self.told[index] = nearest
        return True

    def _take(self, index: int) -> int:
        price = self._paid[index] = self._prices.take(index)
        self._count(index, price)
        self._kept.add(index)
        self.chosen.append(index)
        self._alike.add(index)
        for word in self._words[index]:
            self._seen[word] = self._seen.get(word, 0) + 1
        for one in self._lines[index].exact:
            self._exact[one] = self._exact.get(one, 0) + 1
        return price

    def _count(self, index: int, price: int) -> None:
        if self._events_left is not None and bundling.title(self._units[index]) == kinds.EVENTS:
            self._events_left -= price

    def _bring_near(self, index: int) -> None:
        """Weigh those anew that may join the entry of what was taken: they cost less now."""
        for other in self._together.get(bundling.key(self._units[index]), ()):
            if other in self._may and other not in self._kept and other not in self.told:
                heappush(self._heap, (-self._density(other), other))

    def _density(self, index: int) -> float:
        return (
            self._worth.get(index, self._scores.of[index]) * self._news(index) / (self._prices.of(index) + self._over)
        )

    def _news(self, index: int) -> float:
        """The share of its words that were not told yet."""
        found = self._words[index]
        if not found or not self._seen:
            return 1.0
        base = _TOLD_SPOKEN if self._units[index].is_spoken else _TOLD_NOTED
        seen, weight = self._seen, self._scores.weight
        whole = fresh = 0.0
        for word in found:
            share = weight(index, word)
            whole += share
            fresh += share * base ** min(seen[word], _MOST_TOLD) if word in seen else share
        return fresh / whole if whole else 1.0


class _Prices:
    """What a unit costs given what was taken: its text, and what an entry begins with unless it joins one."""

    def __init__(self, units: Sequence[Unit], measure: Measure) -> None:
        self._units = units
        self._own: dict[int, int] = {}
        self._leads: dict[str, int] = {}
        self._measure = measure
        self._gap = measure(" … ")
        self._room: dict[tuple[object, ...], int] = {}
        self._taken: set[int] = set()

    def opens(self, index: int) -> bool:
        """True for what begins an entry of its own."""
        unit = self._units[index]
        if unit.entry is not None or len(unit.text) + _SEAM_CHARS > self._room.get(bundling.key(unit), 0):
            return True
        return not (unit.is_spoken or self._joins(index - 1, index) or self._joins(index + 1, index))

    def _joins(self, other: int, index: int) -> bool:
        """True where a neighbour was taken that `index` may share an entry with."""
        if other not in self._taken or bundling.key(self._units[other]) != bundling.key(self._units[index]):
            return False
        first, second = sorted((other, index))
        return bundling.may_join(self._units[first], self._units[second])

    def of(self, index: int) -> int:
        unit = self._units[index]
        own = self._own.get(index)
        if own is None:
            own = self._own[index] = self._measure(unit.text if unit.entry is not None else unit.text + " ")
        return own + (self._lead(unit) if self.opens(index) else self._gap)

    def take(self, index: int) -> int:
        price = self.of(index)
        unit = self._units[index]
        if unit.entry is None:
            key, size = bundling.key(unit), len(unit.text) + _SEAM_CHARS
            room = self._room.get(key, 0)
            self._room[key] = (room if size <= room else bundling.most_chars(unit)) - size
            self._taken.add(index)
        return price

    def give_back(self, index: int) -> None:
        """Let the entry of a unit be full: what joins it next pays for a new one, which is never too little."""
        self._room.pop(bundling.key(self._units[index]), None)
        self._taken.discard(index)

    def _lead(self, unit: Unit) -> int:
        lead = "" if unit.entry is not None else unit.lead
        if lead not in self._leads:
            self._leads[lead] = self._measure(f"- {lead}\n")
        return self._leads[lead]


class _Lines(Sequence[Line]):
    """The units as lines, each made when it is asked for: only what is chosen is compared."""

    def __init__(self, units: Sequence[Unit]) -> None:
        self._units = units
        self._made: dict[int, Line] = {}

    def __len__(self) -> int:
        return len(self._units)

    def __getitem__(self, index: Any) -> Any:
        found = self._made.get(index)
        if found is None:
            found = self._made[index] = Line(self._units[index].text, age=None)
        return found


def _together(units: Sequence[Unit], among: Sequence[int]) -> dict[tuple[object, ...], list[int]]:
    found: dict[tuple[object, ...], list[int]] = {}
    for index in among:
        if units[index].entry is None:
            found.setdefault(bundling.key(units[index]), []).append(index)
    return {key: indices for key, indices in found.items() if len(indices) > 1}
