"""What mirrors add to the newest backup: the files of a workspace by path, with where each one is read."""

from __future__ import annotations

from agentws.core.formats import digest, layout
from agentws.core.formats.travel.inventory import FILE, FOLDER, TreeEntry

TYPE_CHECKING = False
if TYPE_CHECKING:
    from agentws.core.formats.travel.inventory import Inventory
    from agentws.features.copies.backup.store.mirror.medium import Medium

_FOLDER_MODE = 0o700


class Overlay:
    """What is newer than a backup: the files of the mirrors by path, and the documents that went since (`removed`).

    `heads` are number and hash of the newest event of each writer, `events` and `documents` count what is newer,
    `at` is the moment of the newest mirror (empty: there is none), `wrong` says what was not taken and why, `apart`
    which documents have another version in a mirror.
    """

    def __init__(self, heads: dict[str, tuple[int, str]]) -> None:
        self.entries: Inventory = {}
        self.removed: list[str] = []
        self.heads = dict(heads)
        self.events = self.documents = 0
        self.at = ""
        self.wrong: list[str] = []
        self.apart: list[str] = []
        self._from: dict[str, Medium] = {}

    def read(self, entry: TreeEntry) -> bytes:
        """The content of one of the entries. DiskError, MissingFileError."""
        return self._from[entry.path].tree.part(entry.path, entry.size)[0]

    def onto(self, entries: Inventory) -> None:
        """Let the entries of a backup be those of the workspace as the mirrors tell it."""
        for path in self.removed:
            entries.pop(path, None)
        for path, entry in self.entries.items():
            entries.update(_above(path, entry, entries))
            entries[path] = entry

    def add(self, path: str, data: bytes, mode: int, mtime_ns: int, source: Medium) -> None:
        """Take a file from a mirror."""
        self.entries[path] = TreeEntry(path, FILE, mode, mtime_ns, len(data), digest.of(data))
        self._from[path] = source


def _above(path: str, entry: TreeEntry, entries: Inventory) -> Inventory:
    """The folders above a path that the entries lack."""
    mode = _FOLDER_MODE if path.startswith(f"{layout.JOURNAL}/") else 0o755
    return {one: TreeEntry(one, FOLDER, mode, entry.mtime_ns, 0, "") for one in folders(path) if one not in entries}


def folders(path: str) -> list[str]:
    """The folders above a path, the outermost first."""
    names = path.split("/")[:-1]
    return ["/".join(names[:depth]) for depth in range(1, len(names) + 1)]
