"""Lists below the same heading of several logs, of which a newer one replaces an older one. Pure."""

from __future__ import annotations

from heapq import merge

from agentws.core import Record
from agentws.core.markdown import markdown
from agentws.core.notes import entry as _entry, vocabulary
from agentws.core.notes.entry import OVER, STANDING, Entry

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Sequence


def text(entry: Entry) -> str:
    """Return the text by which items of lists are compared: without its marks, folded."""
    return vocabulary.fold(_entry.without(entry.body)[0])


class List(Record):
    """A list below a heading of a log.

    Fields:
        title: the words of its heading.
        first: its first item.
        asking: its open items.
        open: their texts.
        texts: those of all its items; empty if all are over.
    """

    title: str
    first: Entry
    asking: Sequence[Entry]
    open: Collection[str]
    texts: Collection[str]


class SameHeading:
    """The lists, replaced or not, under a heading of the same words, by their numbers, the oldest first.

    A list does not refer to this: such a circle would keep all entries in memory after they were used.
    """

    def __init__(self) -> None:
        self._lists: list[List] = []
        self._holding: dict[str, list[int]] = {}
        self._newer: dict[int, Entry | None] = {}

    def add(self, newer: List) -> int:
        """Add a list, which may replace an older one, and return its number."""
        at = len(self._lists)
        self._lists.append(newer)
        for words in newer.texts:
            self._holding.setdefault(words, []).append(at)
        return at

    def replacing(self, at: int) -> Entry | None:
        """Return the first entry of the list that replaces the list with the number `at`, None where none does.

        A newer list under the same heading replaces an older one when it repeats at least half of its items.
        """
        if at not in self._newer:
            older = frozenset(self._lists[at].open)
            least = (len(older) + 1) // 2
            newer = (self._lists[later] for later in self._newer_with(at, len(older) - least + 1))
            self._newer[at] = next((each.first for each in newer if len(older.intersection(each.texts)) >= least), None)
        return self._newer[at]

    def _newer_with(self, at: int, count: int) -> Iterator[int]:
        """Return the newer lists that contain one of the rarest open items of this list (`count` of them).

        A list without any of these does not repeat half of the items; items that every list has are not compared.
        """
        from bisect import bisect_right

        rarest = sorted((self._holding.get(words, []) for words in self._lists[at].open), key=len)[:count]
        starts = [(places, bisect_right(places, at)) for places in rarest]
        return merge(*(map(places.__getitem__, range(start, len(places))) for places, start in starts))


def of(files: Iterable[Iterable[List]]) -> dict[Entry, tuple[SameHeading, int]]:
    """The list that each open item is in: its number among those of its heading. `files` are in order of time."""
    result: dict[Entry, tuple[SameHeading, int]] = {}
    by_heading: dict[str, SameHeading] = {}
    for lists in files:
        for each in lists:
            same = by_heading.setdefault(each.title, SameHeading())
            result.update(dict.fromkeys(each.asking, (same, same.add(each))))
    return result


def in_file(entries: Sequence[Entry], key: Callable[[str], str] = str) -> list[List]:
    """Return the lists of a file that have open items or may replace another; `key` makes the texts to compare."""
    lists = []
    for run in _runs(entries) if entries and entries[0].day else ():
        title = vocabulary.bare_title(run[0].headings[-1]) if run[0].headings else ""
        items = [entry for entry in run if entry.form == markdown.ITEM]
        if title and any(entry.state not in OVER for entry in items):
            texts = {entry: key(text(entry)) for entry in items}
            asking = [entry for entry in items if entry.state in STANDING]
            opened = dict.fromkeys(texts[entry] for entry in asking)
            lists.append(List(title, items[0], asking, [*opened], [*dict.fromkeys(texts.values())]))
    return lists


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
