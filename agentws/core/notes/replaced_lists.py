"""Lists below the same heading of several logs, of which a newer one replaces an older one. Pure."""

from __future__ import annotations

from heapq import merge

from agentws.core.markdown import markdown
from agentws.core.notes import entry as _entry, vocabulary
from agentws.core.notes.entry import OVER, STANDING, Entry

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence


def text(entry: Entry) -> str:
    """Return the text by which items of lists are compared: without its marks, folded."""
    return vocabulary.fold(_entry.without(entry.body)[0])


class _List:
    """A list below one heading of a log: its `first` item, the texts of its open items, and of all its items.

    The latter is empty if all items are over.
    """

    __slots__ = ("first", "open", "texts")

    def __init__(self, items: Sequence[Entry]) -> None:
        self.first = items[0]
        self.open = {text(entry) for entry in items if entry.state in STANDING}
        is_report = all(entry.state in OVER for entry in items)
        self.texts = frozenset() if is_report else frozenset(text(entry) for entry in items)


class SameHeading:
    """The lists, replaced or not, under a heading of the same words, by their numbers, the oldest first.

    A list does not refer to this: such a circle would keep all entries in memory after they were used.
    """

    __slots__ = ("_holding", "_lists", "_newer")

    def __init__(self) -> None:
        self._lists: list[_List] = []
        self._holding: dict[str, list[int]] = {}
        self._newer: dict[int, Entry | None] = {}

    def add(self, items: Sequence[Entry]) -> int:
        """Add the list of these items, which may replace an older one, and return its number."""
        at = len(self._lists)
        self._lists.append(_List(items))
        for words in self._lists[at].texts:
            self._holding.setdefault(words, []).append(at)
        return at

    def replacing(self, at: int) -> Entry | None:
        """Return the first entry of the list that replaces the list with the number `at`, None where none does.

        A newer list under the same heading replaces an older one when it repeats at least half of its items.
        """
        if at not in self._newer:
            older = self._lists[at].open
            least = (len(older) + 1) // 2
            newer = (self._lists[later] for later in self._newer_with(at, len(older) - least + 1))
            self._newer[at] = next((each.first for each in newer if len(older & each.texts) >= least), None)
        return self._newer[at]

    def _newer_with(self, at: int, count: int) -> Iterator[int]:
        """Return the newer lists that contain one of the rarest open items of this list (`count` of them).

        A list without any of these does not repeat half of the items; items that every list has are not compared.
        """
        from bisect import bisect_right

        rarest = sorted((self._holding.get(words, []) for words in self._lists[at].open), key=len)[:count]
        starts = [(places, bisect_right(places, at)) for places in rarest]
        return merge(*(map(places.__getitem__, range(start, len(places))) for places, start in starts))


def of(files: Sequence[Sequence[Entry]]) -> dict[Entry, tuple[SameHeading, int]]:
    """The list that each item of a log below a heading is in: its number among those of its heading."""
    result: dict[Entry, tuple[SameHeading, int]] = {}
    by_heading: dict[str, SameHeading] = {}
    for entries in files:
        for run in _runs(entries) if entries[0].day else ():
            title = vocabulary.bare_title(run[0].headings[-1]) if run[0].headings else ""
            items = [entry for entry in run if entry.form == markdown.ITEM]
            if title and items:
                same = by_heading.setdefault(title, SameHeading())
                result.update(dict.fromkeys(items, (same, same.add(items))))
    return result


def _runs(entries: Sequence[Entry]) -> list[list[Entry]]:
    """The entries of a file, those together that are below the same headings, and not below another one in between."""
    runs: list[list[Entry]] = []
    running: dict[tuple[str, ...], list[Entry]] = {}
    for entry in entries:
        for path in [path for path in running if entry.headings[: len(path)] != path]:
            del running[path]
        if entry.headings not in running:
            running[entry.headings] = []
            runs.append(running[entry.headings])
        running[entry.headings].append(entry)
    return runs
