"""Make a backup in a folder: copy or hard-link each file, read it back, and write the manifest last."""

from __future__ import annotations

import hashlib
import os
import shutil
import stat
from collections.abc import Callable, Iterable, Iterator
from datetime import datetime

from agentws.core.disk import files
from agentws.core.formats.travel import backup
from agentws.core.formats.travel.inventory import FILE, FOLDER, LINK, TreeEntry
from agentws.errors import ChangedUnderneathError, DiskError
from agentws.features.copies.transfer import disk

_PIECE = 1 << 20
_COARSE_NS = 2_000_000_000
"""The coarsest time stamps of a medium (ns)."""


class Part:
    """A partial backup in the absolute folder `place`; it counts as a backup only when it is complete.

    `copied` are the paths whose content was written now; `links`: the medium supports hard links. `before` is the
    folder with the files of the previous backup; empty without one.
    """

    def __init__(self, place: str, before: str = "") -> None:
        self.place = place
        self._before = before
        self.root = f"{place}/{backup.TREE}"
        self.copied: dict[str, str] = {}
        self.links = True
        os.mkdir(self.root, 0o700)

    def folder(self, path: str) -> None:
        """Make a folder; `settle` sets its mode."""
        self._make(path, lambda place: os.mkdir(place, 0o700))

    def link(self, entry: TreeEntry) -> None:
        """Make a symbolic link; on a medium without links only the manifest records it."""
        self._make(entry.path, lambda place: disk.where_offered(os.symlink, entry.content, place))

    def same(self, entry: TreeEntry) -> bool:
        """Hard-link a file of the previous backup; False if that is impossible."""
        if not self.links or not is_intact(entry, self._before):
            return False
        try:
            os.link(f"{self._before}/{entry.path}", f"{self.root}/{entry.path}", follow_symlinks=False)
        except FileNotFoundError:
            return False
        except OSError as error:
            if error.errno not in files.NO_LINKS:
                raise files.failure(error, f"{self.root}/{entry.path}") from error
            self.links = False
            return False
        return True

    def copy(self, entry: TreeEntry, fd: int, size: int) -> TreeEntry:
        """Copy the first `size` bytes of an open file; return its entry in the backup."""
        return self._put(entry, _pieces(fd, size))

    def write(self, entry: TreeEntry, text: bytes) -> TreeEntry:
        """Write a file with this content; return its entry in the backup."""
        return self._put(entry, [text])

    def share(self, entry: TreeEntry) -> None:
        """Replace a copied file by a hard link to the same file in the previous backup."""
        if not self.links or not is_intact(entry, self._before):
            return
        self.drop(entry.path)
        if not self.same(entry):  # the medium, or the old file, has changed its mind
            raise ChangedUnderneathError(
                f"{self._before}/{entry.path}: removed meanwhile.", hint="Re-run the same command."
            )

    def drop(self, path: str) -> None:
        """Remove a file or empty folder that was removed from the workspace meanwhile."""
        place = f"{self.root}/{path}"
        self.copied.pop(path, None)
        try:
            if os.path.isdir(place) and not os.path.islink(place):
                os.rmdir(place)
            else:
                os.unlink(place)
        except FileNotFoundError:
            return
        except OSError as error:
            raise files.failure(error, place) from error

    def settle(self, entries: Iterable[TreeEntry]) -> None:
        """Set the folders' modes and times, the deepest first, and fsync the whole backup."""
        folders = [entry for entry in entries if entry.kind == FOLDER]
        with files.Failing(self.place):
            for entry in sorted(folders, key=lambda entry: -entry.path.count("/")):
                place = f"{self.root}/{entry.path}"
                disk.where_offered(os.chmod, place, entry.mode | 0o700)
                disk.where_offered(os.utime, place, ns=(entry.mtime_ns, entry.mtime_ns))
            disk.sync_tree(self.place)

    def read_back(self) -> None:
        """Read the copied files back from the medium and compare them. DiskError if one differs."""
        for path, expected in self.copied.items():
            if digest_of(f"{self.root}/{path}") != expected:
                raise DiskError(
                    f"{self.root}/{path}: the medium returns other data than was written.",
                    hint="Use another disk: this one may be failing.",
                )

    def finish(self, header: backup.Header, entries: Iterable[TreeEntry], marks: dict[str, backup.Marks]) -> None:
        """Write the manifest durably, which completes the backup."""
        files.Outside(self.place).replace(backup.MANIFEST, backup.encode(header, entries, marks), expects="")

    def keep(self, at: datetime) -> str:
        """Rename the complete backup to its final name, durably, and return the name."""
        within = os.path.dirname(self.place)
        name = backup.following(os.listdir(within), at)
        with files.Failing(within):
            os.rename(self.place, f"{within}/{name}")
        files.Outside(within).sync_folder("")
        return name

    def clear(self) -> None:
        """Remove the partial backup; the next run removes what cannot be removed now."""
        shutil.rmtree(self.place, ignore_errors=True)

    def _make(self, path: str, make: Callable[[str], None]) -> None:
        place = f"{self.root}/{path}"
        with files.Failing(place):
            make(place)

    def _put(self, entry: TreeEntry, pieces: Iterable[bytes]) -> TreeEntry:
        digest, size = hashlib.sha256(), 0
        place = f"{self.root}/{entry.path}"
        with files.Failing(place):
            to = os.open(place, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
            try:
                for piece in pieces:
                    digest.update(piece)
                    files.write_all(to, piece)
                    size += len(piece)
                disk.where_offered(os.fchmod, to, entry.mode)
                disk.where_offered(os.utime, to, ns=(entry.mtime_ns, entry.mtime_ns))
            finally:
                os.close(to)
        self.copied[entry.path] = digest.hexdigest()
        return TreeEntry(entry.path, FILE, entry.mode, entry.mtime_ns, size, digest.hexdigest())


def _pieces(fd: int, size: int) -> Iterator[bytes]:
    """Yield the first `size` bytes of an open file, fewer if it has become shorter."""
    left = size
    while left and (piece := os.pread(fd, min(left, _PIECE), size - left)):
        yield piece
        left -= len(piece)


def is_intact(entry: TreeEntry, tree: str) -> bool:
    """Return whether a file of a backup is unchanged by its status; an edited file is not shared again."""
    try:
        status = os.lstat(f"{tree}/{entry.path}")
    except OSError:
        return False
    same_time = abs(status.st_mtime_ns - entry.mtime_ns) <= _COARSE_NS
    return stat.S_ISREG(status.st_mode) and status.st_size == entry.size and same_time


def digest_of(place: str) -> str:
    """Return the digest of a file as read from the medium, bypassing the page cache if the system can."""
    return disk.digest(place, afresh=True)[0]


def what_differs(root: str, entry: TreeEntry) -> str:
    """Return how a file, folder or link in the tree at `root` differs from its entry; empty if it does not."""
    place = f"{root}/{entry.path}"
    try:
        if entry.kind == FOLDER:
            return "" if os.path.isdir(place) and not os.path.islink(place) else "missing"
        if entry.kind == LINK:
            return "" if not os.path.lexists(place) or os.readlink(place) == entry.content else "another link"
        if os.lstat(place).st_size != entry.size:
            return "another size"
        return "" if digest_of(place) == entry.content else "other content"
    except (FileNotFoundError, NotADirectoryError):
        return "missing"
    except OSError as error:
        return os.strerror(error.errno or 0).lower()
