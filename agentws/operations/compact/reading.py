"""The entries that a run looks at: those of the logs that are due, and of all files that list open items."""

from __future__ import annotations

from typing import TYPE_CHECKING

from agentws.errors import AgentwsError
from agentws.formats import layout
from agentws.formats.documents import document, task
from agentws.operations.compact import inputs
from agentws.planning.compact import digest
from agentws.planning.notes import reading, vocabulary
from agentws.planning.notes.entry import STANDING

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from agentws.planning.compact.fold import Folder
    from agentws.planning.notes.entry import Entry
    from agentws.storage.workspace.stores import Stores


class Logs:
    """The logs that a run compacts: their entries by path, the oldest first, and the `texts` of those that move."""

    def __init__(self, stores: Stores, folder: Folder) -> None:
        self._stores = stores
        self._words = vocabulary.extended(stores.manifest.vocabulary)
        self.due = {file.path: self._read(file.path, file.data, day) for day, file in folder.days}
        moves = [(day, file) for day, file, _ in folder.moves if file.path.startswith(f"{layout.DAYS}/")]
        self.texts = {file.path: file.text for _, file in moves}
        self._moving = [self.due.get(file.path) or self._read(file.path, file.data, day) for day, file in moves]

    def every(self, page: str) -> list[Sequence[Entry]]:
        """Return the entries of all files that list open items: logs, the digest of this text, MEMORY.md, tasks.

        Of logs that do not move only what may close an item of the others, or be the newest next list: there may be
        ten years of them.
        """
        files: list[Sequence[Entry]] = [*self._moving, reading.read(page, path=digest.PATH, words=self._words)]
        asking = [entry for entries in files for entry in entries if entry.state in STANDING and entry.headings]
        titles = {vocabulary.bare_title(entry.headings[-1]) for entry in asking}
        for day, path in inputs.logs(self._stores):
            if path not in self.texts:
                files.append(list(self._telling(self._file(path, day), titles)))
        files.append(self._file(layout.MEMORY))
        names = self._stores.files.listing(layout.TASKS)
        files += [self._file(f"{layout.TASKS}/{name}", is_task=True) for name in names if name.endswith(".md")]
        return files

    def _telling(self, entries: Sequence[Entry], titles: Collection[str]) -> Iterator[Entry]:
        """What says that something is open or over, what is listed under one of these titles or an open heading, and
        one entry of each other list, which keeps the lists apart.
        """
        headings: tuple[str, ...] | None = None
        for entry in entries:
            is_told = entry.state is not None or bool(entry.closes) or entry.headings != headings
            is_listed = any(map(self._words.is_open_heading, entry.headings))
            if is_told or is_listed or (entry.headings and vocabulary.bare_title(entry.headings[-1]) in titles):
                yield entry
            headings = entry.headings

    def _file(self, path: str, day: str = "", *, is_task: bool = False) -> list[Entry]:
        try:
            data = self._stores.files.read(path)
            if is_task and task.Task(path, document.decode(data, where=path)).is_over:
                return []
            return self._read(path, data, day)
        except AgentwsError:  # boot, status and doctor name it
            return []

    def _read(self, path: str, data: bytes, day: str) -> list[Entry]:
        read, _ = document.lenient(data, where=path)  # boot, status and doctor name damage
        return reading.read(read.body, path=path, day=day, words=self._words, first_line=read.body_line)


def closed(files: Collection[Sequence[Entry]]) -> set[str]:
    """Return the references that a line of these files closes."""
    return {ref for entries in files for entry in entries for ref in entry.closes}
