"""The files of a workspace that may leave this machine: everything but what belongs to the machine alone.

They are listed by status, or with their digests, and opened while others write.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from agentws.core.disk import files
from agentws.core.formats import digest, layout
from agentws.core.formats.git import gitconfig
from agentws.core.formats.travel import inventory
from agentws.core.formats.travel.backup import Marks
from agentws.core.formats.travel.inventory import OTHER, Inventory, TreeEntry
from agentws.core.stores.stores import Stores
from agentws.errors import MissingFileError, UnsafeFileError
from agentws.features.copies.transfer import disk
from agentws.features.copies.transfer.transport import Source

_TICK_NS = 100_000_000
"""Two changes within this time may leave a file with the same time stamps."""
_MARKS, _INODE, _CHANGED_NS = 6, 0, -1
_SEGMENT, _JOURNAL = ".jsonl", f"{layout.JOURNAL}/"
_TAIL_BYTES = 1 << 17


@dataclass(slots=True)
class Look:
    """A scan of a workspace: its `entries` without digests of files, and the `marks` (inode, change time) of each.

    `texts` are the replaced contents of some files (git settings), `stripped` says what is left out and why.
    """

    entries: Inventory = field(default_factory=dict)
    marks: dict[str, Marks] = field(default_factory=dict)
    texts: dict[str, bytes] = field(default_factory=dict)
    stripped: list[str] = field(default_factory=list)


class Opened:
    """A file that is being copied: its descriptor, how many of its bytes are copied, and its times and marks.

    Of a journal segment only complete lines are copied. `marks` are None if the file was changed so recently that a
    later change may leave them the same.
    """

    __slots__ = ("fd", "marks", "mtime_ns", "size")

    def __init__(self, fd: int, size: int, status: os.stat_result) -> None:
        self.fd = fd
        self.size = size
        self.mtime_ns = status.st_mtime_ns
        settled = status.st_ctime_ns < time.time_ns() - _TICK_NS
        self.marks: Marks | None = (status.st_ino, status.st_ctime_ns) if settled else None

    def close(self) -> None:
        """Close the file."""
        os.close(self.fd)


class Tree(Source):
    """The workspace at `root` as it may travel (core/formats/travel/inventory.py), without the paths in `leave_out`.

    After `scan`, `stripped` says what stays, or is not sent as it is, and why.
    """

    def __init__(self, root: str, leave_out: Iterable[str] = ()) -> None:
        super().__init__(root)
        self.files = files.Files(root)
        self._leave_out = frozenset((layout.LOCAL, layout.MOVED, *leave_out))
        self._known: dict[str, list[Any]] = {}
        self._last: Inventory = {}
        self._read: dict[tuple[str, object], bytes] = {}
        self.stripped: list[str] = []

    def look(self) -> Look:
        """Scan the tree by file status only. DiskError if a folder cannot be read."""
        look = Look()
        entries: Inventory = {}
        try:
            for path, status in disk.walk(self.root, self._leave_out):
                entry = disk.describe(self.root, path, status, digests=False)
                if entry is not None:
                    entries[path] = TreeEntry(*entry[:_MARKS])
                    look.marks[path] = entry[_MARKS][_INODE], entry[_MARKS][_CHANGED_NS]
        except OSError as error:
            raise self._failure(error) from error
        loaded = inventory.load_cargo(entries, lambda entry: self._content(entry, look.marks[entry.path]), digest.of)
        look.entries = {path: entry for path, entry in loaded.entries.items() if entry.kind != OTHER}
        others = [path for path, entry in entries.items() if entry.kind == OTHER]
        look.texts = loaded.texts
        look.stripped = [*loaded.stripped, *(f"{path}: a FIFO, socket or device" for path in others)]
        return look

    def scan(self) -> Inventory:
        """Return all that is in the tree now, with digests; a file is read once, until its status changes. DiskError"""
        known: dict[str, list[Any]] = {}
        entries: Inventory = {}
        settled_ns = time.time_ns() - _TICK_NS
        try:
            for entry in disk.entries(self.root, self._leave_out, self._known):
                path = entry[0]
                is_known = self._known.get(path) is entry
                entries[path] = self._last[path] if is_known else TreeEntry(*entry[:_MARKS])
                if entry[_MARKS][_CHANGED_NS] < settled_ns:
                    known[path] = entry
        except OSError as error:
            raise self._failure(error) from error
        self._known, self._last = known, entries
        loaded = inventory.load_cargo(entries, lambda entry: self._content(entry, entry.content), digest.of)
        self.texts, self.stripped = loaded.texts, loaded.stripped
        return loaded.entries

    def mode(self) -> int:
        """Return the mode of the root itself, as it travels."""
        return os.stat(self.root).st_mode & inventory.RIGHTS

    def open(self, path: str) -> Opened | None:
        """Open a file to be copied; None if it is gone or no regular file."""
        try:
            fd = self.files.open(path)
        except (FileNotFoundError, NotADirectoryError, UnsafeFileError):
            return None
        except OSError as error:
            raise files.failure(error, path) from error
        status = os.fstat(fd)
        size = status.st_size
        if path.startswith(_JOURNAL) and path.endswith(_SEGMENT):
            size = _whole_lines(fd, size)
        return Opened(fd, size, status)

    def _content(self, entry: TreeEntry, version: object) -> bytes:
        """Return the content of a git settings file, read once for each `version` of it."""
        key = entry.path, version
        if key not in self._read:
            try:
                self._read[key] = self.files.part(entry.path, gitconfig.LIMIT_BYTES)[0]
            except (MissingFileError, UnsafeFileError):
                return b""
        return self._read[key]

    def _failure(self, error: OSError) -> Exception:
        path = os.path.relpath(os.fsdecode(error.filename), self.root) if error.filename else self.root
        return files.failure(error, path)


def of(stores: Stores) -> Tree:
    """Return the tree of a workspace, without what this machine keeps in it."""
    return Tree(stores.root, _beside(stores.root, (*stores.environment.state[:2], stores.environment.cache)))


def _beside(root: str, folders: Iterable[str | None]) -> list[str]:
    """Return those folders that lie within the tree, as RelPaths."""
    real = os.path.realpath(root)
    within = (os.path.relpath(os.path.realpath(folder), real) for folder in folders if folder)
    return [path for path in within if path != "." and not path.startswith("..")]


def _whole_lines(fd: int, size: int) -> int:
    """Return how many of the first `size` bytes are complete lines; all if no line ends nearby."""
    end = size
    while end > 0 and size - end < _TAIL_BYTES:
        start = max(0, end - (1 << 13))
        piece = os.pread(fd, end - start, start)
        at = piece.rfind(b"\n")
        if at >= 0:
            return start + at + 1
        end = start
    return 0 if end == 0 else size
