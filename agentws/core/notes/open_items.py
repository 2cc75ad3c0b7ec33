"""The open items in the notes of many files, the entries that closed others, and the newest next steps. Pure.

The rules: docs/guides/open-items.md. No sentence is interpreted, and no item closes because of its age.
"""

from __future__ import annotations

from agentws.core import Record
from agentws.core.formats import layout
from agentws.core.markdown import markdown, notes
from agentws.core.notes import entry as _entry, reference, replaced_lists, vocabulary
from agentws.core.notes.entry import DONE, DROPPED, OVER, STANDING, Entry

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from agentws.core.notes.replaced_lists import List
    from agentws.core.notes.vocabulary import Vocabulary

    Place = tuple[str, int, int]
    """Where an entry is among all: the day, the number of its file among those of that day, its number in the file."""

_IDENTITY = (layout.SOUL, layout.IDENTITY, layout.USER, layout.AGENTS)
_EMPTY = "-*+[]~0123456789.)|: \t\n"
"""An item of nothing but these is a bullet or a box that nobody has filled in."""
_LONGEST_REF = 12
_LONGEST_ALIKE_CHARS = 120
"""`done` cuts a longer text in the line that it writes."""
_LONGEST_BEFORE_NOTE_CHARS = 2 * _LONGEST_ALIKE_CHARS
_CLOCKS_DIFFER_DAYS = 1
"""A closing line may be dated so many days before what it names: two machines need not agree on midnight."""
_LONGEST_REFERENCE = 24


class OpenItem:
    """An open item of the notes.

    Fields:
        entry: its newest wording. said: every entry with it, newest first.
        ref: the reference that closes it, long enough to be unique among open items; state: OPEN or WAITING.
        since, last: the first and the newest day with it (ISO; empty for a file without days).
        due: its due date (ISO), or empty; is_overdue: whether that is past.
    """

    def __init__(self, entries: list[Entry], today: str, words: Vocabulary = vocabulary.USUAL) -> None:
        self._words = words
        days = [day for entry in entries if (day := day_of(entry))]
        self.entry = entries[0]
        self.said = entries
        self.ref = next(filter(None, (reference.written(entry.text) for entry in entries)), entries[0].ref)
        self.state = str(entries[0].state)
        self.since = min(days, default="")
        self.last = max(days, default="")
        self.due = next(filter(None, (entry.due for entry in entries)), "")
        self.is_overdue = bool(self.due) and self.due < today

    @property
    def heading(self) -> str:
        """The heading or the item around its newest wording that has one that says what it is about; else empty."""
        return next(filter(None, (_entry.topic(entry, self._words) for entry in self.said)), "")


class NextList:
    """The newest list of next steps: `path`, `day`, `first_line`, `end_line` and `entries` in order.

    `heading` names it. `headings` are those around it and this one, without days.
    """

    def __init__(self, headings: Sequence[str], day: str, entries: list[Entry]) -> None:
        self.heading = headings[-1]
        self.headings = (*(title for title in headings[:-1] if day not in title), layout.without_day(self.heading)[0])
        self.day = day
        self.entries = entries
        self.path = entries[0].path
        self.first_line = entries[0].line
        self.end_line = max(entry.end_line for entry in entries)

    def start(self, lines: Sequence[str]) -> int:
        """Return the number of the list's first line in its file: that of the first heading below its own, if any."""
        for start in range(self.first_line, 1, -1):
            line = lines[start - 2]
            if line.strip() and not (markdown.heading_level(line) and markdown.title_of(line) != self.heading):
                return start
        return 1


class OpenItems(Record):
    """The open items of many files, and the entries that closed others.

    Fields:
        open: in the order in which every verb shows them: what is overdue or due today by that day, then the newest day
            first, within a file in its order.
        closed: each entry that was open, with the entry that closed it.
        next: the newest list of next steps, None without one. It is not counted as open.
    """

    open: list[OpenItem]
    closed: dict[Entry, Entry]
    next: NextList | None = None


def of(files: Iterable[Sequence[Entry]], *, today: str, words: Vocabulary = vocabulary.USUAL) -> OpenItems:
    """Return the open items in the entries of `files`, in any order, on the ISO day `today`, and the next steps."""
    whole = [File(entries, replaced_lists.in_file(entries)) for entries in files]
    open_items = among(whole, today=today, words=words)
    open_items.next = _next([file.entries for file in _ordered(whole)], words)
    return open_items


