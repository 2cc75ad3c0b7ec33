"""The files of a workspace with its documents as they were; all else is as it is now."""

from __future__ import annotations

from agentws.errors import MissingFileError
from agentws.formats import layout
from agentws.storage.disk.files import Files

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator


class PastFiles(Files):
    """Files beneath a root of which the documents are those of `paths`, each with the content that `read` gives.

    Documents that `is_now` names are taken from the disk like all that is no document. Only to be read.
    """

    __slots__ = ("_is_now", "_paths", "_read")

    def __init__(
        self, root: str, paths: Collection[str], *, read: Callable[[str], bytes], is_now: Callable[[str], bool]
    ) -> None:
        super().__init__(root)
        self._paths = frozenset(paths)
        self._read = read
        self._is_now = is_now

    def part(self, path: str, limit_bytes: int, *, from_end: bool = False) -> tuple[bytes, int]:
        """As Files.part."""
        if self._is_of_now(path):
            return super().part(path, limit_bytes, from_end=from_end)
        data = self._content(path)
        start = max(0, len(data) - limit_bytes) if from_end else 0
        return data[start : start + limit_bytes], len(data)

    def piece(self, path: str, offset_bytes: int, limit_bytes: int) -> bytes:
        """As Files.piece."""
        if self._is_of_now(path):
            return super().piece(path, offset_bytes, limit_bytes)
        return self._content(path)[offset_bytes : offset_bytes + limit_bytes]

    def exists(self, path: str) -> bool:
        """As Files.exists."""
        if path in self._paths or any(one.startswith(f"{path}/") for one in self._paths):
            return True
        return self._is_of_now(path) and super().exists(path)

    def size(self, path: str) -> int:
        """As Files.size."""
        return super().size(path) if self._is_of_now(path) else len(self._content(path))

    def unsorted(self, folder: str) -> list[str]:
        """As Files.unsorted."""
        return [name for name, _ in self.names(folder)]

    def names(self, folder: str = "") -> list[tuple[str, str]]:
        """As Files.names."""
        above = f"{folder}/" if folder else ""
        now = {name: kind for name, kind in super().names(folder) if self._is_of_now(above + name)}
        return sorted({**now, **dict(self._past(above))}.items())

    def _past(self, above: str) -> Iterator[tuple[str, str]]:
        """(name, kind) of what the documents of then make of a folder."""
        for path in self._paths:
            if path.startswith(above):
                name, slash, _ = path[len(above) :].partition("/")
                yield name, "folder" if slash else "file"

    def _is_of_now(self, path: str) -> bool:
        return not layout.is_document(path) or self._is_now(path)

    def _content(self, path: str) -> bytes:
        if path not in self._paths:
            raise MissingFileError(f"{path}: not there.")
        return self._read(path)
