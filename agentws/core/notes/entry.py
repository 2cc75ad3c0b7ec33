"""An entry of a note: its text, marks, state and headings. See docs/format/daily.md.

Also the due date, `(due 2026-11-24)` or `📅 2026-11-24`, and the assignee, `(for Sam)`, in its text.
"""

from __future__ import annotations

from agentws.core.formats import audience, layout
from agentws.core.markdown import markdown, notes
from agentws.core.notes import reference, vocabulary
from agentws.core.text.lazy import Pattern

TYPE_CHECKING = False
if TYPE_CHECKING:
    from agentws.core.notes.vocabulary import Vocabulary

OPEN, WAITING, DONE, DROPPED = notes.OPEN, notes.WAITING, notes.DONE, notes.DROPPED
"""States. An entry that says nothing about it has None."""
STANDING = (OPEN, WAITING)
OVER = (DONE, DROPPED)
MARKED, STRUCTURE, TEXT = "marked", "structure", "text"
"""How sure kind and state are: by a mark of its own, by the marker that it begins with (`TODO:`), or not at all."""


class Entry:
    """An entry: a list item without nested ones, a paragraph, a table row, a fence, or an empty section's heading.

    Fields:
        path, day: the file and its ISO day (empty for a file that is no log).
        line, end_line: its own lines in that file, 1-based.
        text: these lines unchanged, without the last line end.
        said: the same in one line, without bullet, box, marks, time, origin and reference.
        headings: those above it, outermost first; a label such as `**Next:**` is the innermost.
        head: the header of its table, two lines; else empty.
        parent: the index of the entry it is nested in, None for the outermost.
        form: as in core/markdown/markdown.py.
        kind: todo, waiting, done, dropped, decision, rule, lesson, … or None, by its mark or its marker.
        state: OPEN, WAITING, DONE, DROPPED or None, by its marks, its box or its marker.
        sure: MARKED, STRUCTURE or TEXT.
        is_label: whether it only names the entries below it.
        src: the origin of an entry from outside, which has no kind, state, importance or tags.
        whole: the outermost item that it is part of, with all that is nested.
        core: where in `said` its text begins, after a marker (`TODO:`) or the day that compaction added.
    """

    __slots__ = (
        *("_ref", "core", "day", "end_line", "form", "head", "headings", "is_label"),
        *("kind", "line", "parent", "path", "said", "src", "state", "sure", "text", "whole"),
    )

    kind: str | None
    state: str | None
    parent: int | None
    _ref: str

    def __init__(
        self,
        text: str,
        line: int,
        form: str = markdown.ITEM,
        path: str = "",
        day: str = "",
        headings: tuple[str, ...] = (),
        whole: str = "",
    ) -> None:
        self.text = text
        self.line = line
        self.end_line = line + text.count("\n")
        self.form = form
        self.path = path
        self.day = day
        self.headings = headings
        self.whole = whole
        self.head = self.said = self.src = ""
        self.core = 0
        self.kind = self.state = self.parent = None
        self.sure = TEXT
        self.is_label = False

    @property
    def first(self) -> str:
        """The first line of the entry."""
        return self.text.partition("\n")[0]

    @property
    def body(self) -> str:
        """The text of the entry, without the marker it begins with."""
        return self.said[self.core :] if self.core else self.said

    @property
    def time(self) -> str | None:
        """The time of day at the entry's beginning, or in its innermost heading, as `HH:MM`."""
        own = notes.time_in(self.first[:40]) if ":" in self.text else None
        return own or (notes.time_in(self.headings[-1]) if self.headings else None)

    @property
    def importance(self) -> int | None:
        """The entry's importance, 1 to 10; None without one."""
        return None if self.src or "!" not in self.text else notes.importance_in(self.text)

    @property
    def tags(self) -> tuple[str, ...]:
        """The entry's tags: of its headings, then of the outermost item around it: `#private` there hides all of it."""
        if self.src:
            return ()
        return tuple(dict.fromkeys((*notes.tags_in(" ".join(self.headings)), *notes.tags_in(self.whole))))

    @property
    def is_heard(self) -> bool:
        """Return whether a shared audience may see the entry: a shared session wrote it, or its author allows it."""
        if f"#{audience.TAG}" not in self.whole or not self.day:
            return False
        return audience.of_entry(self.whole.partition("\n")[0]) == audience.SHARED

    @property
    def due(self) -> str:
        """The entry's due date (ISO), empty without one: `(due 2026-11-24)`, `📅 …`."""
        return day_in(self.text)

    @property
    def ref(self) -> str:
        """The entry's reference: the written one, else the computed one."""
        try:
            return self._ref
        except AttributeError:
            self._ref = reference.written(self.text) or reference.computed(self.path, self.day, self.said)
            return self._ref

    def longer_ref(self, length: int) -> str:
        """Return the entry's computed reference in more characters; a written one is unchanged."""
        return reference.written(self.text) or reference.computed(self.path, self.day, self.said, length=length)

    @property
    def closes(self) -> tuple[str, ...]:
        """The references of the items that this entry closes."""
        return reference.closes(self.text) if not self.src and "(closes " in self.text else ()


