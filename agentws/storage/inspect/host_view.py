"""The workspace as an agent program sees it: which files are there, and their text where it can be read whole."""

from __future__ import annotations

from agentws.errors import AgentwsError
from agentws.storage.disk.lenient import LARGEST_READ_BYTES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from agentws.storage.disk.files import Files

_MOST_READ_BYTES = 1 << 20


class Folder:
    """A workspace for hosts/loading.py to look at; no more than a mebibyte of it is read."""

    __slots__ = ("_files", "_left_bytes")

    def __init__(self, files: Files) -> None:
        self._files = files
        self._left_bytes = _MOST_READ_BYTES

    def has(self, path: str) -> bool:
        """Whether anything stands at `path`."""
        try:
            return self._files.exists(path)
        except AgentwsError:
            return True

    def text(self, path: str) -> str | None:
        """The text of the file at `path`, None where there is none that can be read whole."""
        try:
            data, size = self._files.part(path, min(LARGEST_READ_BYTES, self._left_bytes))
        except AgentwsError:
            return None
        self._left_bytes -= len(data)
        return data.decode("utf-8", "replace") if size == len(data) else None
