"""A selection of a file's rows, each with the headings it needs, within a room. Pure."""

from __future__ import annotations

from agentws.formats import origin
from agentws.formats.markdown import inset, markdown
from agentws.planning.boot import rows as _rows

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from agentws.planning.boot.rows import Row
    from agentws.planning.tokens.counters import Measure


_SENTENCE_ENDS = (". ", "! ", "? ", "。", "！", "？", "।", "؟ ")


class Selection:
    """Rows that are taken: `taken` is index → the text shown of it; `units` is what they cost, with the `frame` around
    them. `together` are rows that are taken with others or not at all.
    """

    __slots__ = ("_costs", "_frame", "_measure", "_most", "_texts", "_together", "rows", "taken", "units")

    def __init__(
        self,
        rows: Sequence[Row],
        measure: Measure,
        *,
        frame: int,
        most: int = 0,
        together: Mapping[int, Sequence[int]] | None = None,
    ) -> None:
        self._together = together or {}
        self.rows = rows
        self.taken: dict[int, str] = {}
        self.units = 0
        self._frame = frame
        self._most = most
        self._texts: dict[int, str] = {}
        self._measure = measure
        self._costs: dict[int, int] = {}

    def price(self, index: int) -> int:
        """Units that taking this row would cost, with what it needs above it and those that it is taken with."""
        total = 0 if self.taken else self._frame
        if index in self._together:
            return total + sum(map(self._cost, self._needed(index)))
        rows, costs = self.rows, self._costs
        while index != _rows.NOTHING and index not in self.taken:
            cost = costs.get(index)
            total += self._cost(index) if cost is None else cost
            index = rows[index].above
        return total

    def _take(self, index: int, cost: int) -> None:
        self.units += cost
        self.taken.update((at, self._text(at)) for at in self._needed(index))

    def _needed(self, index: int) -> list[int]:
        """What is not taken yet of a row, of those that it is taken with, and of what has to stand above them."""
        found: dict[int, None] = {}
        for first in self._together.get(index, (index,)):
            at = first
            while at != _rows.NOTHING and at not in self.taken and at not in found:
                found[at] = None
                at = self.rows[at].above
        return list(found)

    def fill(self, order: Iterable[int], room: int, *, stops: bool = False) -> int:
        """Take rows in this order while they fit into `room`; returns the units used. `stops`: at the first that does
        not fit, but for fences: half of one says nothing.
        """
        before = self.units
        for index in order:
            if index in self.taken:
                continue
            cost = self.price(index)
            if cost <= room - (self.units - before):
                self._take(index, cost)
            elif stops and self.rows[index].kind != markdown.FENCE:
                break
        return self.units - before

    def fill_cut(self, order: Iterable[int], room: int) -> int:
        """Take of the first row that is not taken as many words as fit; returns the units used."""
        index = next((at for at in order if at not in self.taken), None)
        if index is None:
            return 0
        self._together = {}  # there is no room for a second one
        around = self.price(index) - self._cost(index)
        cut = clip(self.rows[index].text, room - around, self._measure)
        if not cut:
            return 0
        self._take(index, around + self._measure(cut))
        self.taken[index] = cut
        return around + self._measure(cut)

    def lengthen(self, order: Iterable[int], room: int) -> int:
        """Show more of the rows that are taken shortened, in this order; returns the units used."""
        before = self.units
        for index in order:
            shown = self.taken.get(index)
            if shown is None or shown == self.rows[index].text:
                continue
            cost = self._measure(shown)
            longer = clip(self.rows[index].text, room - (self.units - before) + cost, self._measure)
            if len(longer) > len(shown):
                self.taken[index] = longer
                self.units += self._measure(longer) - cost
        return self.units - before

    def text(self) -> str:
        """The chosen text, in the order of the file."""
        return "".join(self.taken[index] for index in sorted(self.taken))

    def _text(self, index: int) -> str:
        """What is shown of a row: all of it, or its first sentences where only so much is shown."""
        row = self.rows[index]
        if not self._most or len(row.text) <= self._most or row.kind in (markdown.FENCE, markdown.HEADING):
            return row.text
        if index not in self._texts:
            self._texts[index] = shortened(row.text, self._most)
        return self._texts[index]

    def _cost(self, index: int) -> int:
        cost = self._costs.get(index)
        if cost is None:
            cost = self._costs[index] = self._measure(self._text(index))
        return cost


def shortened(text: str, most: int) -> str:
    """The first sentences of `text` in so many characters, else whole words of it, with ` …` and its origin behind."""
    text = _apart(text.rstrip())
    ending = origin.ending(origin.within(text))
    head = text[: most - len(ending)]
    end = max(head.rfind(stop) + len(stop.rstrip()) for stop in _SENTENCE_ENDS)
    if end <= most // 2:
        end = head.rfind(" ")
    if end <= most // 2:
        end = len(head)
    return f"{head[:end].rstrip()} …{ending}\n"


def _apart(text: str) -> str:
    """A row that is cut: what a fence held is escaped like any line, since its end is gone; all else is already."""
    return inset.lines(text, quotes=False) if inset.has_fence(text) else text


def clip(text: str, grant: int, measure: Measure) -> str:
    """Return as much of `text` as `grant` units allow: all, or whole words of its beginning and `…`, or nothing."""
    if measure(text) <= grant:
        return text
    text = _apart(text)
    words = text.rstrip().split(" ")
    end = f"…{origin.ending(origin.within(text))}\n"
    low, high = 0, len(words)
    while low < high:
        middle = (low + high + 1) // 2
        if measure(" ".join(words[:middle]) + end) <= grant:
            low = middle
        else:
            high = middle - 1
    kept = " ".join(words[:low]).rstrip(" ,;:-*#|")
    return f"{kept}{end}" if kept else ""
