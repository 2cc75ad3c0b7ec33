"""Rows of a cache: the entries of a file that count for open items, as plain values. Pure."""

from __future__ import annotations

from agentws.core.formats import digest
from agentws.core.formats.documents import daily
from agentws.core.markdown import notes
from agentws.core.notes import replaced_lists
from agentws.core.notes.entry import Entry
from agentws.core.notes.open_items import File
from agentws.core.notes.replaced_lists import List

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    Row = Sequence[Any]
    """The values of each entry, and those of each list: its entries by their number."""

_VALUES = (
    *("text", "line", "end_line", "form", "headings", "whole", "head", "said", "src", "core"),
    *("kind", "state", "sure", "is_label"),
)
_DIGITS = 16


def counting(entries: Sequence[Entry]) -> File:
    """Return a file without the entries that count for no open item; its lists have digests of their texts."""
    lists = replaced_lists.in_file(entries, _digest)
    firsts = {each.first for each in lists}
    return File([entry for entry in entries if entry in firsts or _counts(entry)], lists)


def _digest(text: str) -> str:
    return digest.quick(text.encode("utf-8", "surrogatepass"))[:_DIGITS]


def _counts(entry: Entry) -> bool:
    return entry.state is not None or bool(entry.closes) or asks_from_outside(entry)


def asks_from_outside(entry: Entry) -> bool:
    """Return whether an entry from outside is marked as something to do: it is not the agent's own item."""
    return bool(entry.src) and (notes.kind_in(entry.first[:60]) == daily.TODO or notes.marked(entry.first) is False)


def row(file: File) -> Row:
    """Return the values of a file, for a cache."""
    numbers = {entry: number for number, entry in enumerate(file.entries)}
    lists = [
        [each.title, numbers[each.first], [*map(numbers.__getitem__, each.asking)], each.open, each.texts]
        for each in file.lists
    ]
    return [[[getattr(entry, name) for name in _VALUES] for entry in file.entries], lists]


def text(file: File) -> str:
    """Return all that `row` would keep of a file, to be searched for secrets."""
    parts = (part for entry in file.entries for part in (*entry.headings, entry.head, entry.whole))
    return "\n".join(dict.fromkeys(parts))


def file(row: Row, path: str, day: str) -> File:
    """Return the file that has these values."""
    entries = [_entry(values, path, day) for values in row[0]]
    lists = [
        List(title, entries[first], [entries[number] for number in asking], opened, texts)
        for title, first, asking, opened, texts in row[1]
    ]
    return File(entries, lists)


def _entry(values: Sequence[Any], path: str, day: str) -> Entry:
    entry = Entry("", 0, path=path, day=day)
    for name, value in zip(_VALUES, values, strict=True):
        setattr(entry, name, value)
    entry.headings = tuple(entry.headings)
    return entry
