"""What is open over all days, what is over and by what, and what holds now. Pure.

Entries are joined by reference, then by what they name, then because they say nearly the same; never by verbs.
"""

from __future__ import annotations

from collections import Counter
from datetime import date

from agentws.formats.markdown import markdown
from agentws.planning.notes import identifiers, join, reference, similarity
from agentws.planning.notes.entry import MARKED, OVER, STANDING

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from agentws.planning.notes.entry import Entry

_REPEATS = 0.7
"""How much of the longer one of two texts stands in the other, where both are open, in two lists: that the newer
wording stands for both is no loss.
"""
_NEWER_LISTS = 2
"""So many later days that list what is open, and not this: it is perhaps over."""
_FEWEST_OF_A_LIST = 2
_NEWER_LOGS = 5
"""So many later logs, a working week, that do not come back to what was said on one day."""
LONGEST_SILENCE_DAYS = 14
_LATE_DAYS = 1
"""What was due yesterday and is not done is the first that the morning asks for; later, a date in a sentence has
settled it. What `(due …)` says is a promise: only closing settles that.
"""
_MOST_LOOKED_AT = 60
"""Entries that share a word: only those nearest in time are looked at, so that the cost stays linear."""
_LONGEST_REF = 12
_CLOCKS_DIFFER_DAYS = 1
"""So much earlier a line may be that closes something by its reference: two machines need not agree on midnight."""
_EMPTY = "-*+[]0123456789.)|: \t\n"
"""An item of nothing but these is a bullet or a box that nobody has filled in: it asks for nothing."""
_LONGEST_VALUE_CHARS = 40
_MOST_VALUE_WORDS = 5
"""A longer value is a sentence: `Note: …` of two days says two things."""


class LedgerItem:
    """An open item.

    Fields:
        entry: its newest wording. said: every entry that says it, the newest first.
        since, last: the first and the newest day that say it (ISO; empty for a file that is no log).
        days: on how many days it was said.
        ref: its reference, in as many characters as tell it from every other open item.
        due: the date by which it is to be done (ISO), empty without one; is_late: whether that is past by
            more than a day; is_expired: whether that settles it, as it stands in no `(due …)`.
        is_stale: whether it is perhaps over, since nothing has spoken of it for long.
    """

    __slots__ = ("days", "due", "entry", "is_expired", "is_late", "is_stale", "last", "ref", "said", "since")

    def __init__(self, entry: Entry) -> None:
        self.entry = entry
        self.said = [entry]
        self.since = self.last = entry.day
        self.days = 1
        self.ref = self.due = ""
        self.is_stale = self.is_late = self.is_expired = False

    def __repr__(self) -> str:
        """What it is, for whoever looks at a failed test."""
        return f"<{self.ref} {self.since}..{self.last} {'stale ' if self.is_stale else ''}{self.entry!r}>"

    def add(self, entry: Entry) -> None:
        """Note that an older entry says it too."""
        if entry.day and all(one.day != entry.day for one in self.said):
            self.days += bool(self.since)
            self.since = entry.day
            self.last = self.last or entry.day
        self.said.append(entry)


class Value:
    """The newest value of a fact `name: value`, the entry that says it, and those that said another one before."""

    __slots__ = ("earlier", "entry", "name", "value")

    def __init__(self, name: str, value: str, entry: Entry) -> None:
        self.name = name
        self.value = value
        self.entry = entry
        self.earlier: list[Entry] = []


