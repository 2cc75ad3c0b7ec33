"""What is open over all days, what is over, and what holds now. Pure."""

from __future__ import annotations

from datetime import date

from agentws.planning.notes import identifiers
from agentws.planning.notes.entry import OVER, STANDING

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from agentws.planning.notes.entry import Entry

_STALE_DAYS = 7
_NEARLY = 0.8
_FEWEST_WORDS = 2
_MOST_LOOKED_AT = 60
"""Entries that share a word: only the last of them are looked at, so that the cost stays linear."""
_LONGEST_REF = 12


class Item:
    """Something open: `entry` in its newest wording; `since` and `last` are the first and the newest day that say it,
    `days` on how many; `ref` tells it from every other open one.
    """

    __slots__ = ("days", "due", "entry", "is_expired", "is_stale", "last", "ref", "said", "since")

    def __init__(self, entry: Entry) -> None:
        self.entry = entry
        self.said = [entry]
        self.since = self.last = entry.day
        self.days = 1
        self.ref = ""
        self.due = ""
        self.is_stale = self.is_expired = False

    def __repr__(self) -> str:
        """What it is, for whoever looks at a failed test."""
        return f"<{self.ref} {self.since}..{self.last} {'stale ' if self.is_stale else ''}{self.entry!r}>"


class Value:
    """The newest value of a fact `name: value`, the entry that says it, and those that said another one before."""

    __slots__ = ("earlier", "entry", "name", "value")

    def __init__(self, name: str, value: str, entry: Entry) -> None:
        self.name = name
        self.value = value
        self.entry = entry
        self.earlier: list[Entry] = []


class Ledger:
    """What entries say of each other. `over`: the entries that were open once, each with the entry that closed it, or
    with the date by which it was due; `values`: state facts by name.
    """

    __slots__ = ("open", "over", "values")

    def __init__(self) -> None:
        self.open: list[Item] = []
        self.over: dict[Entry, Entry | str] = {}
        self.values: dict[str, Value] = {}


def of(files: Iterable[Sequence[Entry]], *, today: str) -> Ledger:
    """Return what is open and what is over in the entries of files: the newest day first, files without a day last."""
    ledger = Ledger()
    ordered = sorted((list(entries) for entries in files if entries), key=lambda one: one[0].day, reverse=True)
    closed: list[Entry] = []
    by_word: dict[str, list[tuple[Entry, Item | None]]] = {}
    refs: dict[str, Entry] = {}
    timeless = [entry for entries in ordered if not entries[0].day for entry in entries if entry.state in OVER]
    for entry in timeless:
        _note(by_word, entry, None)
    for entries in ordered:
        for entry in reversed(entries):
            for ref in entry.closes:
                refs.setdefault(ref, entry)
            if entry.state in OVER:
                if entry.day:
                    _note(by_word, entry, None)
                closed.append(entry)
            elif entry.state in STANDING:
                _open(ledger, entry, by_word, refs)
    newest = next((entries[0].day for entries in ordered if entries[0].day), today)
    for item in ledger.open:
        _age(item, today, newest)
    _name(ledger.open)
    ledger.values = _values(ordered)
    return ledger


def _open(
    ledger: Ledger, entry: Entry, by_word: dict[str, list[tuple[Entry, Item | None]]], refs: dict[str, Entry]
) -> None:
    closer = refs.get(entry.ref) if refs else None
    if closer is not None:
        ledger.over[entry] = closer
        return
    found = _nearest(entry, by_word)
    if found is None:
        item = Item(entry)
        ledger.open.append(item)
        _note(by_word, entry, item)
        return
    other, same = found
    if same is None:
        ledger.over[entry] = other
        return
    if entry.day and all(one.day != entry.day for one in same.said):
        same.days += bool(same.entry.day)
        same.since = entry.day
        same.last = same.last or entry.day
    same.said.append(entry)


def _note(by_word: dict[str, list[tuple[Entry, Item | None]]], entry: Entry, item: Item | None) -> None:
    for word in entry.words:
        by_word.setdefault(word, []).append((entry, item))


def _nearest(entry: Entry, by_word: dict[str, list[tuple[Entry, Item | None]]]) -> tuple[Entry, Item | None] | None:
    """The entry looked at before that says nearly the same, the newest first."""
    words = entry.words
    if len(words) < _FEWEST_WORDS and not entry.body:
        return None
    shared: dict[int, int] = {}
    known: dict[int, tuple[Entry, Item | None]] = {}
    for word in words:
        for pair in by_word.get(word, ())[-_MOST_LOOKED_AT:]:
            key = id(pair[0])
            shared[key] = shared.get(key, 0) + 1
            known[key] = pair
    best: tuple[float, tuple[Entry, Item | None]] | None = None
    for key, count in shared.items():
        other = known[key][0]
        part = count / max(len(words), len(other.words))
        if part >= _NEARLY and (best is None or part > best[0]) and _exact(entry) == _exact(other):
            best = part, known[key]
    return best[1] if best else None


def _exact(entry: Entry) -> frozenset[str]:
    return identifiers.exact(entry.body)


def _age(item: Item, today: str, newest: str) -> None:
    item.due = max((entry.due for entry in item.said), default="")
    item.is_expired = bool(item.due) and item.due < today
    if item.last:
        item.is_stale = _days_between(item.last, newest) > _STALE_DAYS


def _days_between(first: str, last: str) -> int:
    try:
        return (date.fromisoformat(last[:10]) - date.fromisoformat(first[:10])).days
    except ValueError:
        return 0


def _name(items: list[Item]) -> None:
    """Give each its reference, lengthened where two are alike."""
    length = 0
    todo = items
    while todo:
        taken: dict[str, list[Item]] = {}
        for item in todo:
            item.ref = item.entry.longer_ref(length) if length else item.entry.ref
            taken.setdefault(item.ref, []).append(item)
        length = max(length, len(todo[0].ref)) + 2
        todo = [item for some in taken.values() if len(some) > 1 for item in some] if length <= _LONGEST_REF else []


def _values(files: Sequence[Sequence[Entry]]) -> dict[str, Value]:
    found: dict[str, Value] = {}
    for entries in files:
        said: dict[str, list[tuple[str, Entry]]] = {}
        for entry in entries:
            fact = identifiers.fact(entry.said) if not entry.src and ":" in entry.said[:50] else None
            if fact:
                said.setdefault(fact[0], []).append((fact[1], entry))
        for name, values in said.items():
            if len(values) > 1:
                continue  # a field of a template, said of several things
            value, entry = values[0]
            if name not in found:
                found[name] = Value(name, value, entry)
            elif found[name].value != value:
                found[name].earlier.append(entry)
    return found
