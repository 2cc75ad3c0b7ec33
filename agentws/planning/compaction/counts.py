"""How often words stand in what is compacted: in how many turns, on how many days, how lately."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from agentws.planning.compaction.words import words

if TYPE_CHECKING:
    from collections.abc import Sequence

    from agentws.planning.compaction.units import Unit


class _Seen:
    """Where a word was seen last, in how many turns, on how many days, how much oftener as a name than not."""

    __slots__ = ("day", "days", "named", "turn", "turns")

    def __init__(self) -> None:
        self.turn: int | None = None
        self.turns = self.days = self.named = 0
        self.day = ""


class Counts:
    """The `words` of each unit, as in planning/words.py, and how often, when and how each stands in all of them."""

    def __init__(self, units: Sequence[Unit]) -> None:
        self.words = [words(unit.text) for unit in units]
        seen: dict[str, _Seen] = {}
        for unit, found in zip(units, self.words, strict=True):
            turn, day = unit.turn, unit.day
            for word, is_name in found.items():
                one = seen.get(word)
                if one is None:
                    one = seen[word] = _Seen()
                if one.turn != turn:  # what belongs to one turn stands together, and so do turns of a day
                    one.turn = turn
                    one.turns += 1
                    if one.day != day:
                        one.days += 1
                        one.day = max(day, one.day)
                one.named += 1 if is_name else -1
        self._seen = seen
        self._ages = {day: age for age, day in enumerate(sorted({unit.day for unit in units}, reverse=True))}
        self.total = max(1, len({unit.turn for unit in units}))
        self.all_days = max(1, len(self._ages))
        self._idf: dict[str, float] = {}
        scale = math.log(1 + self.all_days)
        self._spread = {word: math.log(one.days) / scale for word, one in seen.items()}

    def turns(self, word: str) -> int:
        """In how many turns it stands."""
        one = self._seen.get(word)
        return one.turns if one is not None else 0

    def days(self, word: str) -> int:
        """On how many days it stands."""
        one = self._seen.get(word)
        return one.days if one is not None else 0

    def age(self, word: str) -> int:
        """How many logged days ago it was written last."""
        one = self._seen.get(word)
        return self._ages.get(one.day, 0) if one is not None else 0

    def days_ago(self, day: str) -> int:
        """How many logged days lie behind a day."""
        return self._ages.get(day, 0)

    def is_name(self, word: str) -> bool:
        """True where it is written as a name mostly."""
        one = self._seen.get(word)
        return one is not None and one.named >= 0

    def idf(self, word: str) -> float:
        """How rare it is, about 0 to 1."""
        found = self._idf.get(word)
        if found is None:
            rarity = math.log(1 + self.total / (self.turns(word) + 0.5))
            found = self._idf[word] = rarity / math.log(1 + self.total / 1.5)
        return found

    def spread(self, word: str) -> float:
        """On how much of the days it stands: 0 for one day, about 1 for all."""
        return self._spread.get(word, 0.0)
