"""Scan a workspace for a backup, by file status only, and open its files while others write."""

from __future__ import annotations

import os
import stat
import time

from agentws.core.disk import files
from agentws.core.formats import digest, layout
from agentws.core.formats.git import gitconfig
from agentws.core.formats.travel import cargo
from agentws.core.formats.travel.inventory import FILE, FOLDER, LINK, OTHER, TreeEntry
from agentws.errors import MissingFileError, UnsafeFileError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from agentws.core.formats.travel.backup import Marks
    from agentws.core.formats.travel.inventory import Inventory

_SEGMENT, _JOURNAL = ".jsonl", f"{layout.JOURNAL}/"
_TAIL_BYTES = 1 << 17
_TICK_NS = 100_000_000
"""Two changes within this time may leave a file with the same time stamps."""


class Look:
    """A scan of a workspace: its `entries` without digests of files, and the `marks` (inode, change time) of each.

    `texts` are the replaced contents of some files (git settings), `stripped` says what is left out and why.
    """

    __slots__ = ("entries", "marks", "stripped", "texts")

    def __init__(self) -> None:
        self.entries: Inventory = {}
        self.marks: dict[str, Marks] = {}
        self.texts: dict[str, bytes] = {}
        self.stripped: list[str] = []


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


class Source:
    """The workspace at `root`, without the paths in `leave_out`."""

    def __init__(self, root: str, leave_out: Iterable[str] = ()) -> None:
        self.root = root
        self.files = files.Files(root)
        self._leave_out = frozenset((layout.LOCAL, layout.MOVED, *leave_out))
        self._read: dict[tuple[str, Marks], bytes] = {}

    def look(self) -> Look:
        """Scan the workspace. DiskError if a folder cannot be read."""
        found = Look()
        entries: Inventory = {}
        try:
            for path, status in walk(self.root, self._leave_out):
                entries[path] = _entry(self.root, path, status)
                found.marks[path] = status.st_ino, status.st_ctime_ns
        except OSError as error:
            raise files.failure(error, os.path.relpath(os.fsdecode(error.filename or "."), self.root)) from error
        loaded = cargo.load(entries, lambda entry: self._content(entry, found.marks[entry.path]), digest.of)
        found.entries = {path: entry for path, entry in loaded.entries.items() if entry.kind != OTHER}
        others = [path for path, entry in entries.items() if entry.kind == OTHER and entry.mtime_ns]
        found.texts = loaded.texts
        found.stripped = [*loaded.stripped, *(f"{path}: a FIFO, socket or device" for path in others)]
        return found

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

    def _content(self, entry: TreeEntry, marks: Marks) -> bytes:
        """Return the content of a git settings file, read once."""
        key = entry.path, marks
        if key not in self._read:
            try:
                self._read[key] = self.files.part(entry.path, gitconfig.LIMIT_BYTES)[0]
            except (MissingFileError, UnsafeFileError):
                return b""
        return self._read[key]


def walk(root: str, leave_out: frozenset[str]) -> Iterable[tuple[str, os.stat_result]]:
    """Yield the path and status of everything beneath `root`, folders before their content."""
    waiting = [""]
    while waiting:
        folder = waiting.pop()
        within = f"{folder}/" if folder else ""
        try:
            with os.scandir(f"{root}/{folder}" if folder else root) as found:
                names = sorted(found, key=_name)
        except (FileNotFoundError, NotADirectoryError):
            if not folder:
                raise
            continue  # it went meanwhile
        for each in names:
            path = within + each.name
            if path in leave_out:
                continue
            try:
                status = each.stat(follow_symlinks=False)
            except (FileNotFoundError, NotADirectoryError):
                continue
            yield path, status
            if stat.S_ISDIR(status.st_mode):
                waiting.append(path)


def _name(entry: os.DirEntry[str]) -> str:
    return entry.name


def _entry(root: str, path: str, status: os.stat_result) -> TreeEntry:
    mode = status.st_mode
    if stat.S_ISREG(mode):
        return TreeEntry(path, FILE, stat.S_IMODE(mode), status.st_mtime_ns, status.st_size, "")
    if stat.S_ISDIR(mode):
        return TreeEntry(path, FOLDER, stat.S_IMODE(mode), status.st_mtime_ns, 0, "")
    if stat.S_ISLNK(mode):
        try:
            target = os.readlink(f"{root}/{path}")
        except OSError:
            return TreeEntry(path, OTHER, 0, 0, 0, "")  # it went meanwhile
        return TreeEntry(path, LINK, 0o777, status.st_mtime_ns, len(os.fsencode(target)), target)
    return TreeEntry(path, OTHER, stat.S_IMODE(mode), status.st_mtime_ns, 0, "")


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
