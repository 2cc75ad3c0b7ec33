"""The rows of a file, escaped, and the same remembered as plain values while it does not change. Pure.

An index can be lost at any time: what it does not know is read again, and is the same.
"""

from __future__ import annotations

from agentws.formats.markdown import inset, markdown, notes, quotation
from agentws.formats.text.sanitize import inert
from agentws.planning.boot import rows
from agentws.planning.boot.request import CONTEXT, DAY, DIGEST, IDENTITY, INSTRUCTIONS, MEMORY, PINNED, USER
from agentws.planning.notes import entry, reading
from agentws.planning.tokens.counters import ByLines

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from agentws.planning.boot.request import Request, Source
    from agentws.planning.boot.rows import Row
    from agentws.planning.notes.entry import Entry
    from agentws.ports import TokenCounter

    File = dict[str, Any]

_LASTING = (IDENTITY, USER, INSTRUCTIONS, MEMORY, PINNED, CONTEXT, DAY)
_WORTH_WRITING = 16
"""A file that has changed is read again at each boot until so many-th part of all is new: writing has its cost too."""


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
        """Return all of it as plain values, where nothing is hidden."""
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


class Index:
    """Files by role and path: what was read of each, with a digest of its content.

    The newest log is not remembered: the next line changes it.
    """

    __slots__ = ("_counter", "_files", "_known", "_learned", "_salt", "_sizes")

    def __init__(
        self, known: dict[str, File] | None = None, *, salt: str = "", counter: TokenCounter | None = None
    ) -> None:
        """Begin with what is `known`, if anything; `salt` is what an entry depends on besides the file; `counter` is
        the one whose counts are remembered too.
        """
        self._known = known or {}
        self._salt = salt
        self._counter = counter if isinstance(counter, ByLines) else None
        self._files: dict[str, File] = {}
        self._sizes: dict[str, int] = {}
        self._learned: set[str] = set()

    def recognise(self, sources: Sequence[Source]) -> None:
        """Note which of these files are as they were: what was hidden in them is hidden again."""
        newest = next((source for source in sources if source.role == DAY), None)
        for source in sources:
            if source.role not in _LASTING or source is newest:
                continue
            seal = source.seal(self._salt)
            key = _key(source)
            file = self._known.get(key)
            if file and file["seal"] == seal:
                source.take(file["text"], file["hidden"])
                self._count(source.text, file, "cost")
            else:
                file = {"seal": seal, "text": source.text if source.hidden else None, "hidden": source.hidden}
            self._files[key] = file
            self._sizes[key] = len(source.text)

    def page(self, source: Source, request: Request) -> Page:
        """The page of a file."""
        file = self._files.get(_key(source), {})
        if "page" in file:
            page = Page.restored(file["page"])
            self._count(page.text, file, "cost of page")
            return page
        page = Page(source, request)
        if file:
            file["page"] = page.plain()
            self._learned.add(_key(source))
        return page

    def entries(self, source: Source, request: Request) -> list[Entry]:
        """The entries of a file."""
        file = self._files.get(_key(source), {})
        day = source.brief if source.role == DAY else ""
        if "entries" in file:
            return entry.restored(file["entries"], source.text, path=source.path, day=day)
        found = reading.read(source.text, path=source.path, day=day, words=request.words)
        if file:
            file["entries"] = entry.plain(found, source.text)
            self._learned.add(_key(source))
        return found

    def ranked(self, source: Source, make: Callable[[], list[int]]) -> list[int]:
        """The rows of a file in the order that `make` gives them."""
        file = self._files.get(_key(source), {})
        if "ranked" in file:
            return list(file["ranked"])
        found = make()
        if file:
            file["ranked"] = found
            self._learned.add(_key(source))
        return found

    def worth_keeping(self, sources: Sequence[Source]) -> dict[str, File] | None:
        """Return what is known of these files; None where too little is new to be worth writing."""
        learned = sum(self._sizes[key] for key in self._learned)
        if not learned or learned * _WORTH_WRITING < sum(self._sizes.values()):
            return None
        for source in sources:
            file = self._files.get(_key(source))
            if file and self._counter:
                page = file["page"][1] if "page" in file else ""
                for name, text in (("cost", source.text), ("cost of page", page)):
                    if text in self._counter.totals:
                        file.setdefault(name, {})[self._counter.name] = self._counter.totals[text]
        return self._files

    def _count(self, text: str, file: File, name: str) -> None:
        """Let the counter know what a text costs."""
        counter = self._counter
        cost = file.get(name, {}).get(counter.name) if counter else None
        if counter and cost is not None:
            counter.totals[text] = cost


def _key(source: Source) -> str:
    """A log that is pinned is told twice, whole and as a day: each way by itself."""
    return f"{source.role}:{source.path}"