class Ledger:
    """The entries of many files together.

    Fields:
        open: what is open, the newest first.
        over: each entry that was open and is not, with the entry that closed it.
    """

    __slots__ = ("_files", "_gone", "_values", "open", "over")

    def __init__(self, files: Sequence[Sequence[Entry]]) -> None:
        self._files = files
        self._gone: dict[str, list[Entry]] | None = None
        self._values: dict[str, Value] | None = None
        self.open: list[LedgerItem] = []
        self.over: dict[Entry, Entry] = {}

    @property
    def values(self) -> dict[str, Value]:
        """Facts `name: value` of logs, by their place and name."""
        if self._values is None:
            self._values = _values([entries for entries in self._files if entries[0].day])
        return self._values

    @property
    def gone(self) -> dict[str, list[Entry]]:
        """Return, by its path, the entries of each log that need not be told: closed, perhaps closed, or outdated."""
        if self._gone is None:
            self._gone = {}
            stale = (entry for item in self.open if item.is_stale or item.is_expired for entry in item.said)
            for entry in (*self.over, *self.outdated(), *stale):
                self._gone.setdefault(entry.path, []).append(entry)
        return self._gone

    def outdated(self) -> Iterator[Entry]:
        """Entries of logs that say an earlier value of a fact whose values are short."""
        for value in self.values.values():
            if value.earlier and _is_short(value.entry):
                yield from filter(_is_short, value.earlier)


def of(files: Iterable[Sequence[Entry]], *, today: str) -> Ledger:
    """Return what is open and what is over in the entries of `files`, on the ISO day `today`.

    Files of a day in any order; those without one (MEMORY.md, tasks) hold what is so now, and what they close is over.
    """
    ordered = sorted((entries for entries in files if entries), key=lambda entries: entries[0].day, reverse=True)
    ledger = Ledger(ordered)
    telling = [found for entries in ordered if (found := [entry for entry in entries if _is_telling(entry)])]
    known = _Known(telling)
    for entries in telling:
        if not entries[0].day:
            for entry in filter(_is_over, entries):
                known.add(entry, None)
    for entries in telling:
        for entry in reversed(entries):
            if entry.state in STANDING:
                if _asks(entry):
                    _stand(ledger, entry, known)
            elif _is_over(entry) and entry.day:
                known.add(entry, None)
    known.settle(ledger)
    days = _Days(ordered, today)
    for item in ledger.open:
        _date(item, days)
    _name(ledger.open)
    return ledger


