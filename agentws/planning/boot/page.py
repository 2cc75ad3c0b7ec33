"""A source as boot may show it: escaped, its headings taken down, in rows, without what is not for the audience."""

from __future__ import annotations

from agentws.formats import inset, markdown, notes, quotation
from agentws.formats.inert import inert
from agentws.planning.boot import rows
from agentws.planning.request import DAY, DIGEST, MEMORY, USER

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from agentws.planning.boot.rows import Row
    from agentws.planning.request import Request, Source

_HIDDEN_FROM_SHARED = (USER, MEMORY, DIGEST)


class Page:
    """Fields:
    own_title: the heading of level 1 that the file begins with.
    text: all of it as it would be shown.
    rows: the same in rows; `telling` are the indices of those that may be shown for themselves.
    first: the number of the line of the file that the first line of `text` is, 1-based.
    hidden: how many entries are not for a shared audience; `of`: how many there are.
    """

    __slots__ = ("first", "hidden", "of", "own_title", "rows", "telling", "text")

    def __init__(self, source: Source, request: Request) -> None:
        plain = inert(source.text)
        self.own_title, text = markdown.nested(plain)
        above = plain.count("\n") - text.count("\n")
        stem = source.path.partition(".")[0].casefold()
        if not text.strip() and self.own_title.casefold() not in (stem, ""):  # all that the file says is its title
            text, above = f"{self.own_title}\n", 0
        text = inset.text(text)
        self.first = above + len(text) - len(text.lstrip("\n")) + 1
        text = text.strip("\n") + "\n" if text.strip("\n") else ""  # as it will be shown: it is counted once
        self.text, _ = quotation.of(text, day=source.brief if source.role == DAY else "")
        self.rows = rows.of(self.text)
        self.of = len({row.unit for row in self.rows})
        hidden = self._hidden(source, request)
        self.hidden = len(hidden)
        self.telling = [at for at in rows.telling(self.rows) if self.rows[at].unit not in hidden]

    @classmethod
    def restored(cls, told: Sequence[Any]) -> Page:
        """The page of which `plain` told this."""
        page = cls.__new__(cls)
        page.own_title, page.text, page.first, page.of, page.telling, fields = told
        page.hidden = 0
        page.rows = rows.restored(fields, page.text)
        return page

    def plain(self) -> list[object]:
        """All of it as plain values, where nothing is hidden."""
        return [self.own_title, self.text, self.first, self.of, self.telling, rows.plain(self.rows, self.text)]

    def line(self, at: int) -> int:
        """The number of the line of the file where a row begins, 1-based."""
        return self.rows[at].line + self.first

    def _hidden(self, source: Source, request: Request) -> set[int]:
        """The numbers of the entries that are not for a shared audience."""
        if not request.shared:
            return set()
        labels = request.private_tags
        is_private = any(label in labels for label in source.labels) or notes.has_label(self.own_title, labels)
        if is_private or source.role in _HIDDEN_FROM_SHARED:
            return {row.unit for row in self.rows}
        return {row.unit for row in self.rows if notes.has_label(self._with_headings(row), labels)}

    def _with_headings(self, row: Row) -> str:
        text = row.text
        at = row.above
        while at != rows.NOTHING:
            text = f"{self.rows[at].text}{text}"
            at = self.rows[at].above if self.rows[at].above != rows.NOTHING else self._outer(at)
        return text

    def _outer(self, at: int) -> int:
        row = self.rows[at]
        if row.kind != markdown.HEADING:
            return row.heading
        return next(
            (
                index
                for index in range(at - 1, -1, -1)
                if self.rows[index].kind == markdown.HEADING and self.rows[index].level < row.level
            ),
            rows.NOTHING,
        )
