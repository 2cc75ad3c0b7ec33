"""Candidates of compacted days for MEMORY.md or the digest: lines that mean the same are one. Pure.

What counts is said by marks, by the word a line begins with, or by its heading, in any language; never by a word inside
a sentence.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from agentws.formats import origin
from agentws.formats.documents import managed
from agentws.formats.markdown import markdown
from agentws.planning.compact import withheld
from agentws.planning.compact.units import Source
from agentws.planning.notes import entry as note
from agentws.planning.notes import reading, vocabulary

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Sequence

    from agentws.planning.compact.units import Day
    from agentws.planning.notes.entry import Entry
    from agentws.planning.notes.vocabulary import Vocabulary

MARKED, MARKER, HEADING, NONE = 3, 2, 1, 0
"""How a line says that it counts: by a mark of its own, by the word it begins with, by its heading, or not at all."""
FEWEST_DAYS = 3
"""What is said on so many days counts too."""
IMPORTANT = 7
"""From this importance on, a line counts whatever its kind is."""
_SHORTEST_CHARS, _SHORTEST_ITEM_CHARS = (20, 5), (10, 3)
"""How long a line is at least, and how long an item under a heading that counts: in ASCII, in other scripts."""
_LONGEST_CHARS = 300
_FEWEST_WORDS = (4, 3)
"""A line that is shorter says something where it has so many words, and was said on several days: likewise."""
_LONGEST_MARKED_CHARS = 600
_ENOUGH, _SHORT = 1, 2
_OPEN_KINDS = ("todo", "waiting")
_DONE, _CROSS = "✅", "❌"
"""The marks without which a line that is done, or crossed, would say something else."""


class Candidate:
    """A line that may be kept, with all lines that say the same.

    Fields:
        entry: its newest wording.
        text: the same, as a bullet says it.
        key: by which lines that say the same are one: all that is read of them, folded.
        kind: the kind that it has, `fact` without one.
        strength: MARKED, MARKER, HEADING or NONE.
        importance: 1 to 10, 0 where it names none.
        days: on which it was said; empty where that is not known.
        sources: the lines that say it, the newest first.
        src: the lowest source of them.
        place: how many stand before it in its list, where its heading alone says that it counts.
        made: the digest of the entry that says it in MEMORY.md; waits: that of the line in the digest.
        is_short: whether it says something only where it was said on several days.
        is_outside: whether it comes from outside.
        is_nested: whether it only says more of the item that it stands below.
        queued: the digest of the line that found no room in an earlier run.
        refs: the references under which its lines are known, the newest last.
    """

    __slots__ = (
        *(
            "_name",
            "_said",
            "days",
            "entry",
            "importance",
            "is_nested",
            "is_outside",
            "is_short",
            "key",
            "kind",
            "known_refs",
        ),
        *("made", "place", "queued", "sources", "src", "strength", "text", "waits"),
    )

    def __init__(self, entry: Entry, text: str = "", *, strength: int = NONE, src: str = origin.UNKNOWN) -> None:
        self.entry = entry
        self.text = text or _told(entry)
        self.key = _key(self.text)
        self._name = ""
        self.kind = entry.kind if entry.kind in managed.KINDS else "fact"
        self.strength = strength
        self.importance = entry.importance or 0
        self.days: set[str] = {entry.day} if entry.day else set()
        self.sources = [Source(entry.path, entry.line, entry.end_line)] if entry.day else []
        self.src = src
        self.is_outside = src != origin.UNKNOWN and origin.is_outside(src)
        self.is_short = self.is_nested = False
        self.made = self.waits = self.queued = ""
        self.place = 0
        self.known_refs: tuple[str, ...] = ()
        self._said = [entry]

    @property
    def day(self) -> str:
        """The newest day on which it was said, empty where that is not known."""
        return max(self.days, default="")

    @property
    def counts(self) -> bool:
        """Return whether it may stand in MEMORY.md: it is marked, or was said on several days."""
        if self.is_outside or self.entry.state is not None:
            return False
        return self.strength > NONE or len(self.days) >= FEWEST_DAYS

    @property
    def name(self) -> str:
        """The digest by which the line is known as an entry."""
        if not self._name:
            self._name = managed.of_text(self.text)
        return self._name

    @property
    def refs(self) -> tuple[str, ...]:
        """The references under which its lines are known, the newest last: a later line may close any of them."""
        return tuple(dict.fromkeys((*self.known_refs, *(entry.ref for entry in self._said))))

    @property
    def said(self) -> list[Entry]:
        """The entries of all its wordings, the newest first."""
        return self._said

    def join(self, other: Candidate) -> None:
        """Take in what says the same on another day."""
        self.days |= other.days
        self.sources += [one for one in other.sources if one not in self.sources]
        if other.src != self.src:
            self.src = origin.lowest((self.src, other.src))
            self.is_outside = origin.is_outside(self.src)
        self.importance = max(self.importance, other.importance)
        if other.strength > self.strength:
            self.strength, self.kind = other.strength, other.kind
        self.made, self.waits = self.made or other.made, self.waits or other.waits
        self.is_short = self.is_short and other.is_short
        self.is_nested = self.is_nested and other.is_nested
        self.queued = self.queued or other.queued
        self.known_refs = (*self.known_refs, *other.known_refs)
        self._said += other._said


def read(days: Sequence[Day], words: Vocabulary = vocabulary.USUAL) -> list[list[Entry]]:
    """Return the entries of each of these days, in their order."""
    return [reading.read(day.text, path=day.path, day=day.day, words=words) for day in days]


def of(
    files: Iterable[Sequence[Entry]],
    *,
    private_tags: Collection[str],
    hidden: withheld.Secrets,
    words: Vocabulary = vocabulary.USUAL,
    keys: Collection[str] | None = None,
) -> list[Candidate]:
    """Return what may be kept of these entries, in order; `private_tags` in lower case.

    With `keys` only what has one of them.
    """
    found = []
    for entries in files:
        taken: set[int] = set()
        nested: set[int] = set()
        doubtful = withheld.doubtful(entries, private_tags, hidden) if keys is None else range(len(entries))
        places: dict[tuple[str, ...], int] = {}
        for at, entry in enumerate(entries):
            if entry.parent is not None and (entry.parent in nested or not entries[entry.parent].is_label):
                nested.add(at)
            strength = strength_of(entry, words)
            if entry.parent in taken and strength < MARKER:
                taken.add(at)  # it says more of what is kept already
                continue
            length = _length(entry, strength)
            if not length or (keys is not None and _key(_told(entry)) not in keys):
                continue
            if at in doubtful and withheld.is_withheld(entry, private_tags, hidden):
                continue
            if strength < MARKED and withheld.is_template(entry.text):
                continue
            one = Candidate(entry, strength=strength, src=entry.src or origin.UNKNOWN)
            one.is_short, one.is_nested = length == _SHORT, at in nested
            found.append(one)
            if strength:
                taken.add(at)
            if strength == HEADING:
                one.place = places[entry.headings] = places.get(entry.headings, -1) + 1
    return found


def united(found: Iterable[Candidate]) -> list[Candidate]:
    """Return them with those that say the same in one, in the order in which each stands last."""
    known: dict[tuple[str, bool], Candidate] = {}
    for one in found:
        key = (one.key, one.is_outside)  # a voice from outside confirms nothing
        first, last = one, known.pop(key, None)
        if last is not None and (last.made or (last.waits and not one.made)):
            first, last = last, one  # its words are known by their digest
        if last is not None:
            first.join(last)
        known[key] = first
    return list(known.values())


def strength_of(entry: Entry, words: Vocabulary = vocabulary.USUAL) -> int:
    """Return how an entry says that it counts."""
    if entry.src or entry.is_label or entry.state is not None:
        return NONE
    if (entry.importance or 0) >= IMPORTANT:
        return MARKED
    if entry.kind not in managed.KINDS:
        return NONE
    if entry.sure == note.MARKED:
        return MARKED
    if entry.form not in (markdown.ITEM, markdown.PARAGRAPH):
        return NONE
    if entry.core or words.marker(entry.said):
        return MARKER
    return HEADING if entry.form == markdown.ITEM or entry.kind == "rule" else NONE


def _length(entry: Entry, strength: int) -> int:
    """Return whether a line is long enough to say something: _ENOUGH, _SHORT, or 0 where it says nothing."""
    if entry.form not in (markdown.ITEM, markdown.PARAGRAPH) or entry.is_label:
        return 0
    if is_box(entry) or entry.state == note.DROPPED:
        return 0
    body = entry.body
    if strength >= MARKER:
        return _ENOUGH if len(body) <= _LONGEST_MARKED_CHARS and any(map(str.isalnum, body)) else 0
    if len(body) > _LONGEST_CHARS or body.endswith((":", "：")):
        return 0
    if strength:  # an address, or what only stands for something else, is no item of its own
        body = "" if body[0] == "[" and body[-1] == "]" else _without_addresses(body)
    shortest = _SHORTEST_ITEM_CHARS if strength else _SHORTEST_CHARS
    script = not body.isascii()
    if len(body) >= shortest[script]:
        return _ENOUGH
    return _SHORT if not strength and len(entry.words) >= _FEWEST_WORDS[script] else 0


def _without_addresses(body: str) -> str:
    return " ".join(word for word in body.split() if "://" not in word) if "://" in body else body


def _told(entry: Entry) -> str:
    text = " ".join(entry.body.split())
    if entry.state == note.DONE and entry.sure == note.MARKED:
        return f"{text} {_DONE}"
    is_crossed = entry.state is None and _CROSS in entry.first and _CROSS not in text
    return f"{_CROSS} {text}" if is_crossed else text


def _key(text: str) -> str:
    return "".join(text.casefold().split()).strip("*_.:;!。！")


def boxes(entries: Iterable[Entry]) -> Iterator[Entry]:
    """Return what is open by a mark of its own."""
    return filter(is_box, entries)


def is_box(entry: Entry) -> bool:
    """Return whether an entry is open by a mark or its first word; what comes from outside asks for nothing."""
    is_said = entry.sure == note.MARKED or (entry.core > 0 and entry.kind in _OPEN_KINDS)
    return entry.state in note.STANDING and is_said and not entry.src and bool(entry.body)