_DUE = Pattern(r"(?:\(due |📅\ufe0f? ?)(20\d\d-[01]\d-[0-3]\d)")
_MARK = Pattern(r"(?<! ) *(?:\(due 20\d\d-[01]\d-[0-3]\d[^()]*\)|📅\ufe0f? ?20\d\d-[01]\d-[0-3]\d)")
_FIGURES = Pattern(r"(?:\(due |📅\ufe0f? ?)(\d[^\s()]*)")
_FOR = Pattern(r"(?<! ) *\(for ([^()\[\]]+)\)(?=$|: )")
"""At the end of the text, or before the note of `done`: within a sentence such brackets are a part of it."""


def day_in(text: str) -> str:
    """Return the due date in a text (ISO); empty without one."""
    match = _DUE.search(text) if "(due " in text or "📅" in text else None
    return match.group(1) if match else ""


def unreadable(text: str) -> str:
    """Return the first due date in a text that the calendar does not have; empty without one."""
    return next(
        (word for word in _FIGURES.findall(text) if not (layout.is_day(word[:10]) and day_in(f"(due {word})"))), ""
    )


def without(text: str) -> tuple[str, str]:
    """Return `text` without its due date and assignee, and the assignee, or empty."""
    if "(due " in text or "📅" in text:
        text = _MARK.sub("", text).lstrip()
    person = _FOR.search(text) if "(for " in text else None
    return (text[: person.start()] + text[person.end() :], person.group(1)) if person else (text, "")


def dated(text: str, day: str, today: str) -> str:
    """Return `text` with its due date as a list shows it: ` [was due 11-24]` at its end.

    It takes the place of a mark at the end that holds this day alone. Unchanged without a due day, and for a later day
    that the text names itself.
    """
    if not day or (day > today and day in text):
        return text
    when = "due today" if day == today else f"{'was due' if day < today else 'due'} {short(day, today)}"
    return f"{text.removesuffix(f' (due {day})').removesuffix(f' 📅 {day}')} [{when}]"


def short(day: str, today: str) -> str:
    """Return a due day without its year if that is the present one."""
    return day[5:] if day[:4] == today[:4] else day


TOPIC_END = ": "
"""What ends the topic of a line of memory/digest.md, which is behind the line's day and a comma."""
_MOST_TITLE_CHARS, _MOST_TOPIC_CHARS, _FEWEST_OUTER_CHARS = 40, 48, 12
_BETWEEN = " · "
_SIGNS_FROM, _SIGNS_TO, _PICTURES_FROM = "\u2190", "\u2bff", "\U0001f000"
_NUMBERING = "0123456789.:)–—- "
_DANGLING = " :,;(–—-→&+"
_MONEY = "$€£¥₹"
_FILLING = frozenset(
    (
        *("key", "new", "important", "insights", "learned", "learnt", "made", "today", "and", "of", "the"),
        *("current", "status"),
    )
)
LOG_WORDS = frozenset(("daily", "memory", "log", "notes", "journal", "diary"))
"""Words of titles that only say what kind of file it is."""
_ZONE = Pattern(r"\d\d?:\d\d\W*(?:UTC|[AP]M|[A-Z]{1,3}T)(?=[^\w\s]| \W|$)")
"""A time of day in a heading, with its zone."""


