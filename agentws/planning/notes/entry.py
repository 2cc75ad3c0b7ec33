"""One entry of a note, and what it says about itself."""

from __future__ import annotations

from agentws.formats import audience
from agentws.formats.markdown import markdown, notes
from agentws.planning.notes import due, identifiers, reference, similarity

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

OPEN, WAITING, DONE, DROPPED = notes.OPEN, notes.WAITING, notes.DONE, notes.DROPPED
"""States. An entry that says nothing about it has None."""
STANDING = (OPEN, WAITING)
OVER = (DONE, DROPPED)
MARKED, STRUCTURE, TEXT = "marked", "structure", "text"
"""How sure kind and state are: by a mark of its own, by the marker that it begins with (`TODO:`), or not at all."""


_USUAL: dict[str, object] = {
    "core": 0,
    "form": markdown.ITEM,
    "head": "",
    "is_label": False,
    "kind": None,
    "parent": None,
    "src": "",
    "state": None,
    "sure": TEXT,
}
"""What most entries have, so that only other values are remembered; the other fields differ from entry to entry."""


class Entry:
    """A list item without its nested items, a paragraph, a table row, a fence, or a heading with nothing below it.

    Fields:
        path, day: the file and its ISO day (empty for a file that is no log).
        line, end_line: its own lines in that file, 1-based.
        text: these lines as they stand, without the last line end.
        said: the same in one line, without bullet, box, marks, time, origin and reference.
        headings: those above it, outermost first; a label such as `**Next:**` is the innermost.
        head: the header of its table, two lines; else empty.
        parent: the index of the entry it is nested in, None for the outermost.
        form: as in formats/markdown/markdown.py.
        kind: todo, waiting, done, dropped, decision, rule, lesson, … or None, by its mark or its marker.
        state: OPEN, WAITING, DONE, DROPPED or None, by its marks, its box or its marker.
        sure: MARKED, STRUCTURE or TEXT.
        is_label: whether it only names what stands below it.
        src: the origin, where it comes from outside; then no kind, state, importance, tags.
        whole: the outermost item that it is part of, with all that is nested.
        core: where in `said` its text begins, behind a marker (`TODO:`) or the day that compaction put there.
    """

    __slots__ = (
        *("_exact", "_ref", "_words", "core", "day", "end_line", "form", "head", "headings", "is_label"),
        *("kind", "line", "parent", "path", "said", "src", "state", "sure", "text", "whole"),
    )

    is_urgent = False
    kind: str | None
    state: str | None
    parent: int | None
    _exact: tuple[str, ...]
    _words: tuple[str, ...]
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

    def __repr__(self) -> str:
        """The place and what it says, for whoever looks at a failed test."""
        return f"<{self.path}:{self.line} {self.state} {self.kind} {self.sure} {self.said!r}>"

    @property
    def first(self) -> str:
        """The first line."""
        return self.text.partition("\n")[0]

    @property
    def body(self) -> str:
        """The text of the entry, without the marker it begins with."""
        return self.said[self.core :] if self.core else self.said

    @property
    def time(self) -> str | None:
        """The time of day that it begins with, or that its innermost heading names, as `HH:MM`."""
        own = notes.time_in(self.first[:40]) if ":" in self.text else None
        return own or (notes.time_in(self.headings[-1]) if self.headings else None)

    @property
    def importance(self) -> int | None:
        """1 to 10, None where it names none."""
        return None if self.src or "!" not in self.text else notes.importance_in(self.text)

    @property
    def tags(self) -> tuple[str, ...]:
        """The tags of its headings, then those of the outermost item that it is part of: `#private` hides all of it."""
        if self.src:
            return ()
        return tuple(dict.fromkeys((*notes.tags_in(" ".join(self.headings)), *notes.tags_in(self.whole))))

    @property
    def is_heard(self) -> bool:
        """Return whether a session that others hear wrote it, or its author lets them."""
        if f"#{audience.TAG}" not in self.whole or not self.day:
            return False
        return audience.of_entry(self.whole.partition("\n")[0]) == audience.SHARED

    @property
    def due(self) -> str:
        """The day by which it is to be done (ISO), as a mark of it says, else empty."""
        return due.marked(self.text)

    @property
    def identifiers(self) -> tuple[str, ...]:
        """The exact names in it, folded for comparison (planning/notes/identifiers.py)."""
        try:
            return self._exact
        except AttributeError:
            self._exact = identifiers.of(self.body)
            return self._exact

    @property
    def words(self) -> tuple[str, ...]:
        """The words for comparison (planning/notes/similarity.py)."""
        try:
            return self._words
        except AttributeError:
            self._words = similarity.words(self.body)
            return self._words

    @property
    def ref(self) -> str:
        """The reference written in it, else the computed one."""
        try:
            return self._ref
        except AttributeError:
            self._ref = reference.written(self.text) or reference.computed(self.path, self.day, self.said)
            return self._ref

    def longer_ref(self, length: int) -> str:
        """The computed reference in more characters; a written one stays as it is."""
        return reference.written(self.text) or reference.computed(self.path, self.day, self.said, length=length)

    @property
    def closes(self) -> tuple[str, ...]:
        """The references that it says are over by it."""
        return reference.closes(self.text) if not self.src and "(closes " in self.text else ()


