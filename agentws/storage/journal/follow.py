"""New events of a journal as they become durable, seen by looking at the newest segment of each writer."""

from __future__ import annotations

import errno
import os
import time

from agentws.errors import MissingFileError
from agentws.formats.journal import segment
from agentws.storage.disk import files as _files
from agentws.storage.journal import head, read, select, sync_failure

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from agentws.formats.journal.event import Event

POLL_S = 0.2
_CANNOT_SYNC = (errno.EROFS, errno.EINVAL, errno.EBADF, errno.ENOTSUP)


def follow(
    files: _files.Files,
    reader: select.Reader,
    position: Mapping[str, int],
    *,
    writer: str | None = None,
    poll_s: float = POLL_S,
) -> Iterator[Event]:
    """Every event behind `position` as it becomes durable, without end; of `writer` alone where it is given.

    A writer that `position` does not name is told from its beginning.
    """
    tails: dict[str, _Tail] = {}
    while True:
        for name in [writer] if writer else read.writers(files):
            if name not in tails:
                tails[name] = _Tail(files, reader, name, position.get(name, 0))
        yield from select.merged([tail.fresh() for tail in tails.values()])
        time.sleep(poll_s)


class _Tail:
    """The end of one writer's journal: what was told of it, and where to look for more."""

    def __init__(self, files: _files.Files, reader: select.Reader, writer: str, seq: int) -> None:
        self._files = files
        self._reader = reader
        self._writer = writer
        self._seq = seq
        self._number = read.holding(files, writer, seq + 1) or 1
        self._offset = 0
        self._inode = 0

    def fresh(self) -> Iterator[Event]:
        """The events that are new and durable."""
        later = True
        while later:
            # Asked before the rest is read: where there is a next segment, nothing more comes into this one.
            later = self._files.exists(segment.path(self._writer, self._number + 1))
            lines = self._rest()
            for found in self._reader.of(self._writer, self._number, lines):
                if found.seq > self._seq:
                    self._seq = found.seq
                    yield found
            if later:
                self._number, self._offset, self._inode = self._number + 1, 0, 0

    def _rest(self) -> list[tuple[int, bytes]]:
        """The complete, durable lines of the segment that were not looked at yet."""
        path = segment.path(self._writer, self._number)
        try:
            status = self._files.status(path)
        except MissingFileError:
            return []
        if status.st_ino != self._inode or status.st_size < self._offset:
            # Another file stands there, since lines were purged: it is read again, and what is known passed over.
            self._offset = 0
        if status.st_size == self._offset:
            return []
        lines = list(read.lines(self._files, self._writer, self._number, start=self._offset))
        end = lines[-1][0] + len(lines[-1][1]) + 1 if lines else self._offset
        if not lines or not self._durable(path, end):
            return []
        self._offset, self._inode = end, status.st_ino
        return lines

    def _durable(self, path: str, end: int) -> bool:
        """True where the segment is durable up to `end`: known to be, or made so here. False: not to be told yet."""
        known = head.read(self._files, self._writer)
        if known is None:
            return True  # nobody appends to it on this machine: it came from elsewhere, whole
        if (known.segment, known.offset) >= (self._number, end):
            return True
        if sync_failure.stands(self._files, self._writer):
            return False
        self._sync(path)
        return True

    def _sync(self, path: str) -> None:
        try:
            fd = self._files.open(path)
            try:
                _files.sync_data(fd)
            finally:
                os.close(fd)
        except OSError as error:
            if error.errno not in _CANNOT_SYNC:
                # The system tells of a failure once: whoever syncs next would believe that all is well.
                known = head.read(self._files, self._writer)
                if known is not None:
                    sync_failure.mark(self._files, known, error)
                raise _files.failure(error, path) from error