class File(Record):
    """The `entries` of a file that count for open items, and the `lists` that they are in."""

    entries: Sequence[Entry]
    lists: Sequence[List] = ()


def among(files: Iterable[File], *, today: str, words: Vocabulary = vocabulary.USUAL) -> OpenItems:
    """Return the open items in `files`, in any order, without the next steps.

    Entries of equal text are one item; the newest statement about it counts. A file without days is older than any log.
    """
    ordered = _ordered(files)
    open_items = OpenItems([], {})
    known = _Statements([file.entries for file in ordered])
    lists = replaced_lists.of(file.lists for file in ordered)
    for entries in (same for alike in known.open.values() for same in _by_person(alike)):
        rows = _still_open(sorted(entries, key=known.place, reverse=True), known, open_items.closed)
        if not rows:
            continue
        # A newer list never closes a box of MEMORY.md, nor an entry with a reference.
        may_be_replaced = all(day_of(entry) and not _is_referenced(entry) for entry in rows)
        below = lists.get(rows[0]) if may_be_replaced else None
        newer = below[0].replacing(below[1]) if below else None
        if newer is None:
            open_items.open.append(OpenItem(rows, today, words))
        else:
            open_items.closed.update(dict.fromkeys(rows, newer))
    open_items.open.sort(key=lambda item: (urgency(item.due, today), *known.order(item)))
    _tell_apart(open_items.open)
    return open_items


def over_since(entries: Sequence[Entry], still_open: Iterable[OpenItem]) -> set[int]:
    """Return the lines of an archived log's items that are open no longer, each with what is nested in it."""
    texts = {replaced_lists.text(entry) for item in still_open for entry in item.said}
    gone: set[int | None] = set()
    lines: set[int] = set()
    for at, entry in enumerate(entries):
        if entry.parent in gone or (entry.state in STANDING and replaced_lists.text(entry) not in texts):
            gone.add(at)
            lines.update(range(entry.line, entry.end_line + 1))
    return lines


def add_archived(still_open: Iterable[OpenItem], entries: Iterable[Entry]) -> None:
    """Add the entries of an archived log to the open items that they are, so that none is shown twice."""
    by_text = {replaced_lists.text(item.entry): item for item in still_open if item.entry.path == layout.DIGEST}
    for entry in entries if by_text else ():
        if entry.state in STANDING and (item := by_text.get(replaced_lists.text(entry))):
            item.said.append(entry)


def day_of(entry: Entry) -> str:
    """Return the day of an open item's entry: that of its log, or the one before its text in the digest."""
    return entry.day or (entry.said[:10] if entry.core and layout.is_day(entry.said[:10]) else "")


def urgency(day: str, today: str) -> str:
    """Return the sort key for urgent open items: the due day if past or today, else `~`, which comes last."""
    return day if day and day <= today else "~"


def _ordered(files: Iterable[File]) -> list[File]:
    """The files that have entries and hold items, the oldest first."""
    filled = [file for file in files if file.entries and file.entries[0].path not in _IDENTITY]
    return sorted(filled, key=lambda file: (file.entries[0].day, len(file.entries[0].path), file.entries[0].path))


