"""What to show of the daily logs together: the lines that the next day is likely to need, under their headings.

Where all of it fits, all of it is shown. Else lines are chosen by planning/salience.py across all days at once, each
paying for the title and heading that it brings along, and a child for its parent.
"""

from __future__ import annotations

from agentws.planning import excerpt, salience

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from agentws.planning.excerpt import Entry, Excerpt, Measure

_LONGEST_LINE_CHARS = 280
_MORE = " …"
_TIMES = " ×9"


class Day:
    """One daily log: what its title costs (with the empty line behind), and its entries."""

    __slots__ = ("entries", "frame")

    def __init__(self, entries: Sequence[Entry], *, frame: int) -> None:
        self.entries = entries
        self.frame = frame


class _Candidate:
    """A line on its way: where it stands, and what it costs by itself."""

    __slots__ = ("cost", "day", "entry", "text")

    def __init__(self, day: int, entry: int, text: str, cost: int) -> None:
        self.day = day
        self.entry = entry
        self.text = text
        self.cost = cost


def choose(days: Sequence[Day], room: int, measure: Measure, *, known: Sequence[str] = ()) -> list[Excerpt]:
    """What to show of each of `days` (newest first) within `room` units in all, titles included.

    `known` are lines that are shown anyway, which makes their words less telling.
    """
    candidates, lines = _lines(days, measure)
    words = [salience.words(line) for line in known]
    prices = _Prices(days, candidates, lines, measure)
    worth = salience.weights(lines, words)
    chosen, folded = salience.choose(lines, worth, room=room, price=prices.price, take=prices.take, shown=words)
    return [_excerpt(day, index, candidates, chosen, folded, measure) for index, day in enumerate(days)]


class _Prices:
    """What a line costs given what was taken already: its own text, its parent's, and the headings it brings along."""

    __slots__ = ("_candidates", "_days", "_leads", "_measure", "_open", "_parents", "_taken")

    def __init__(
        self, days: Sequence[Day], candidates: list[_Candidate], lines: list[salience.Line], measure: Measure
    ) -> None:
        self._days = days
        self._candidates = candidates
        self._parents = [line.parent for line in lines]
        self._measure = measure
        self._open: set[tuple[int, int, str]] = set()
        self._taken: set[int] = set()
        self._leads: dict[str, int] = {}

    def price(self, index: int) -> int:
        """Units that taking the line would cost now."""
        candidate = self._candidates[index]
        entry = self._days[candidate.day].entries[candidate.entry]
        parent = self._parents[index]
        price = candidate.cost
        if parent is not None and parent not in self._taken:
            price += self._candidates[parent].cost
        if (candidate.day, -1, "") not in self._open:
            price += self._days[candidate.day].frame
        if (candidate.day, entry.group, "") not in self._open:
            price += self._lead(entry.lead)
        if entry.head and (candidate.day, entry.group, entry.head) not in self._open:
            price += self._lead(entry.head)
        return price

    def take(self, index: int) -> None:
        """Note that the line is shown."""
        candidate = self._candidates[index]
        entry = self._days[candidate.day].entries[candidate.entry]
        self._taken.add(index)
        self._open.update(
            ((candidate.day, -1, ""), (candidate.day, entry.group, ""), (candidate.day, entry.group, entry.head))
        )

    def _lead(self, text: str) -> int:
        if text not in self._leads:
            self._leads[text] = self._measure(text) if text else 0
        return self._leads[text]


def _lines(days: Sequence[Day], measure: Measure) -> tuple[list[_Candidate], list[salience.Line]]:
    candidates: list[_Candidate] = []
    lines: list[salience.Line] = []
    for age, day in enumerate(days):
        for place, entry in enumerate(day.entries):
            parts = [part for part in entry.full.split("\n") if part.strip()]
            parent: int | None = None
            for number, part in enumerate(parts):
                text = _clipped(part)
                # A first line may have to say that there is more below it, and each how many it stands for.
                cost = measure(text + (_MORE if not number and len(parts) > 1 else "") + _TIMES + "\n")
                candidates.append(_Candidate(age, place, text, cost))
                opens = entry.open is not False and salience.is_open(part)
                lines.append(salience.Line(part, age=age, parent=parent, opens=opens))
                if not number:
                    parent = len(lines) - 1
    return candidates, lines


def _excerpt(
    day: Day,
    age: int,
    candidates: list[_Candidate],
    chosen: set[int],
    folded: dict[int, int],
    measure: Measure,
) -> Excerpt:
    ours: dict[int, list[tuple[int, str]]] = {}
    total: dict[int, int] = {}
    for index, candidate in enumerate(candidates):
        if candidate.day == age:
            total[candidate.entry] = total.get(candidate.entry, 0) + 1
            if index in chosen:
                times = f" ×{folded[index]}" if index in folded else ""
                ours.setdefault(candidate.entry, []).append((index, candidate.text + times))
    texts: dict[int, str] = {}
    for place, parts in ours.items():
        shown = [text for _, text in parts]
        if len(shown) < total[place] and not shown[0].endswith("…"):
            shown[0] += _MORE
        texts[place] = "\n".join(shown) + "\n"
    return excerpt.of(day.entries, texts, measure)


def _clipped(line: str) -> str:
    if len(line) <= _LONGEST_LINE_CHARS:
        return line.rstrip()
    return line[:_LONGEST_LINE_CHARS].rpartition(" ")[0].rstrip() + _MORE
