"""Files whose folders are opened once: for whoever asks for many files of few folders in one go."""

from __future__ import annotations

import os

from agentws.core.disk.files import FOLDER, Files


class Held(Files):
    """Files that keep every folder open until `close`. What is put in the place of a folder meanwhile is not seen."""

    __slots__ = ("_open",)

    def __init__(self, root: str) -> None:
        super().__init__(root)
        self._open: dict[str, int] = {}

    def _folder(self, names: list[str]) -> int:
        path = "/".join(names)
        if path not in self._open:
            if names:
                above = self._folder(names[:-1])
                self._open[path] = os.open(names[-1], FOLDER | os.O_NOFOLLOW, dir_fd=above)
            else:
                self._open[path] = super()._folder(names)
        return self._open[path]

    def folder(self, path: str) -> int:
        """The descriptor of a folder (the root is empty), open until `close`."""
        return self._folder(path.split("/") if path else [])

    def _leave(self, folder: int) -> None:
        """It stays open until all is done."""

    def close(self) -> None:
        """Close every folder."""
        for folder in self._open.values():
            os.close(folder)
        self._open.clear()


def over(files: Files) -> Files:
    """The same files with their folders kept open, until `let_go`; those that are a view of others as they are."""
    return Held(files.root) if type(files) is Files else files


def let_go(files: Files) -> None:
    """Close what `over` has opened."""
    if isinstance(files, Held):
        files.close()
