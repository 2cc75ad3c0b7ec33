"""Which lines of the notes the next day is likely to need: pure counting, no model.

A word is worth more the rarer it is, the more recently it was used, the more days it came back on, and when it is a
name (a proper noun, a number, a part of a path). A line is worth its words, less for those already shown, per unit of
its cost; open items of the last days weigh extra. Measured against what real agents' next days picked up.
"""

from __future__ import annotations

import math
import re
from heapq import heapify, heappop, heappush

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

_WORD = re.compile(r"[A-Za-z0-9][A-Za-z0-9']*|[^\W\d_A-Za-z]{2,}")
_NUMBER = re.compile(r"\d+")
_CLOCK = re.compile(r"^\s*[-*+]?\s*\d\d?:\d\d\b")
_INNER_CAPITAL = re.compile(r"[a-z][A-Z]")
_STARTS_A_SENTENCE = re.compile(r"[\s*#>|:.\d\[\]()`\"'_-]*")
_OPEN = re.compile(
    r"^\s*(?:[-*+]|\d+[.)])\s*\[ \]|⏳|\b(?:next|needs?):|\b(?:to-?do|next steps?|pending|blocked|blocker|"
    r"waiting (?:on|for)|follow[- ]?up|needs? to|still needs?|not yet|not (?:pushed|merged|deployed)|unpushed|"
    r"uncommitted|awaiting|open (?:items?|questions?))\b",
    re.IGNORECASE,
)
_STOP = frozenset(
    (
        *("the", "and", "for", "with", "are", "was", "were", "been", "its", "this", "that", "from", "not", "all"),
        *("now", "via", "per", "into", "out", "new", "but", "you", "your", "they", "their", "has", "have", "had"),
        *("will", "would", "can", "could", "should", "may", "more", "most", "one", "two", "also", "just", "than"),
        *("then", "when", "what", "which", "who", "how"),
    )
)
_SUFFIXES = ("ing", "ies", "ed", "es", "s")

_MEMORY_OF_DAYS = 3.0
"""Logged days after which a line's weight has fallen to about a third."""
_COMMON = 0.05
_ANY_LINE = 0.02
_RARE_SHARE = 0.02
_MOST_RARE = 25
_SHOWN_BEFORE = 0.6
_COMES_BACK = 1.0
_PLAIN_WORD = 0.45
_OPEN_BONUS = (20.0, 16.0)
_OVERHEAD = 3
_FEWEST_ALIKE = 3
_ALIKE = 0.8


def is_open(line: str) -> bool:
    """True for a line that says of itself that something is still to be done."""
    return _OPEN.search(line) is not None


def words(line: str) -> dict[str, bool]:
    """The words of a line that can carry meaning, stemmed → whether they look like a name there."""
    found: dict[str, bool] = {}
    for match in _WORD.finditer(line):
        word = match.group(0)
        plain = word.lower().strip("'")
        if (len(plain) < 3 and plain.isascii()) or plain in _STOP or _says_nothing(plain):
            continue
        stemmed = _stem(plain)
        found[stemmed] = found.get(stemmed, False) or _is_name(word, line, match.start(), match.end())
    return found


class Line:
    """One line that may be shown: its `text`, how many logged days ago it was written, and its words.

    `parent` is the index of the line it stands under and cannot be shown without, None where it stands alone.
    """

    __slots__ = ("age", "numbers", "opens", "parent", "text", "words")

    def __init__(self, text: str, *, age: int, parent: int | None, opens: bool) -> None:
        self.text = text
        self.age = age
        self.parent = parent
        self.opens = opens
        self.words = words(text)
        self.numbers = frozenset(_NUMBER.findall(_CLOCK.sub("", text, count=1)))


def weights(lines: Sequence[Line], elsewhere: Sequence[dict[str, bool]] = ()) -> dict[str, float]:
    """What each word is worth in this workspace, `elsewhere` counting as seen but not as recent."""
    seen: dict[str, int] = {}
    named: dict[str, int] = {}
    ages: dict[str, set[int]] = {}
    for line in lines:
        for word, is_name in line.words.items():
            seen[word] = seen.get(word, 0) + 1
            named[word] = named.get(word, 0) + is_name
            ages.setdefault(word, set()).add(line.age)
    for other in elsewhere:
        for word, is_name in other.items():
            seen[word] = seen.get(word, 0) + 1
            named[word] = named.get(word, 0) + is_name
    total = len(lines) + len(elsewhere)
    most = max(3, min(int(_RARE_SHARE * total), _MOST_RARE))
    return {
        word: _COMMON if count > most else _weight(total / count, ages.get(word), named[word] >= 0.6 * count)
        for word, count in seen.items()
    }