class _Statements:
    """The statements of all entries about what is open or over.

    Fields:
        open: the open entries of each text. over: the entries that are over, by text.
    """

    def __init__(self, files: Sequence[Sequence[Entry]]) -> None:
        self.open: dict[tuple[str, ...], list[Entry]] = {}
        self.over: dict[tuple[str, ...], list[Entry]] = {}
        self._closing: dict[str, list[Entry]] = {}  # what names a reference as closed, or has it and is ticked
        self._about: dict[str, dict[str | None, list[Place]]] = {}
        self._places: dict[Entry, Place] = {}
        self._beginnings: dict[str, set[str]] = {}
        for number, entries in enumerate(files):
            for at, entry in enumerate(entries):
                if entry.state is None and not entry.closes:
                    continue
                self._places[entry] = (day_of(entry), number, at)
                for ref in entry.closes:
                    self._closing.setdefault(ref, []).append(entry)
                if entry.state in STANDING:
                    if _asks(entry):
                        if written := reference.written(entry.text):
                            self._beginnings.setdefault(written, set()).add(_beginning(entry))
                        self.open.setdefault(_key(entry), []).append(entry)
                elif entry.state in OVER:
                    self._note_over(entry)
        self._entries = {place: entry for entry, place in self._places.items()}
        self._lengths = {len(name) for name in self._closing if len(name) >= reference.SHORTEST}

    def _note_over(self, entry: Entry) -> None:
        if _is_tick(entry) and (ref := reference.written(entry.text)):
            self._closing.setdefault(ref, []).append(entry)
        path, text, heard = _key(entry)
        may_end = range(min(len(text), _LONGEST_BEFORE_NOTE_CHARS)) if entry.closes else ()
        cuts = [at for at in may_end if text.startswith(": ", at)]
        for beginning in (text, *(text[:at] for at in cuts)):  # behind a colon, `done` writes its note
            self.over.setdefault((path, beginning, heard), []).append(entry)
            if not heard:  # it ends also what others hear, but not the other way round
                self.over.setdefault((path, beginning, "heard"), []).append(entry)

    def place(self, entry: Entry) -> Place:
        """Return the position of an entry in time order."""
        return self._places[entry]

    def first_after(self, entry: Entry, among: Sequence[Place]) -> Entry | None:
        """The first of the entries at these places, which are in order, that is later than `entry`."""
        from bisect import bisect_right  # few workspaces close anything twice

        at = bisect_right(among, self._places[entry])
        return self._entries[among[at]] if at < len(among) else None

    def closing_reference(self, entry: Entry) -> Entry | None:
        """The first entry that closes this one by its reference, and is not about another item that has the same."""
        written = reference.written(entry.text)
        longest = "" if written or not self._closing else entry.longer_ref(_LONGEST_REFERENCE)
        names = [written] if written else [longest[:length] for length in self._lengths] if longest else []
        about = (None, _beginning(entry))
        lists = (self._closing_about(name).get(text, ()) for name in names if name in self._closing for text in about)
        places = [place for some in lists for place in _first_in_time(some, entry)]
        return self._entries[min(places)] if places else None

    def _closing_about(self, ref: str) -> dict[str | None, list[Place]]:
        """Return where a reference is closed, by the open item that the closing entry repeats.

        Positions in order, by the beginning of that item's text; None if the entry repeats no item with this reference.
        """
        if ref not in self._about:
            beginnings = self._beginnings.get(ref, set())
            lengths = {*map(len, beginnings)}
            self._about[ref] = {}
            for entry in self._closing[ref]:
                text = _beginning(entry)
                for same in beginnings.intersection(text[:length] for length in lengths) or (None,):
                    self._about[ref].setdefault(same, []).append(self._places[entry])
            for places in self._about[ref].values():
                places.sort()
        return self._about[ref]

    def order(self, item: OpenItem) -> tuple[int, int, int]:
        """Return the sort key of items that are not urgent: newest day first."""
        day, number, at = self._places[item.entry]
        return -int(day.replace("-", "") or 0), -number, at


def _key(entry: Entry) -> tuple[str, ...]:
    """Return the key that identifies an item: its text, a step's task, and whether a shared audience may see it."""
    text = replaced_lists.text(entry)
    return entry.path if entry.path.startswith(f"{layout.TASKS}/") else "", text, "heard" if entry.is_heard else ""


def _person(entry: Entry) -> str:
    return vocabulary.fold(_entry.without(entry.body)[1])


def _by_person(entries: list[Entry]) -> list[list[Entry]]:
    """Entries of equal text: together, unless they name several people."""
    by_person: dict[str, list[Entry]] = {}
    for entry in entries:
        by_person.setdefault(_person(entry), []).append(entry)
    return [entries] if len(by_person.keys() - {""}) <= 1 else [*by_person.values()]


def _beginning(entry: Entry) -> str:
    return replaced_lists.text(entry)[:_LONGEST_ALIKE_CHARS]


def _is_tick(entry: Entry) -> bool:
    """Return whether an entry is over by its box or a sign, not by a strike or a word such as `[done]`."""
    return entry.kind not in (DONE, DROPPED) and "~~" not in entry.first


