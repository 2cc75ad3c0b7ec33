"""Which lines of the notes the next day is likely to need: pure counting and eight weights, no model at run time.

A word tells more the rarer it is, the more recently it was used, the more days it came back on, and when it is a name.
How likely the next day goes on with a line follows from its words, its age, its length and its form; the weights were
fitted to what the next days of eight real agents picked up, and judged with each of them left out (docs/benchmarks.md).
"""

from __future__ import annotations

import math
from heapq import heapify, heappop, heappush

from agentws.planning.alike import Alike

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence

    from agentws.planning.lines import Line

_MEMORY_OF_DAYS = 3.0
"""Logged days after which a line's weight has fallen to about a third."""
_AGE_WITHOUT_A_DAY = 6
_RARE_SHARE = 0.02
_MOST_RARE = 25
_PLAIN_WORD = 0.45
_NAMED_SHARE = 0.6
_SHOWN_BEFORE = 0.6
_LASTING_KINDS = ("decision", "lesson", "preference")
_KIND_BONUS = 0.002
_USUAL_IMPORTANCE = 5
_IMPORTANCE_BONUS = 0.03
_ANY_LINE = 0.0005
_OVERHEAD = 1.0
"""What reading a line costs besides its tokens, in lines of usual length."""

WEIGHTS = (-7.02, -1.67, 0.78, 1.99, 0.08, 0.72, 0.58, 0.25, 0.13)
"""Of `features`, in their order."""


class Worth:
    """What the words of a workspace tell: `of` a rare word (one that is not rare tells nothing), `names` among them."""

    __slots__ = ("names", "of")

    def __init__(self, of: dict[str, float], names: frozenset[str]) -> None:
        self.of = of
        self.names = names


def worth(lines: Sequence[Line], elsewhere: Sequence[dict[str, bool]] = ()) -> Worth:
    """What each word tells in this workspace; those `elsewhere` count as seen, but not as recent."""
    seen: dict[str, int] = {}
    named: dict[str, int] = {}
    ages: dict[str, set[int]] = {}
    for line in lines:
        for word, is_name in line.words.items():
            seen[word] = seen.get(word, 0) + 1
            named[word] = named.get(word, 0) + is_name
            if line.age is not None:
                ages.setdefault(word, set()).add(line.age)
    for other in elsewhere:
        for word, is_name in other.items():
            seen[word] = seen.get(word, 0) + 1
            named[word] = named.get(word, 0) + is_name
    total = len(lines) + len(elsewhere)
    most = max(3, min(int(_RARE_SHARE * total), _MOST_RARE))
    names = frozenset(word for word, count in seen.items() if count <= most and named[word] >= _NAMED_SHARE * count)
    return Worth(
        {word: _weight(total / count, ages.get(word), word in names) for word, count in seen.items() if count <= most},
        names,
    )


def features(line: Line, worth: Worth) -> tuple[float, ...]:
    """What the weights are for: one, rare words, names, what they tell, the second best of them, form and age."""
    told = sorted((worth.of[word] for word in line.words if word in worth.of), reverse=True)
    names = sum(word in worth.names for word in line.words)
    return (
        1.0,
        math.log(1 + len(told)),
        math.log(1 + names),
        math.log(0.1 + sum(told)),
        told[1] if len(told) > 1 else 0.0,
        float(line.age is None),
        math.exp(-line.age / _MEMORY_OF_DAYS) if line.age is not None else 0.0,
        math.log(max(1, len(line.text))),
        float("|" in line.text),
    )


def likely(line: Line, worth: Worth) -> float:
    """How likely the next day goes on with `line`, from 0 to 1."""
    total = sum(weight * value for weight, value in zip(WEIGHTS, features(line, worth), strict=True))
    return 1 / (1 + math.exp(-total))


def weight_of_kind(line: Line) -> float:
    """What a line is likely beyond its words because somebody said that it matters, or what kind it is."""
    weight = 0.0 if line.importance is None else max(0, line.importance - _USUAL_IMPORTANCE) * _IMPORTANCE_BONUS
    return weight + (_KIND_BONUS if line.kind in _LASTING_KINDS else 0.0)


def choose(
    lines: Sequence[Line],
    worth: Worth,
    *,
    room: int,
    yardstick: int,
    mark: int = 0,
    price: Callable[[int], int],
    take: Callable[[int], None],
    bonus: Callable[[int], float],
    shown: Sequence[dict[str, bool]] = (),
    never: Collection[int] = (),
) -> tuple[set[int], dict[int, int]]:
    """Indices of the lines to show within `room` units, and how many like it each of them stands for.

    `price(index)` is what a line costs given what was taken already (headings, titles, its parent), and `take(index)`
    is told of each that is; `mark` is what it costs to say that a line stands for others; `bonus` is added to its
    likelihood; `shown` are the words of lines that the reader sees anyway, `never` indices of lines that others stand
    for; `yardstick` is what a line of usual length costs.
    """
    told: dict[str, int] = {}
    for other in shown:
        for word in other:
            told[word] = told.get(word, 0) + 1
    chosen: set[int] = set()
    alike = Alike(lines)
    values = [_Value(line, worth, bonus(index)) for index, line in enumerate(lines)]
    over = yardstick * _OVERHEAD
    candidates = [index for index in range(len(lines)) if index not in never]
    heap = [(-values[index].now(told) / (price(index) + over), index) for index in candidates]
    heapify(heap)
    while heap and room > 0:
        _, index = heappop(heap)
        if index in chosen:
            continue
        cost = price(index)
        value = values[index].now(told) / (cost + over)
        if heap and value < -heap[0][0] - 1e-12:
            heappush(heap, (-value, index))  # what was chosen meanwhile has told its words
            continue
        if cost > room:
            continue
        if alike.folds(index):
            room -= mark if index in alike.first else 0
            continue
        room -= cost
        at: int | None = index
        while at is not None and at not in chosen:
            chosen.add(at)
            take(at)
            alike.add(at)
            for word in lines[at].words:
                told[word] = told.get(word, 0) + 1
            at = lines[at].parent
    return chosen, alike.folded


class _Value:
    """What showing a line is worth, less for the words that were told already."""

    __slots__ = ("_bonus", "_likely", "_words")

    def __init__(self, line: Line, worth: Worth, bonus: float) -> None:
        self._words = [(word, worth.of[word]) for word in line.words if word in worth.of]
        total = sum(weight for _, weight in self._words)
        # A label says nothing without what stands below it, and that brings the label along.
        self._likely = likely(line, worth) / total if total and not line.is_label else 0.0
        self._bonus = bonus

    def now(self, told: dict[str, int]) -> float:
        value = sum(weight * _SHOWN_BEFORE ** told.get(word, 0) for word, weight in self._words)
        return value * self._likely + self._bonus + _ANY_LINE


def _weight(rarity: float, ages: set[int] | None, is_name: bool) -> float:
    newest = min(ages) if ages else _AGE_WITHOUT_A_DAY
    days = min(len(ages), 4) if ages else 0
    recency = 0.15 + math.exp(-newest / (2 * _MEMORY_OF_DAYS))
    return math.log(1 + rarity) / 5 * recency * (1 + days) * (1.0 if is_name else _PLAIN_WORD)