def is_sign(char: str) -> bool:
    """Return whether a character is a sign or a picture, such as ✅ or an arrow, and no letter, figure or bracket."""
    return _SIGNS_FROM <= char <= _SIGNS_TO or char >= _PICTURES_FROM or char in "\ufe0f\u200d"


def topic(entry: Entry, words: Vocabulary = vocabulary.USUAL, *, most: int = _MOST_TOPIC_CHARS) -> str:
    """Return the topic of an entry, in at most `most` characters: the place that names it and the one around; or empty.

    Places are the item around the entry, and its headings from the innermost on. Their times and numbers are left out.
    A day, a sum of money, the words of a kind ("Key Lessons Learned") and those of the vocabulary's list `open` name
    nothing. The title of the file counts, without its day, if nothing else names the entry, and does not say that it is
    a log. An entry that contains the words of the first place has no topic.
    """
    if entry.path == layout.DIGEST:
        return entry.said[len("2026-10-01, ") : max(entry.core - len(TOPIC_END), 0)]
    item = entry.whole.partition("\n")[0]
    item = item[markdown.marker(item) :]
    item = item.partition("] ")[2] if item.startswith("[") else item
    title, headings = entry.headings[:1], entry.headings[1:]  # the first of several is the title of the file
    places = map(_bare, [*([item] if entry.parent is not None else ()), *reversed(headings or title)])
    named = [*dict.fromkeys(place for place in places if not _names_nothing(place, entry, words))]
    if not named and headings:
        from agentws.core.notes import dates  # few items need the title

        name = _bare(dates.without(title[0]))
        is_name = LOG_WORDS.isdisjoint(name.casefold().split()) and not _names_nothing(name, entry, words)
        named = [name] if is_name else []
    if not named or vocabulary.fold(named[0]) in vocabulary.fold(entry.body):
        return ""
    inner = _cut(named[0], _MOST_TITLE_CHARS)
    room = most - len(inner) - len(_BETWEEN)
    outer = _cut(named[1], room) if named[1:] and room >= _FEWEST_OUTER_CHARS else ""
    is_stub = outer.endswith("…") and len(outer) < _FEWEST_OUTER_CHARS
    return f"{outer}{_BETWEEN}{inner}" if outer and not is_stub else inner


def _bare(place: str) -> str:
    """Return a heading or an item without emphasis, time, number, and the signs at its ends."""
    title = " ".join(place.replace("**", "").split())
    title = (_ZONE.sub("", title) if ":" in title else title).lstrip(_NUMBERING).strip(" :*_-–—")
    while title and is_sign(title[0]):
        title = title[1:].lstrip()
    while title and is_sign(title[-1]):
        title = title[:-1].rstrip()
    return title


def _cut(title: str, most: int) -> str:
    """Return a title of at most `most` characters and an ellipsis, cut between words and not inside brackets."""
    if len(title) <= most:
        return title
    words = title[: most + 1].rpartition(" ")[0]
    for opening, closing in ("()", "[]"):
        if words.rfind(opening) > words.rfind(closing):
            words = words[: words.rfind(opening)]
    return f"{words.rstrip(_DANGLING)}…"


def _names_nothing(title: str, entry: Entry, words: Vocabulary) -> bool:
    bare = vocabulary.bare_title(title)
    file = entry.day or entry.path.rpartition("/")[2].removesuffix(".md").casefold()
    if not bare or file in title.casefold() or vocabulary.day(bare) or any(sign in title for sign in _MONEY):
        return True
    naming = [word for word in bare.split() if word.isalpha() and word not in _FILLING]
    return words.is_open_heading(title) or all(words.kind(word) for word in naming)