def plain(entries: Sequence[Entry], text: str) -> list[object]:
    """The fields of the entries of a file with this text, as plain values: `restored` makes the same entries of them.

    What stands in the text is not said again: an entry's own lines, how much of them ends what it says, its headings.
    """
    headings = list(dict.fromkeys(entry.headings for entry in entries))
    places = {path: at for at, path in enumerate(headings)}
    stood = text.split("\n")
    texts = [None if entry.text == _lines(stood, entry) else entry.text for entry in entries]
    wholes = [None if entry.whole == entry.text else entry.whole for entry in entries]
    said = [len(entry.said) if entry.text.endswith(entry.said) else entry.said for entry in entries]
    fields = [sparse([getattr(entry, name) for entry in entries], usual) for name, usual in _USUAL.items()]
    lines = [[entry.line for entry in entries], [entry.end_line for entry in entries]]
    return [
        headings,
        [places[entry.headings] for entry in entries],
        sparse(texts),
        sparse(wholes),
        said,
        *lines,
        *fields,
    ]


def restored(told: Sequence[Sequence[Any]], text: str, *, path: str, day: str) -> list[Entry]:
    """The entries of the file at `path` with this text, whose fields are `told`."""
    headings = [tuple(path) for path in told[0]]
    lines = text.split("\n")
    found = []
    places, texts, wholes, says, starts, ends = told[1], full(told[2]), full(told[3]), *told[4:7]
    fields = [full(told[at], usual) for at, usual in enumerate(_USUAL.values(), start=7)]
    for place, own, whole, said, line, end_line, *values in zip(
        places, texts, wholes, says, starts, ends, *fields, strict=True
    ):
        entry = Entry.__new__(Entry)
        entry.path, entry.day, entry.headings = path, day, headings[place]
        entry.line, entry.end_line = line, end_line
        (
            entry.core, entry.form, entry.head, entry.is_label, entry.kind,
            entry.parent, entry.src, entry.state, entry.sure,
        ) = values  # fmt: skip
        entry.text = _lines(lines, entry) if own is None else own
        entry.whole = entry.text if whole is None else whole
        entry.said = said if isinstance(said, str) else entry.text[len(entry.text) - said :]
        found.append(entry)
    return found


def sparse(values: Sequence[object], usual: object = None) -> list[object]:
    """A column as plain values: how long it is, and where another value than the usual one stands, and which."""
    others = [at for at, value in enumerate(values) if value != usual]
    return [len(values), others, [values[at] for at in others]]


def full(told: Sequence[Any], usual: object = None) -> list[Any]:
    """The column of which `sparse` told this."""
    count, places, others = told
    found = [usual] * count
    for at, value in zip(places, others, strict=True):
        found[at] = value
    return found


def _lines(lines: Sequence[str], entry: Entry) -> str:
    """The lines of a file that are an entry's own."""
    if entry.end_line == entry.line:
        return lines[entry.line - 1]
    return "\n".join(lines[entry.line - 1 : entry.end_line])
