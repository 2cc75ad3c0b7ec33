"""What is taken of the rows of a file, each with what has to stand above it, within a room. Pure."""

from __future__ import annotations

from agentws.formats import inset, markdown, origin
from agentws.planning.boot import rows as _rows

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from agentws.planning.boot.rows import Row
    from agentws.planning.tokens import Measure


_SENTENCE_ENDS = (". ", "! ", "? ", "。", "！", "？", "।", "؟ ")


class Selection:
    """Rows that are taken: `taken` is index → the text shown of it; `units` is what they cost, with the `frame` around
    them.
    """

    __slots__ = ("_costs", "_frame", "_measure", "_most", "_texts", "rows", "taken", "units")

    def __init__(self, rows: Sequence[Row], measure: Measure, *, frame: int, most: int = 0) -> None:
        self.rows = rows
        self.taken: dict[int, str] = {}
        self.units = 0
        self._frame = frame
        self._most = most
        self._texts: dict[int, str] = {}
        self._measure = measure
        self._costs: dict[int, int] = {}

    def price(self, index: int) -> int:
        """Units that taking this row would cost, with what it needs above it."""
        total = 0 if self.taken else self._frame
        rows, costs = self.rows, self._costs
        while index != _rows.NOTHING and index not in self.taken:
            cost = costs.get(index)
            total += self._cost(index) if cost is None else cost
            index = rows[index].above
        return total

    def take(self, index: int, text: str = "") -> None:
        """Take a row, or `text` in its place, and what it needs above it."""
        more = self._measure(text) - self._cost(index) if text else 0
        self._take(index, self.price(index) + more, text)

    def _take(self, index: int, cost: int, text: str = "") -> None:
        self.units += cost
        while index != _rows.NOTHING and index not in self.taken:
            self.taken[index] = text or self._text(index)
            text = ""
            index = self.rows[index].above

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
        before = self.units
        index = next((at for at in order if at not in self.taken), None)
        if index is not None:
            cut = clip(self.rows[index].text, room - (self.price(index) - self._cost(index)), self._measure)
            if cut:
                self.take(index, cut)
        return self.units - before

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
        """What is taken, in the order of the file."""
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
    """What of `text` costs at most `grant` units: all of it, or whole words of its beginning and `…`, or nothing."""
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
