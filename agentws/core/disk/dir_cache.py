"""Files with cached folder descriptors, for reading many files of few folders at once."""

from __future__ import annotations

import os

from agentws.core.disk.files import FOLDER, REFUSED, Exact, Files, failure


class Held(Files):
    """Files that cache the descriptor of every opened folder until `close`. Replacing a folder is not noticed."""

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
        """Return the cached descriptor of a folder (the root is empty), open until `close`."""
        return self._folder(path.split("/") if path else [])

    def _leave(self, folder: int) -> None:
        """Keep the folder open until `close`."""

    def close(self) -> None:
        """Close all cached folder descriptors."""
        for folder in self._open.values():
            os.close(folder)
        self._open.clear()


class Listed(Exact, Held):
    """Files by the names that their folders list."""

    __slots__ = ()


def over(files: Files) -> Files:
    """Return the same files with cached folder descriptors until `let_go`; a view of other files as it is."""
    return Held(files.root) if type(files) is Files else files


def let_go(files: Files) -> None:
    """Close the folder descriptors that `over` has cached."""
    if isinstance(files, Held):
        files.close()


def moment(fd: int, path: str) -> tuple[int, int]:
    """Return the device of an open file, and the present time by its file system's clock (ns); 0 if it has none.

    With 0, no row of a cache of files counts as settled, so all files are read. `path` is for the error. Closes `fd`.
    """
    try:
        try:
            os.utime(fd)
        except OSError as error:
            if error.errno not in REFUSED:
                raise failure(error, path) from error
            return os.fstat(fd).st_dev, 0
        status = os.fstat(fd)
        return status.st_dev, status.st_mtime_ns
    finally:
        os.close(fd)
