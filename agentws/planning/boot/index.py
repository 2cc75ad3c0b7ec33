"""What was read of files that have not changed since an earlier boot: their rows and entries, as plain values. Pure.

An index can be lost at any time: what it does not know is read again, and is the same.
"""

from __future__ import annotations

from agentws.planning.boot.page import Page
from agentws.planning.notes import entry, reading
from agentws.planning.request import CONTEXT, DAY, IDENTITY, INSTRUCTIONS, MEMORY, PINNED, USER

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from agentws.planning.notes.entry import Entry
    from agentws.planning.request import Request, Source

_LASTING = (IDENTITY, USER, INSTRUCTIONS, MEMORY, PINNED, CONTEXT, DAY)
_PAGE, _ENTRIES = 1, 2
_WORTH_WRITING = 16
"""A file that has changed is read again at each boot until so many-th part of all is new: writing has its cost too."""


class Index:
    """Knows files by their path: a digest of what stood there, the page and the entries that were read of it.

    The newest log is not remembered: the next line changes it.
    """

    __slots__ = ("_files", "_known", "_learned", "_salt", "_sizes")

    def __init__(self, known: dict[str, list[Any]] | None = None, *, salt: str = "") -> None:
        """Begin with what is `known`, if anything; `salt` is what an entry depends on besides the file."""
        self._known = known or {}
        self._salt = salt
        self._files: dict[str, list[Any]] = {}
        self._sizes: dict[str, int] = {}
        self._learned: set[str] = set()

    def recognise(self, sources: Sequence[Source]) -> None:
        """Note which of these files are as they were; what had no secret then has none now."""
        newest = next((source for source in sources if source.role == DAY), None)
        for source in sources:
            if source.role not in _LASTING or source is newest:
                continue
            seal = source.seal(self._salt)
            found = self._known.get(source.path)
            if found and found[0] == seal:
                source.take_as_clean()
            elif source.hidden:
                continue
            else:
                found = [seal, None, None]
            self._files[source.path] = found
            self._sizes[source.path] = len(source.text)

    def page(self, source: Source, request: Request) -> Page:
        """The page of a file."""
        file = self._files.get(source.path)
        if file and file[_PAGE]:
            return Page.restored(file[_PAGE])
        page = Page(source, request)
        if file:
            file[_PAGE] = page.plain()
            self._learned.add(source.path)
        return page

    def entries(self, source: Source, request: Request) -> list[Entry]:
        """The entries of a file."""
        file = self._files.get(source.path)
        day = source.brief if source.role == DAY else ""
        if file and file[_ENTRIES]:
            return entry.restored(file[_ENTRIES], path=source.path, day=day)
        found = reading.read(source.text, path=source.path, day=day, words=request.words)
        if file:
            file[_ENTRIES] = entry.plain(found)
            self._learned.add(source.path)
        return found

    def worth_keeping(self) -> dict[str, list[Any]] | None:
        """What is known now, None where so little of it is new that writing it costs more than it saves."""
        learned = sum(self._sizes[path] for path in self._learned)
        return self._files if learned and learned * _WORTH_WRITING >= sum(self._sizes.values()) else None