def choose(
    lines: Sequence[Line],
    worth: dict[str, float],
    *,
    room: int,
    price: Callable[[int], int],
    take: Callable[[int], None],
    shown: Sequence[dict[str, bool]] = (),
) -> tuple[set[int], dict[int, int]]:
    """Indices of the lines to show within `room` units, and how many like it each of them stands for.

    `price(index)` is what a line costs given what was taken already (headings, titles, its parent), and `take(index)`
    is told of each that is; `shown` are the words of lines that the reader sees anyway.
    """
    told: dict[str, int] = {}
    for other in shown:
        for word in other:
            told[word] = told.get(word, 0) + 1
    chosen: set[int] = set()
    alike = _Alike(lines)
    heap = [(-_value(line, worth, told) / (price(index) + _OVERHEAD), index) for index, line in enumerate(lines)]
    heapify(heap)
    while heap and room > 0:
        _, index = heappop(heap)
        if index in chosen:
            continue
        cost = price(index)
        value = _value(lines[index], worth, told) / (cost + _OVERHEAD)
        if heap and value < -heap[0][0] - 1e-12:
            heappush(heap, (-value, index))  # what was chosen meanwhile has told its words
            continue
        if cost > room or alike.folds(index):
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


class _Alike:
    """Knows which chosen line says nearly the same as another one."""

    __slots__ = ("_by_word", "_lines", "folded")

    def __init__(self, lines: Sequence[Line]) -> None:
        self._lines = lines
        self._by_word: dict[str, list[int]] = {}
        self.folded: dict[int, int] = {}

    def add(self, index: int) -> None:
        """Note a line that is shown."""
        for word in self._lines[index].words:
            self._by_word.setdefault(word, []).append(index)

    def folds(self, index: int) -> bool:
        """True where a shown line tells it already; that one then counts one more."""
        words = self._lines[index].words
        if len(words) < _FEWEST_ALIKE:
            return False
        shared: dict[int, int] = {}
        for word in words:
            for other in self._by_word.get(word, ()):
                shared[other] = shared.get(other, 0) + 1
        # Two lines that differ in a number say two things: only the time of day may differ.
        numbers = self._lines[index].numbers
        shared = {other: count for other, count in shared.items() if numbers <= self._lines[other].numbers}
        if not shared:
            return False
        nearest = max(shared, key=lambda other: (shared[other], -other))
        if shared[nearest] < _ALIKE * len(words):
            return False
        self.folded[nearest] = self.folded.get(nearest, 1) + 1
        return True


def _value(line: Line, worth: dict[str, float], told: dict[str, int]) -> float:
    value = _ANY_LINE
    for word in line.words:
        value += worth.get(word, _COMMON) * _SHOWN_BEFORE ** told.get(word, 0)
    value *= math.exp(-line.age / _MEMORY_OF_DAYS) + 0.08
    if line.opens and line.age < len(_OPEN_BONUS):
        value += _OPEN_BONUS[line.age]
    return value


def _weight(rarity: float, ages: set[int] | None, is_name: bool) -> float:
    newest = min(ages) if ages else 6
    days = min(len(ages), 4) if ages else 0
    recency = 0.15 + math.exp(-newest / (2 * _MEMORY_OF_DAYS))
    return math.log(1 + rarity) / 5 * recency * (1 + _COMES_BACK * days) * (1.0 if is_name else _PLAIN_WORD)


def _says_nothing(word: str) -> bool:
    return word.isdigit() and (len(word) <= 3 or (len(word) == 4 and word.startswith("20")))


def _stem(word: str) -> str:
    for suffix in _SUFFIXES:
        if word.endswith(suffix) and len(word) - len(suffix) >= 3:
            return word[: -len(suffix)]
    return word


def _is_name(word: str, line: str, start: int, end: int) -> bool:
    if any(char.isdigit() for char in word) or _INNER_CAPITAL.search(word):
        return True
    if start and line[start - 1] in "./_@#`":
        return True
    behind = line[end : end + 2]
    if (behind and behind[0] in "/_@`") or (len(behind) == 2 and behind[0] == "." and behind[1].isalnum()):
        return True
    return word[0].isupper() and not _STARTS_A_SENTENCE.fullmatch(line[:start])
