"""The files of a workspace as a shared audience may read them: everything else seems missing.

Features read through these and need not know the audience. core/formats/documents/shared.py decides.
"""

from __future__ import annotations

import os
import tempfile

from agentws.core.disk import files as _files
from agentws.core.disk.files import Files
from agentws.core.formats import layout
from agentws.core.formats.documents import shared
from agentws.core.journal.shared import Shared
from agentws.errors import AgentwsError, MissingFileError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

_MOST_BYTES = 1 << 24
_ROOM = (layout.DAYS, layout.ARCHIVE, layout.TASKS, layout.CONTEXTS, layout.HANDOFFS, layout.APPROVALS)
_JOURNAL = f"{layout.JOURNAL}/"
_SEGMENTS = (".jsonl", _COMPRESSED := ".jsonl.gz")


class SharedFiles(Files):
    """A read-only view of files for a shared audience. `left_out` counts what was requested and is hidden.

    `private` are the tags that hide text from a shared audience; `unknown` returns the writers whose word that a
    session was shared is not trusted.
    """

    __slots__ = ("_contents", "_files", "_hidden", "_journal", "_private", "_unknown")

    is_view = True

    def __init__(self, files: Files, private: Sequence[str], *, unknown: Callable[[], set[str]] = set) -> None:
        super().__init__(files.root, patience_s=files.patience_s)
        self._files = files
        self._private = shared.labels(private)
        self._unknown = unknown
        self._contents: dict[str, bytes | None] = {}
        self._hidden: dict[str, int] = {}
        self._journal: Shared | None = None

    def over(self, files: Files) -> SharedFiles:
        """Return the same view of other files."""
        return SharedFiles(files, self._private, unknown=self._unknown)

    @property
    def left_out(self) -> int:
        """The number of things hidden from the shared audience: documents, entries of logs, sessions."""
        return sum(self._hidden.values()) + (self._journal.left_out if self._journal else 0)

    def real(self, path: str) -> str:
        """Return as Files.real does: the name of a file says nothing that a shared audience may not know."""
        return self._files.real(path)

    def part(self, path: str, limit_bytes: int, *, from_end: bool = False) -> tuple[bytes, int]:
        """Read as Files.part does, what the shared audience may see."""
        if self._is_plain(path):
            return self._files.part(path, limit_bytes, from_end=from_end)
        data = self._content(path)
        start = max(0, len(data) - limit_bytes) if from_end else 0
        return data[start : start + limit_bytes], len(data)

    def piece(self, path: str, offset_bytes: int, limit_bytes: int) -> bytes:
        """Read as Files.piece does, what the shared audience may see."""
        if self._is_plain(path):
            return self._files.piece(path, offset_bytes, limit_bytes)
        return self._content(path)[offset_bytes : offset_bytes + limit_bytes]

    def open(self, path: str, flags: int = os.O_RDONLY, mode: int = 0o666) -> int:
        """Open as Files.open does, a copy with what the shared audience may see."""
        if self._is_plain(path):
            return self._files.open(path, flags, mode)
        with tempfile.TemporaryFile() as copy:
            _files.write_all(copy.fileno(), self._content(path))
            return os.dup(copy.fileno())

    def read_with_status(self, path: str) -> tuple[bytes, os.stat_result]:
        """Read as Files.read_with_status does, what the shared audience may see."""
        return self.read(path), self._files.status(path)

    def status(self, path: str) -> os.stat_result:
        """Return as Files.status does; a file hidden from the shared audience is missing."""
        if not self.exists(path):
            raise _missing(path)
        return self._files.status(path)

    def size(self, path: str) -> int:
        """Return the size in bytes of what the shared audience may see of a file."""
        return self._files.size(path) if self._is_plain(path) else len(self._content(path))

    def exists(self, path: str) -> bool:
        """Return as Files.exists does; what is hidden from the shared audience does not exist."""
        if self._is_plain(path) or path in _ROOM or path.startswith(_JOURNAL):
            return self._files.exists(path)
        return self._heard(path) is not None

    def unsorted(self, folder: str) -> list[str]:
        """Return as Files.unsorted does, without what is hidden from the shared audience."""
        if self._is_plain(folder) or folder.startswith(_JOURNAL):
            return self._files.unsorted(folder)
        return [name for name, _ in self.names(folder)]

    def names(self, folder: str = "") -> list[tuple[str, str]]:
        """Return as Files.names does, without what is hidden from the shared audience."""
        found = self._files.names(folder)
        if folder and (self._is_plain(folder) or f"{folder}/".startswith(_JOURNAL)):
            return found
        above = f"{folder}/" if folder else ""
        return [(name, kind) for name, kind in found if self._is_named(above + name, kind)]

    def stamped_names(self, folder: str = "") -> list[tuple[str, str, str]]:
        """Return as Files.names does for a shared audience, without stamps: they would be the full files'."""
        return [(name, kind, "") for name, kind in self.names(folder)]

    def _is_named(self, path: str, kind: str) -> bool:
        if shared.is_own(path):
            return True
        if kind == "folder":
            return path in _ROOM or path.startswith(f"{layout.ARCHIVE}/")
        return kind == "file" and self._heard(path) is not None

    def _is_plain(self, path: str) -> bool:
        """Return whether a path is read unchanged: neither a document nor a segment of the journal."""
        return shared.is_own(path) and not (path.startswith(_JOURNAL) and path.endswith(_SEGMENTS))

    def _content(self, path: str) -> bytes:
        if path.endswith(_COMPRESSED) and path.startswith(_JOURNAL):
            raise _missing(path)  # its lines are read at the path that they had
        if path.startswith(_JOURNAL):
            if self._journal is None:
                self._journal = Shared(self._files, self._private, self._unknown())
            return self._journal.content(path)
        found = self._heard(path)
        if found is None:
            raise _missing(path)
        return found

    def _heard(self, path: str) -> bytes | None:
        """Return the visible content of the document at `path`, None if nothing is visible or it is missing."""
        if path not in self._contents:
            self._contents[path] = self._decided(path)
        return self._contents[path]

    def _decided(self, path: str) -> bytes | None:
        if not shared.may_be_heard(path):
            self._hidden[path] = int(path.endswith(".md") and self._files.exists(path))
            return None
        try:
            data = self._files.read(path, limit_bytes=_MOST_BYTES)
        except AgentwsError:
            return None  # the main audience gets the error
        found = shared.heard(path, data, self._private)
        self._hidden[path] = found.left_out
        return found.data


def _missing(path: str) -> MissingFileError:
    return MissingFileError(f"{path}: not found.")
