"""A cache of file status and blob ids, like git's index: a file that has not changed is not read again."""

from __future__ import annotations

import os
import struct
import sys

from agentws.core.formats import digest
from agentws.core.formats.json import plainjson

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

_NAME = "agentws-seen"
_CLOCK = "agentws-clock"
_ROW = struct.Struct("<4q")
_ID_BYTES = 20
COARSEST_NS = 2_000_000_000
"""The coarsest time stamps of a file system: a file changed more recently may change again unnoticed."""


class Seen:
    """The cached rows (change time, modification time, size, inode) of files by path, with the blob id of each.

    The cache is a file in the repository that holds the blobs.
    """

    def __init__(self, git_dir: str, include: Iterable[str]) -> None:
        self._git_dir = git_dir
        self._rules = [1, getattr(sys.modules["agentws"], "__version__", ""), sorted(include)]
        self.files: dict[str, tuple[bytes, str]] = self._load()

    def moment(self) -> tuple[int, int]:
        """Return the repository's device, and the time by the clock of its file system (ns)."""
        fd = os.open(f"{self._git_dir}/{_CLOCK}", os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            os.utime(fd)
            status = os.fstat(fd)
            return status.st_dev, status.st_mtime_ns
        finally:
            os.close(fd)

    def save(self, files: dict[str, tuple[bytes, str]]) -> None:
        """Write the cache: not durably, but with a digest, so that a torn file is ignored."""
        self.files = files
        names = "\0".join(files).encode("utf-8", "surrogateescape")
        head = plainjson.dumps([*self._rules, len(names), len(files)]).encode() + b"\n"
        rows = b"".join(row + bytes.fromhex(oid) for row, oid in files.values())
        body = head + names + rows
        at = f"{self._git_dir}/{_NAME}"
        with open(f"{at}.new", "wb") as file:
            file.write(digest.of(body).encode() + b"\n" + body)
        os.rename(f"{at}.new", at)

    def _load(self) -> dict[str, tuple[bytes, str]]:
        try:
            with open(f"{self._git_dir}/{_NAME}", "rb") as file:
                said, _, body = file.read().partition(b"\n")
            if digest.of(body).encode() != said:
                return {}
            head, _, rest = body.partition(b"\n")
            *rules, names_bytes, count = plainjson.loads(head)
        except (OSError, ValueError):
            return {}
        if rules != self._rules or not count:
            return {}
        names = rest[:names_bytes].decode("utf-8", "surrogateescape").split("\0")
        rows = rest[names_bytes:]
        step = _ROW.size + _ID_BYTES
        starts = range(0, len(rows), step)
        return {
            name: (rows[at : at + _ROW.size], rows[at + _ROW.size : at + step].hex())
            for name, at in zip(names, starts, strict=True)
        }


def row(status: os.stat_result) -> bytes:
    """Return the status row that changes whenever a file does; empty if the values do not fit."""
    try:
        return _ROW.pack(status.st_ctime_ns, status.st_mtime_ns, status.st_size, status.st_ino)
    except struct.error:
        return b""