class _Known:
    """Entries looked at before, by their words: closed ones, and open ones with their item.

    `named`: items with the entry that is over and names the same; `said`: the days of what that closes besides.
    """

    __slots__ = ("_statements", "by_ref", "by_word", "lengths", "named", "said")

    def __init__(self, files: Sequence[Sequence[Entry]]) -> None:
        self.by_word: dict[str, list[tuple[Entry, LedgerItem | None]]] = {}
        self.by_ref: dict[str, Entry] = {}
        self.named: list[tuple[LedgerItem, Entry]] = []
        self.said: dict[Entry, set[str]] = {}
        self._statements: dict[Entry, join.Statement] = {}
        for entries in files:
            for entry in entries:
                for ref in entry.closes:
                    self.by_ref.setdefault(ref, entry)  # the newest
        self.lengths = [0, *(sorted({len(ref) for ref in self.by_ref if len(ref) > reference.SHORTEST}))]

    def add(self, entry: Entry, item: LedgerItem | None) -> None:
        for word in entry.words:
            self.by_word.setdefault(word, []).append((entry, item))

    def closer(self, entry: Entry) -> Entry | None:
        """The entry that closes this one by its reference, in as many characters as it takes; none from days before."""
        for length in self.lengths if self.by_ref else ():
            found = self.by_ref.get(entry.longer_ref(length) if length else entry.ref)
            if found is None:
                continue
            if found.day >= entry.day or (found.day and days_between(found.day, entry.day) <= _CLOCKS_DIFFER_DAYS):
                return found
        return None

    def nearest(self, entry: Entry) -> tuple[Entry, LedgerItem | None, int] | None:
        """The one that says the same most nearly, with its item, and how they are joined."""
        ours = self._statement(entry)
        words = {*ours.words}
        # Nobody knows when a box without a day was ticked: what `todo` wrote may be its next time.
        needs_day = "^" in entry.text and bool(reference.written(entry.text))
        best, most = None, (join.NO, 0.0)
        for other, item in self._likely(ours):
            if needs_day and item is None and not other.day:
                continue
            common = len(words.intersection(other.words))
            part = common / max(len(words), len(other.words))
            if common < ours.fewest and part < _REPEATS and (item is not None or not ours.names):
                continue
            how = self._joined(entry, other, part, is_open=item is not None)
            if how and (how, part) > most:
                best, most = (other, item, how), (how, part)
        return best

    def settle(self, ledger: Ledger) -> None:
        """Close the items that another entry only names, unless it says another one of the same day."""
        for item, by in self.named:
            if item.since not in self.said.get(by, ()):
                ledger.open.remove(item)
                ledger.over.update(dict.fromkeys(item.said, by))

    def _likely(self, ours: join.Statement) -> Iterable[tuple[Entry, LedgerItem | None]]:
        """Those that have one of the rarest words: what shares seven of ten words has one of any four."""
        found = {}
        for words in (ours.words,) if ours.head is ours.words else (ours.words, ours.head):
            rarest = sorted({*words}, key=lambda word: (len(self.by_word.get(word, ())), word))
            enough = len(rarest) - int(_REPEATS * len(rarest)) + 1
            for word in (*rarest[:enough], *(word for word in rarest[enough:] if not word.isalpha())):
                for one in self.by_word.get(word, ())[-_MOST_LOOKED_AT:]:
                    found[one[0]] = one
        return found.values()

    def _joined(self, entry: Entry, other: Entry, part: float, *, is_open: bool) -> int:
        if other.is_heard and not entry.is_heard:
            return join.NO  # what others hear neither ends nor stands for what only the agent's own people do
        ours, theirs = self._statement(entry), self._statement(other)
        if is_open and entry.day == other.day and entry.headings == other.headings:
            return join.SAID if entry.body == other.body else join.NO  # two items of one list are two things
        if not is_open and other.state in OVER:
            return join.closes(theirs, ours)
        if part >= _REPEATS and is_open and (ours.exact <= theirs.exact or theirs.exact <= ours.exact):
            return join.SAID
        return join.SAID if join.is_same(theirs, ours) else join.NO

    def _statement(self, entry: Entry) -> join.Statement:
        found = self._statements.get(entry)
        if found is None:
            found = self._statements[entry] = join.Statement(entry)
        return found


def _is_telling(entry: Entry) -> bool:
    """Return whether an entry says that something is open or over: few do."""
    return entry.state is not None or "(closes " in entry.text


def _asks(entry: Entry) -> bool:
    """Return whether an entry that is open asks for anything.

    An empty box does not, nor a number or a file with its name (`Quoted: 400`), nor a row of a table, which compares,
    unless a cell of it is a mark.
    """
    if not (entry.said or entry.text.strip(_EMPTY)):
        return False
    if entry.sure == MARKED or entry.form == markdown.ROW:
        return entry.sure == MARKED
    fact = None if entry.core else identifiers.fact(entry.said)
    return fact is None or not identifiers.is_bare(fact[1])


def _is_over(entry: Entry) -> bool:
    return entry.state in OVER or bool(entry.closes)


def _stand(ledger: Ledger, entry: Entry, known: _Known) -> None:
    """Note an open entry: closed since, said again since, or a new item."""
    closer = known.closer(entry)
    found = None if closer else known.nearest(entry)
    if found is not None and found[1] is None and found[2] == join.SAID:
        closer = found[0]
        known.said.setdefault(closer, set()).add(entry.day)
    if closer is not None:
        ledger.over[entry] = closer
        if found is None:
            known.add(entry, None)  # what says nearly the same on an earlier day is over with it
    elif found is not None and found[1] is not None:
        found[1].add(entry)
        known.add(entry, found[1])
    else:
        item = LedgerItem(entry)
        ledger.open.append(item)
        known.add(entry, item)
        if found is not None:
            known.named.append((item, found[0]))


