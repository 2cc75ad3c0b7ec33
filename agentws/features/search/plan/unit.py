"""The Unit of search: an entry or turn of a file, or an event of the journal, with its place and its marks."""

from __future__ import annotations

from agentws.core.formats import layout
from agentws.features.search.plan import terms

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Sequence
    from typing import Any

ROOMS = (LOGS, MEMORY, IDENTITY, TASKS, HANDOFFS, CONTEXTS, JOURNAL, DOCUMENTS, DATA) = (
    *("logs", "memory", "identity", "tasks", "handoffs", "contexts", "journal", "documents", "data"),
)
"""The rooms of units: daily logs and their archive, MEMORY.md and notes beside the logs, identity files (with those
that are pinned), and so on.
"""
HEADER, RECORD = "header", "record"
"""Forms: the front matter of a task; and a record that `sql` alone lists and words do not find."""
COLUMNS = (
    *("line", "end_line", "day", "time", "room", "form", "kind", "state", "importance", "tags", "src", "audience"),
    *("headings", "head", "task", "text", "is_first"),
)
"""The fields that are stored, in this order, behind id and path."""
_OVER = ("done", "dropped")
_BETWEEN = "\x1f"
_ROW = "row"


class Unit:
    """One unit of search.

    Fields:
        id: a number; the units before and behind it in the same file have the numbers beside it.
        path, line, end_line: its place in the workspace, lines 1-based.
        day, time: ISO day and `HH:MM`, empty if unknown.
        room: one of ROOMS.
        form: item, paragraph, row, fence, heading, event, header or record.
        kind: decision, lesson, todo, …; of an event its kind; empty without one.
        state: open, waiting, done, dropped, or empty.
        importance: 1 to 10, 0 if it names none.
        tags: without `#`.
        src: its origin if it comes from outside, else empty.
        audience: main or shared.
        headings: those above it, outermost first.
        head: the header of its table; of a header, a record, an event and a row of data its fields as JSON.
        task: the slug of its task, empty for none.
        text: its lines as they are in the file.
        is_first: whether it is the first in its file, or the first under its headings.
    """

    __slots__ = (
        *("_terms", "audience", "day", "end_line", "form", "head", "headings", "id", "importance", "is_first", "kind"),
        *("line", "path", "room", "src", "state", "tags", "task", "text", "time"),
    )

    def __init__(self, number: int, path: str, line: int, end_line: int, text: str) -> None:
        self.id = number
        self.path = path
        self.line = line
        self.end_line = end_line
        self.text = text
        self.day = self.time = self.kind = self.state = self.src = self.head = self.task = ""
        self.room = LOGS
        self.form = "item"
        self.audience = "main"
        self.importance = 0
        self.is_first = False
        self.tags: tuple[str, ...] = ()
        self.headings: tuple[str, ...] = ()
        self._terms: list[str] | None = None

    def __repr__(self) -> str:
        """Return place and text, for messages of failed tests."""
        return f"<{self.path}:{self.line} {self.text!r}>"

    @property
    def is_standing(self) -> bool:
        """Return whether the unit is valid until it is replaced.

        Such a unit is marked as a decision, rule, lesson, preference or fact, or is a line of MEMORY.md, of the notes
        beside the logs or of an identity file.
        """
        if self.src or self.room == JOURNAL or self.is_over:
            return False
        return self.room in (MEMORY, IDENTITY) or self._is_marked

    @property
    def is_over(self) -> bool:
        """Return whether the unit is no longer valid: it left MEMORY.md, or has such a mark and is done or dropped."""
        return self.path == layout.SUPERSEDED or (self.state in _OVER and self._is_marked)

    @property
    def _is_marked(self) -> bool:
        if not self.kind:
            return False
        from agentws.core.formats.documents import managed  # `sql` and `index` do without

        return self.kind in managed.KINDS

    @property
    def terms(self) -> list[str]:
        """The terms of the unit's own text, in order."""
        if self._terms is None:
            self._terms = terms.of(self.text) if self.form != RECORD else []
        return self._terms

    @property
    def indexed(self) -> set[str]:
        """The terms by which the unit is found: those of its text, of its headings and of its table's header."""
        if self.form == RECORD:
            return set()
        above = " ".join((*self.headings[self.room == LOGS :], self.head if self.form == _ROW else ""))
        return _above.both(self.terms, above)

    def row(self) -> tuple[Any, ...]:
        """Return the fields of the unit as they are stored, in the order of COLUMNS."""
        return (
            *(self.line, self.end_line, self.day, self.time, self.room, self.form, self.kind, self.state),
            *(self.importance, " ".join(self.tags), self.src, self.audience, _BETWEEN.join(self.headings)),
            *(self.head, self.task, self.text, int(self.is_first)),
        )


class _Above:
    """A cache for the terms of the headings above a unit: most units share them with the unit before."""

    def __init__(self) -> None:
        self._known: tuple[str, frozenset[str]] = ("", frozenset())

    def both(self, own: Sequence[str], above: str) -> set[str]:
        """Return the terms of a unit with those above it."""
        text, above_terms = self._known
        if text != above:
            above_terms = frozenset(terms.of(above))
            self._known = above, above_terms
        return {*above_terms, *own}


_above = _Above()


def terms_of(row: Sequence[Any]) -> tuple[Collection[str], int]:
    """Return the terms by which the unit of a row is found (`Unit.indexed`), and how many terms its text has."""
    if row[5] == RECORD:
        return (), 0
    own = terms.of(row[15])
    headings = row[12].split(_BETWEEN) if row[12] else []
    above = " ".join((*headings[row[4] == LOGS :], row[13] if row[5] == _ROW else ""))
    return _above.both(own, above), len(own)


def plain(text: str) -> str:
    """Return a text as a unit holds it: bytes that are no UTF-8 become `?`."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-8", "replace").decode()
    return text


def restored(number: int, path: str, row: Sequence[Any]) -> Unit:
    """Return the unit with this number and path from its stored `row`."""
    unit = Unit(number, path, row[0], row[1], row[15])
    unit.day, unit.time, unit.room, unit.form, unit.kind, unit.state, unit.importance = row[2:9]
    unit.tags = tuple(row[9].split())
    unit.src, unit.audience = row[10], row[11]
    unit.headings = tuple(row[12].split(_BETWEEN)) if row[12] else ()
    unit.head, unit.task, unit.is_first = row[13], row[14], bool(row[16])
    return unit
