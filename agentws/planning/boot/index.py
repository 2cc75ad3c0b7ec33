"""What was read of files that have not changed since an earlier boot: their rows and entries, as plain values. Pure.

An index can be lost at any time: what it does not know is read again, and is the same.
"""

from __future__ import annotations

from agentws.planning.boot.page import Page
from agentws.planning.notes import entry, reading
from agentws.planning.request import CONTEXT, DAY, IDENTITY, INSTRUCTIONS, MEMORY, PINNED, USER
from agentws.planning.tokens import ByLines

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from agentws.planning.notes.entry import Entry
    from agentws.planning.request import Request, Source
    from agentws.ports import TokenCounter

    File = dict[str, Any]

_LASTING = (IDENTITY, USER, INSTRUCTIONS, MEMORY, PINNED, CONTEXT, DAY)
_WORTH_WRITING = 16
"""A file that has changed is read again at each boot until so many-th part of all is new: writing has its cost too."""


class Index:
    """Knows files by their role and path: what was found when they were read, with a digest of what stood there.

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
        """What is known now of these files, None where so little of it is new that writing it costs more."""
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
