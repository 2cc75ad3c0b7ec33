"""The folder that takes a mirror: only what is new is written, read back, and then told in `mirror.json`.

What lies beyond the told length of a segment was left by a killed run: nobody believes it, the next run cuts it off.
"""

from __future__ import annotations

import os
import shutil

from agentws.core.disk import files
from agentws.core.formats.digest import ABSENT
from agentws.core.formats.travel import mirror
from agentws.errors import DiskError, MissingFileError, UnsafeFileError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from agentws.core.formats.travel.mirror import State

LOCK = "mirror"
"""Held by who writes a mirror or, at the end of a backup, removes it: for as long as either runs."""
_GONE = ".gone-"
_OTHER_DATA = "Use another disk: this one may be failing."


class Medium:
    """The mirror of one installation, the `owner`, in the absolute folder `place` of an agent's backups."""

    def __init__(self, place: str, owner: str) -> None:
        self.place = place
        self.owner = owner
        self.bytes = 0
        self._within = f"{mirror.FOLDER}/{owner}"
        self._files = files.Files(place)
        self._later: set[str] = set()

    @property
    def tree(self) -> files.Files:
        """The mirrored files, as a workspace has them."""
        return files.Files(f"{self.place}/{self._within}/{mirror.TREE}")

    @property
    def exists(self) -> bool:
        """Return whether there is something of it."""
        return os.path.isdir(f"{self.place}/{self._within}")

    @property
    def is_bare(self) -> bool:
        """Return whether nothing was told or written yet, as before the first run, or where that was killed at once."""
        names = (mirror.STATE, mirror.TREE)
        return not any(os.path.lexists(f"{self.place}/{self._within}/{name}") for name in names)

    def state(self) -> State | None:
        """What the mirror holds; None where it cannot be read."""
        try:
            return mirror.decode(self._files.read(self._state, limit_bytes=mirror.MOST_BYTES))
        except (MissingFileError, UnsafeFileError, mirror.NotAMirrorError):
            return None

    def save(self, state: State) -> None:
        """Tell, durably, what the mirror holds; the names of the files are made durable first."""
        self.settle()
        self._make(self._within)
        self._replace(self._state, mirror.encode(state), None)

    def settle(self) -> None:
        """Make the names durable of what was put or dropped."""
        for folder in sorted(self._later):
            self._files.sync_folder(folder)
        self._later.clear()

    def append(self, path: str, at: int, data: bytes) -> bool:
        """Put `data` behind the first `at` bytes of a file; False where it is shorter. DiskError."""
        place = self._place(path)
        try:
            fd = self._files.open(place, os.O_RDWR)
        except (FileNotFoundError, NotADirectoryError, UnsafeFileError):
            return False
        except OSError as error:
            raise files.failure(error, place) from error
        try:
            size = os.fstat(fd).st_size
            if size < at:
                return False
            if size > at:
                os.ftruncate(fd, at)
            os.lseek(fd, at, os.SEEK_SET)
            files.write_all(fd, data)
            files.sync(fd)
            self._compare(fd, at, data, place)
        except OSError as error:
            raise files.failure(error, place) from error
        finally:
            os.close(fd)
        self.bytes += len(data)
        return True

    def put(self, path: str, data: bytes) -> None:
        """Put a whole file, in place of any other one. DiskError."""
        place = self._place(path)
        self._make(place.rpartition("/")[0])
        self._replace(place, data, self._later)
        try:
            fd = self._files.open(place)
            try:
                self._compare(fd, 0, data, place)
            finally:
                os.close(fd)
        except OSError as error:
            raise files.failure(error, place) from error
        self.bytes += len(data)

    def paths(self) -> list[str]:
        """The mirrored files, as RelPaths of a workspace."""
        root = self.tree.root
        return [
            os.path.relpath(f"{folder}/{name}", root) for folder, _, names in os.walk(root) for name in sorted(names)
        ]

    def digest(self, path: str) -> str:
        """The digest of a file; empty where there is none."""
        return self._files.digest(self._place(path))

    def holds(self, path: str) -> bool:
        """Return whether there is a file at a path of the workspace."""
        return self._files.exists(self._place(path))

    def drop(self, path: str) -> None:
        """Take a file out of the mirror."""
        place = self._place(path)
        try:
            self._files.remove(place, expects=self._files.digest(place), later=self._later)
        except MissingFileError:
            return

    def blobs(self, folder: str) -> list[str]:
        """The names in a folder of blobs."""
        return self._files.listing(self._place(folder))

    def remove(self) -> None:
        """Remove the mirror: at once it is none, whenever this ends."""
        gone = f"{self.place}/{_GONE}{mirror.FOLDER}-{self.owner}"
        try:
            shutil.rmtree(gone, ignore_errors=True)
            os.rename(f"{self.place}/{self._within}", gone)
            self._files.sync_folder(mirror.FOLDER)
            shutil.rmtree(gone)
        except FileNotFoundError:
            return
        except OSError as error:
            raise files.failure(error, f"{self.place}/{self._within}") from error

    def set_aside(self, number: int) -> str:
        """Give the mirror another name, by the `number` of a backup, so that a new one may begin; returns its path."""
        name = f"{self.owner}-{number}"
        try:
            os.rename(f"{self.place}/{self._within}", f"{self.place}/{mirror.FOLDER}/{name}")
            self._files.sync_folder(mirror.FOLDER)
        except OSError as error:
            raise files.failure(error, f"{self.place}/{self._within}") from error
        return f"{mirror.FOLDER}/{name}"

    @property
    def _state(self) -> str:
        return f"{self._within}/{mirror.STATE}"

    def _place(self, path: str) -> str:
        return f"{self._within}/{mirror.TREE}/{path}"

    def _make(self, folder: str) -> None:
        if not os.path.isdir(f"{self.place}/{folder}"):
            self._files.make_folder(folder, later=self._later)

    def _replace(self, place: str, data: bytes, later: set[str] | None) -> None:
        if self._files.exists(place):
            self._files.replace(place, data, expects=self._files.digest(place), later=later)
        else:
            self._files.replace(place, data, expects=ABSENT, later=later)

    @staticmethod
    def _compare(fd: int, at: int, data: bytes, place: str) -> None:
        """DiskError where the medium gives back other bytes than were written."""
        if hasattr(os, "posix_fadvise"):
            os.posix_fadvise(fd, 0, 0, os.POSIX_FADV_DONTNEED)
        os.lseek(fd, at, os.SEEK_SET)
        if files.read_up_to(fd, len(data) + 1) != data:
            raise DiskError(f"{place}: the medium returns other data than was written.", hint=_OTHER_DATA)


def all_of(place: str) -> list[Medium]:
    """The mirrors at the `place` of an agent's backups, of all installations; none where that is no folder."""
    if not place.startswith("/"):
        return []
    found = files.Files(place).names(mirror.FOLDER)
    return [Medium(place, name) for name, kind in found if kind == "folder" and not name.startswith(".")]
