"""An entry of a note: its text, marks, state and headings."""

from __future__ import annotations

from agentws.core.formats import audience
from agentws.core.markdown import markdown, notes
from agentws.core.notes import due, reference

TYPE_CHECKING = False

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
        return due.day_in(self.text)

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
