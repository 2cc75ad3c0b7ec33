"""The entries that a run looks at: those of the logs that are due, and of all files that list open items."""

from __future__ import annotations

from typing import TYPE_CHECKING

from agentws.errors import AgentwsError
from agentws.formats import layout
from agentws.formats.documents import document, task
from agentws.planning.compact import digest
from agentws.planning.notes import reading, vocabulary

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from agentws.planning.compact.fold import Folder
    from agentws.planning.notes.entry import Entry
    from agentws.storage.workspace.stores import Stores


class Logs:
    """The logs that a run compacts: their entries by path, the oldest first, and `moving`, the paths that move."""

    def __init__(self, stores: Stores, folder: Folder) -> None:
        self._stores = stores
        self._words = vocabulary.extended(stores.manifest.vocabulary)
        self.due = {file.path: self._read(file.path, file.data, day) for day, file in folder.days}
        moves = [(day, file) for day, file, _ in folder.moves if file.path.startswith(f"{layout.DAYS}/")]
        self.moving = {file.path for _, file in moves}
        self.texts = {file.path: file.text for _, file in moves}
        self._moving = {
            file.path: self.due.get(file.path) or self._read(file.path, file.data, day) for day, file in moves
        }

    def every(self, page: str) -> list[Sequence[Entry]]:
        """Return the entries of all files that list open items: logs, the digest of this text, MEMORY.md, tasks."""
        files: list[Sequence[Entry]] = [*self._moving.values(), reading.read(page, path=digest.PATH, words=self._words)]
        names = self._stores.files.listing(layout.DAYS)
        logs = [(f"{layout.DAYS}/{name}", layout.day_of(name) or "") for name in names if layout.day_of(name)]
        files += [self._file(path, day) for path, day in logs if path not in self.moving]
        files.append(self._file(layout.MEMORY))
        names = self._stores.files.listing(layout.TASKS)
        files += [self._file(f"{layout.TASKS}/{name}", is_task=True) for name in names if name.endswith(".md")]
        return files

    def _file(self, path: str, day: str = "", *, is_task: bool = False) -> list[Entry]:
        try:
            data = self._stores.files.read(path)
            if is_task and task.Task(path, document.decode(data, where=path)).is_over:
                return []
            return self._read(path, data, day)
        except AgentwsError:  # boot, status and doctor name it
            return []

    def _read(self, path: str, data: bytes, day: str) -> list[Entry]:
        try:
            read = document.decode(data, where=path)
        except AgentwsError:  # front matter that cannot be read is text
            return reading.read(data.decode("utf-8", "replace"), path=path, day=day, words=self._words)
        return reading.read(read.body, path=path, day=day, words=self._words, first_line=read.body_line)


def closed(files: Collection[Sequence[Entry]]) -> set[str]:
    """Return the references that a line of these files closes."""
    return {ref for entries in files for entry in entries for ref in entry.closes}