class _Days:
    """The days that have a log: `logged`, the `newest`, those with `lists` of what is open (two or more under one
    heading); and what `today` is.
    """

    __slots__ = ("lists", "logged", "newest", "today")

    def __init__(self, files: Sequence[Sequence[Entry]], today: str) -> None:
        self.today = today
        self.logged = {entries[0].day for entries in files if entries[0].day}
        self.newest = max(self.logged, default=today)
        self.lists = {entries[0].day for entries in files if entries[0].day and _has_list(entries)}


def _has_list(entries: Sequence[Entry]) -> bool:
    counts = Counter(entry.headings for entry in entries if entry.state in STANDING)
    return max(counts.values(), default=0) >= _FEWEST_OF_A_LIST


def _date(item: LedgerItem, days: _Days) -> None:
    item.due = max((entry.due for entry in item.said), default="")
    item.is_late = bool(item.due) and days_between(item.due, days.today) > _LATE_DAYS
    is_promised = item.is_late and any(f"(due {item.due}" in entry.text for entry in item.said)
    item.is_expired = item.is_late and not is_promised
    if is_promised:
        item.is_stale = days_between(max(item.due, item.last), days.newest) > LONGEST_SILENCE_DAYS
    if item.last and not item.due:
        item.is_stale = days_between(item.last, days.newest) > LONGEST_SILENCE_DAYS or _is_left(item, days)


def _is_left(item: LedgerItem, days: _Days) -> bool:
    """Return whether later logs leave out what nobody marked."""
    if any(entry.sure == MARKED for entry in item.said):
        return False
    lists = sum(day > item.last for day in days.lists)
    return lists >= _NEWER_LISTS or (item.days == 1 and sum(day > item.last for day in days.logged) >= _NEWER_LOGS)


def days_between(first: str, last: str) -> int:
    """Return the number of days between two ISO days, 0 where one is invalid."""
    try:
        return (date.fromisoformat(last[:10]) - date.fromisoformat(first[:10])).days
    except ValueError:
        return 0


def _name(items: list[LedgerItem]) -> None:
    """Give each its reference, lengthened where two are alike."""
    for item in items:
        item.ref = item.entry.ref
    for length in range(5, _LONGEST_REF + 1):
        alike: dict[str, list[LedgerItem]] = {}
        for item in items:
            alike.setdefault(item.ref, []).append(item)
        for same in alike.values():
            for item in same if len(same) > 1 else ():
                item.ref = item.entry.longer_ref(length)


def _values(files: Sequence[Sequence[Entry]]) -> dict[str, Value]:
    """Facts `name: value`, each under one heading: what stands under another one may speak of another thing.

    A name that one file says twice is a field of a template, and says nothing of one thing.
    """
    found: dict[str, Value] = {}
    for entries in files:
        places: dict[tuple[str, ...], str] = {}
        said: dict[str, list[tuple[str, Entry]]] = {}
        for entry in entries:
            if ":" not in entry.said and "：" not in entry.said:  # most of them
                continue
            is_none = entry.src or entry.is_label or entry.core or entry.state in STANDING
            fact = None if is_none else identifiers.fact(entry.said)
            if fact:
                said.setdefault(fact[0], []).append((fact[1], entry))
        for name, values in said.items():
            value, entry = values[0]
            if len(values) > 1:
                continue
            if entry.headings not in places:
                places[entry.headings] = _place(entry)
            key = f"{places[entry.headings]}\0{name}"
            if key not in found:
                found[key] = Value(name, value, entry)
            elif found[key].value != value:
                found[key].earlier.append(entry)
    return found


def _place(entry: Entry) -> str:
    """The innermost heading without its numbers; nothing for one that names the day of a log."""
    heading = entry.headings[-1] if entry.headings else ""
    if entry.day and entry.day in heading:
        return ""
    return " ".join(word for word in similarity.words(heading) if not any(map(str.isdigit, word)))


def _is_short(entry: Entry) -> bool:
    """Return whether the value that an entry says is short."""
    _, value = identifiers.fact(entry.said) or ("", "")
    return 0 < len(value) <= _LONGEST_VALUE_CHARS and len(value.split()) <= _MOST_VALUE_WORDS
