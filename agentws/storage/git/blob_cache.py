"""Ids of documents that were read before, by what the system tells of each file: what is as it was is not read again.

As in git's own index: any write moves a file's change time, which no program can set. A time may be as coarse as two
seconds, so of a file that changed shortly before it was read nothing is remembered. Nor of one on another file system,
whose clock may be another, nor of one in which something looked like a secret. An answer holds for as long as the rules
that read the file are the same; whoever has no answer reads the file.
"""

from __future__ import annotations

import os

from agentws.errors import AgentwsError
from agentws.formats import layout
from agentws.formats.secrets import secrets
from agentws.storage.disk import lock

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from agentws.storage.disk.cache import Cache
    from agentws.storage.disk.files import Files

_ENTRY = "blobs"
_COARSEST_NS = 2_000_000_000
_LOCK = f"{layout.LOCAL}/{lock.HISTORY}.lock"


class BlobCache:
    """The blob ids of documents without a secret, as far as `cache` remembers them. `reader` is who looks for them.

    Made by who holds the lock of history, before the first document is looked at: what changes from then on is not
    taken for what was read.
    """

    def __init__(self, cache: Cache, files: Files, *, reader: str) -> None:
        self._cache = cache
        self._made_by = [__file__, reader, *_rules()]
        self._device, self._now_ns = _moment(files)
        known = cache.get(_ENTRY)
        self._known: dict[str, list[Any]] = known if isinstance(known, dict) else {}
        self._kept: dict[str, list[Any]] = {}

    def find(self, path: str, files: Files) -> str | None:
        """The blob id of the file at `path`; None where it has to be read."""
        known = self._known.get(path)
        if known is None:
            return None
        try:
            status = files.status(path)
        except AgentwsError:
            return None  # reading it says what is wrong
        if known[:-1] != _told(status) or status.st_dev != self._device:
            return None
        self._kept[path] = known
        return str(known[-1])

    def add(self, path: str, status: os.stat_result, oid: str) -> None:
        """Remember that the file was read, holds no secret, and was `status` before it was read."""
        if status.st_dev == self._device and status.st_ctime_ns < self._now_ns - _COARSEST_NS:
            self._kept[path] = [*_told(status), oid]

    def keep(self) -> None:
        """Remember what was found and added, and nothing else."""
        if self._kept != self._known:
            self._cache.put(_ENTRY, self._kept, made_by=self._made_by)


def _told(status: os.stat_result) -> list[int]:
    return [status.st_ctime_ns, status.st_mtime_ns, status.st_size, status.st_ino]


def _rules() -> list[str]:
    """The files of the program among which are all that tell what a secret is."""
    formats = os.path.dirname(os.path.dirname(secrets.__file__))
    walked = os.walk(formats)  # nothing of a program in one file, whose version stands for all of it
    return sorted(f"{folder}/{name}" for folder, _, names in walked for name in names if name.endswith(".py"))


def _moment(files: Files) -> tuple[int, int]:
    """The device of the workspace, and the time by the clock of its file system."""
    fd = files.open(_LOCK, os.O_RDWR)
    try:
        os.utime(fd)
        status = os.fstat(fd)
        return status.st_dev, status.st_mtime_ns
    finally:
        os.close(fd)
