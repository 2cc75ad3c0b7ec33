"""How much each unit is worth keeping: what people said by trained weights, notes by what their words tell."""

from __future__ import annotations

import math
from operator import mul
from typing import TYPE_CHECKING

from agentws.planning.compaction import consequence, features, kinds, tiers, weights
from agentws.planning.compaction.words import stems

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from agentws.planning.compaction.counts import Counts
    from agentws.planning.compaction.units import Context, Unit

_RARE_SHARE = 0.03
_MOST_RARE = 25
_PLAIN_WORD = 0.2
_MOST_DAYS = 4
_DAYS_TO_FADE = 5.0
_FADED = 0.4
_NOTE_SCALE = 0.05
_SPOKEN = {"decision": 1.5, "lesson": 1.5, "preference": 1.5, "fact": 1.3, "todo": 1.2, "question": 1.2}
_LINKED_TO_A_TASK = 1.3
_STAYS, _WEIGHTY_STAYS = 1.15, 1.5
"""What is in memory gives way only to what is clearly better: its owner has read it, and reads every change."""
_SAYS = 1.6
_LOW = 0.8
_STALE, _DAYS_TO_STALE = 0.8, 10.0


class Scores:
    """What each unit is worth, as `of`.

    Old entries among notes are weighed anew, since what matters changes; among what was said, where the weights do not
    depend on the day, one has what was recorded of it.

    `among` is what it is worth among decisions, lessons and preferences: names count for less there, plain words for
    more. `weight(index, word)` is how much of that a word of the unit stands for.
    """

    def __init__(self, units: Sequence[Unit], counts: Counts, context: Context) -> None:
        self._units = units
        self._counts = counts
        self._rare = _Rare(units, counts)
        tasks = {word for word in stems("\n".join(context.tasks)) if 0 < counts.turns(word) <= _MOST_RARE}
        spoken = [index for index, unit in enumerate(units) if unit.is_spoken]
        self.is_talk = bool(spoken)
        likelihoods = map(likely, features.columns(units, counts, spoken))
        found = dict(zip(spoken, likelihoods, strict=True))
        self.of = [
            self._of(index, found.get(index))
            * (_LINKED_TO_A_TASK if len(tasks & counts.words[index].keys()) > 1 else 1)
            for index in range(len(units))
        ]

    def weigh_consequences(self, indices: Iterable[int]) -> None:
        """Weigh these notes for what follows from them as well: it costs too much for all of a year."""
        for index in indices:
            unit = self._units[index]
            if not (
                unit.is_spoken or unit.is_low or (self.is_talk and unit.entry is not None)
            ):  # there the marks are in it already
                self.of[index] *= consequence.weight(unit.text, unit.about)

    def among(self, index: int) -> float:
        """What a decision, a lesson, a preference is worth among the others."""
        return math.sqrt(self.of[index]) * (_SAYS if tiers.says(self._units[index].text) else 1.0)

    def weight(self, index: int, word: str) -> float:
        """The share of a word in what the unit is worth: all the same in what was said, by its rarity in notes."""
        return 1.0 if self._units[index].is_spoken else self._rare.worth(word)

    def _of(self, index: int, likelihood: float | None) -> float:
        unit = self._units[index]
        if unit.entry is not None and unit.entry.score is not None and self.is_talk:
            return unit.entry.score  # its marks are in it already
        if likelihood is None:
            likelihood = _NOTE_SCALE * sum(map(self._rare.worth, self._counts.words[index]))
        mark = _SPOKEN.get(unit.kind or "", 1.0) if unit.is_spoken else _noted(unit) * self._standing(unit)
        return likelihood * mark * (1 + (unit.importance - 5) / 5 if unit.importance and unit.entry is None else 1.0)

    def _standing(self, unit: Unit) -> float:
        """Less for what was open long ago: it was done, or nobody minded."""
        if (unit.entry.kind if unit.entry is not None else kinds.title(unit.kind)) != kinds.OPEN:
            return 1.0
        return _STALE + (1 - _STALE) * math.exp(-self._counts.days_ago(unit.day) / _DAYS_TO_STALE)


def _noted(unit: Unit) -> float:
    """How much more, or less, a note is worth for what it is."""
    if unit.entry is not None:
        return _WEIGHTY_STAYS if unit.is_weighty else _STAYS
    if unit.is_weighty:
        return 1.0  # they have a part of the room for themselves
    return _LOW if unit.is_low else 1.0


def likely(row: Sequence[float]) -> float:
    """How likely somebody asks for a sentence with these features, from 0 to 1, by the trained weights."""
    total = sum(map(mul, weights.WEIGHTS, row))
    return 1 / (1 + math.exp(-max(-30.0, min(30.0, total))))


class _Rare:
    """What a word of the notes tells: the rarer, the oftener it came back on other days, the fresher, the more."""

    def __init__(self, units: Sequence[Unit], counts: Counts) -> None:
        self._counts = counts
        self._most = max(3, min(int(_RARE_SHARE * counts.total), _MOST_RARE))
        self._known: dict[str, float] = {}

    def worth(self, word: str) -> float:
        found = self._known.get(word)
        if found is None:
            found = self._known[word] = self._worth(word)
        return found

    def _worth(self, word: str) -> float:
        counts = self._counts
        if counts.turns(word) > self._most:
            return 0.02
        rarity = math.log(1 + counts.total / counts.turns(word)) / 5
        days = min(counts.days(word), _MOST_DAYS)
        fresh = _FADED + (1 - _FADED) * math.exp(-counts.age(word) / _DAYS_TO_FADE)
        return rarity * days * fresh * (1.0 if counts.is_name(word) else _PLAIN_WORD)
