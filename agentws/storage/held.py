"""Files whose folders are opened once: for whoever asks for many files of few folders in one go."""

from __future__ import annotations

import os
from contextlib import contextmanager

from agentws.storage.files import Files

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator


class Held(Files):
    """Files that keep every folder open until `close`. What is put in the place of a folder meanwhile is not seen."""

    __slots__ = ("_open",)

    def __init__(self, root: str) -> None:
        super().__init__(root)
        self._open: dict[str, int] = {}

    def _folder(self, names: list[str]) -> int:
        path = "/".join(names)
        if path not in self._open:
            self._open[path] = super()._folder(names)
        return self._open[path]

    def _leave(self, folder: int) -> None:
        """It stays open until all is done."""

    def close(self) -> None:
        """Close every folder."""
        for folder in self._open.values():
            os.close(folder)
        self._open.clear()


@contextmanager
def over(files: Files) -> Iterator[Files]:
    """The same files, their folders kept open within a `with` block; those that are a view of others as they are."""
    if type(files) is not Files:
        yield files
        return
    kept = Held(files.root)
    try:
        yield kept
    finally:
        kept.close()