def _asks(entry: Entry) -> bool:
    """Return whether an entry that is open says anything: no empty box, no marker alone, no field of a template."""
    if _is_field(entry.body) and not _is_referenced(entry):
        return False
    return bool(entry.body) or (entry.kind is None and bool(entry.text.strip(_EMPTY)))


def _is_field(text: str) -> bool:
    """Return whether a text is a field of a template to fill in: `<item>`, `[Task name]`, `YYYY-MM-DD: …`."""
    if text[:1] + text[-1:] not in ("<>", "[]"):
        return text.startswith("YYYY-MM-DD")
    return not any(sign in text[1:-1] for sign in ("<", ">", "[", "]", "://", "@"))


def _is_referenced(entry: Entry) -> bool:
    return bool(reference.written(entry.text))


def _still_open(entries: Sequence[Entry], known: _Statements, closed: dict[Entry, Entry]) -> list[Entry]:
    """Return those of the open entries of one text, the newest first, that nothing closes; note in `closed` what does.

    A reference, a tick and a line of `done` close each of them; a strike and a bare `[done]` only those without a
    written reference.
    """
    people = {"", *map(_person, entries)}
    alike = known.over.get(_key(entries[0]), [])
    over = [entry for entry in alike if len(people) == 1 or _person(entry) in people]
    by_reference = {entry: by for entry in entries if (by := known.closing_reference(entry))}
    ends = sorted(map(known.place, (*by_reference.values(), *(each for each in over if _is_tick(each) or each.closes))))
    left = []
    for entry in entries:
        by = by_reference.get(entry) or known.first_after(entry, ends)
        if by is None:
            left.append(entry)
        else:
            closed[entry] = by
    if not over or any(map(_is_referenced, left)):
        return left
    places = sorted(map(known.place, over))
    closed.update((entry, by) for entry in left if (by := known.first_after(entry, places)))
    return [entry for entry in left if entry not in closed]


def _first_in_time(places: Sequence[Place], entry: Entry) -> Sequence[Place]:
    """The first place, of some in order, that may close an entry: it is not dated days before it, or has no day."""
    day = day_of(entry)
    at = 0
    if places and "" < places[0][0] < day:
        from bisect import bisect_left
        from datetime import date

        first = date.fromordinal(max(date.fromisoformat(day).toordinal() - _CLOCKS_DIFFER_DAYS, 1))
        at = bisect_left(places, (first.isoformat(), 0, 0))
    return places[at : at + 1]


def _next(files: Sequence[Sequence[Entry]], words: Vocabulary) -> NextList | None:
    """The newest next list of the logs, else that of the digest, which is under a heading with its day."""
    for entries in reversed(files):
        for at in reversed(range(len(entries))):
            depth = _next_depth(entries[at], words)
            if not depth:
                continue
            headings = entries[at].headings[:depth]
            first = at
            while first and entries[first - 1].headings[:depth] == headings:
                first -= 1
            # An entry that begins with its time continues the log and is not a step of the list.
            starts = ((n, entries[n].first.lstrip("-*+•[( \t")[:5]) for n in range(first + 1, at + 1))
            timed = (n for n, start in starts if start[:1].isdecimal() and notes.time_in(start) is not None)
            last = next(timed, at + 1)
            listed = list(entries[first:last])
            if day := entries[at].day:
                return NextList(headings, day, listed)
            return NextList(headings[-1:], layout.without_day(headings[-1])[1], listed)
    return None


def _next_depth(entry: Entry, words: Vocabulary) -> int:
    """The number of headings down to the outermost one above an entry that names a list of next steps; else 0."""
    if entry.form == markdown.HEADING or entry.src or not (entry.day or entry.path == layout.DIGEST):
        return 0

    def names_list(title: str) -> bool:
        return words.is_open_heading(title) if entry.day else bool(layout.without_day(title)[1])

    return next((depth for depth, title in enumerate(entry.headings, 1) if names_list(title)), 0)


def _tell_apart(items: Sequence[OpenItem]) -> None:
    """Lengthen the computed references that two items share; a written one stays as it is."""
    for length in range(reference.SHORTEST + 1, _LONGEST_REF + 1):
        shared: dict[str, list[OpenItem]] = {}
        for item in items:
            shared.setdefault(item.ref, []).append(item)
        for item in (item for same in shared.values() if len(same) > 1 for item in same):
            item.ref = reference.written(item.entry.text) or item.entry.longer_ref(length)
