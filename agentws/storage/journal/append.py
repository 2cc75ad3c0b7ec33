"""The durable append to a writer's journal: the hot path. Specified in docs/format/journal.md.

Under the append lock: find the end, mended where a crash has left something; write; unlock; sync; look once more
whether some process's sync has failed; acknowledge. Whoever syncs makes every earlier line of the segment durable, so
an acknowledged line never follows a lost one.
"""

from __future__ import annotations

import os

from agentws.errors import MissingFileError, UnsafeFileError
from agentws.formats import segment
from agentws.storage import files as _files
from agentws.storage import local, lock
from agentws.storage.journal import ending, head

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from agentws.storage.journal.entry import Entry
    from agentws.storage.journal.head import Head

_LOCK_TIMEOUT_S = 30.0


class Appender:
    """Appends to the journal of `writer`, an installation of `agent`.

    `notices` says what had to be mended. One object may be used by several threads.
    """

    __slots__ = ("_files", "_known", "agent", "notices", "writer")

    def __init__(self, files: _files.Files, agent: str, writer: str) -> None:
        self._files = files
        self._known: Head | None = None
        self.agent = agent
        self.writer = writer
        self.notices: list[str] = []

    def append(self, entries: Sequence[Entry]) -> None:
        """Append the entries, all of them in this order, and tell each its number; when this returns they are durable.

        DamagedError where the journal is damaged, DiskError where the disk refuses: then nothing is acknowledged.
        """
        local.prepare(self._files)
        for entry in entries:
            entry.settle(self._files, self.writer)
        with lock.Lock(self._files, lock.APPEND, timeout_s=_LOCK_TIMEOUT_S):
            fd, end, durable = self._append(entries)
        try:
            self._make_durable(fd, durable)
        finally:
            os.close(fd)
        head.write(self._files, end)

    def _append(self, entries: Sequence[Entry]) -> tuple[int, Head, Head]:
        """Write under the lock: the open segment, its end, and the end that was there before."""
        while True:
            before = self._end()
            self._known = None  # until all is written it is not known
            for entry in entries:
                entry.settle(self._files, self.writer)  # a purge may have taken its blob away meanwhile
            end = before.copy()
            fd, stays = self._write(entries, end)
            if stays:
                self._known = end.copy()
                return fd, end, before
            os.close(fd)

    def _end(self) -> Head:
        found = ending.find(self._files, self.agent, self.writer, self._known)
        self.notices += found.notices
        return found.head

    def _write(self, entries: Sequence[Entry], end: Head) -> tuple[int, bool]:
        """Write the lines behind `end`, which moves on; False where the segment is no longer the one at its path."""
        fd = self._open(end)
        lines: list[bytes] = []
        size = 0
        try:
            start = end.copy()
            for entry in entries:
                line = entry.line(end)
                if end.offset + len(line) > segment.LIMIT_BYTES and end.offset:
                    self._put(fd, lines, start)
                    ending.rotate(self._files, self.agent, end, fd=fd)
                    os.close(fd)
                    fd = -1
                    fd, lines, start = self._open(end), [], end.copy()
                    line = entry.line(end)
                lines.append(line)
                size += len(line)
                ending.advance(end, line, entry.kind, entry.session)
                entry.written(end)
            self._put(fd, lines, start)
            return fd, self._stays(fd, end)
        except BaseException:
            if fd >= 0:
                os.close(fd)
            raise

    def _open(self, end: Head) -> int:
        path = segment.path(self.writer, end.segment)
        try:
            return self._files.open(path, os.O_RDWR | os.O_APPEND)
        except OSError as error:
            raise _files.failure(error, path) from error

    def _put(self, fd: int, lines: list[bytes], start: Head) -> None:
        """Write the lines in one go; half of them is worse than none, so what cannot be finished is taken back."""
        data = b"".join(lines)
        written = 0
        try:
            while written < len(data):
                written += os.write(fd, data[written:])
        except OSError as error:
            if written:
                try:
                    os.ftruncate(fd, start.offset)
                except OSError:
                    pass  # then it is a torn tail, and the next append mends it
            raise _files.failure(error, segment.path(self.writer, start.segment)) from error

    def _stays(self, fd: int, end: Head) -> bool:
        """False where a program has put another file in the place of the segment: the lines would be nowhere."""
        ours = os.fstat(fd)
        try:
            there = self._files.status(segment.path(self.writer, end.segment))
        except (MissingFileError, UnsafeFileError):
            return False
        return (ours.st_ino, ours.st_dev) == (there.st_ino, there.st_dev)

    def _make_durable(self, fd: int, durable: Head) -> None:
        try:
            _files.sync_data(fd)
        except OSError as error:
            self._known = None
            ending.poison(self._files, durable, error)
            raise _files.failure(error, segment.path(self.writer, durable.segment)) from error
        if ending.is_poisoned(self._files, self.writer):
            self._known = None
            raise ending.unsure(self.writer)
