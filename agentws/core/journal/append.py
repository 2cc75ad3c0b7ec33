"""The durable append to a writer's journal: the hot path. Specified in docs/format/journal.md.

Under the append lock: find the end of the journal, repaired after a crash; write; unlock; sync; check again whether a
sync of some process has failed; acknowledge. A sync makes every earlier line of the segment durable, so an acknowledged
line never follows a lost one.
"""

from __future__ import annotations

import os

from agentws.core.disk import dir_cache, files as _files, local_dir, locate, lock
from agentws.core.formats import digest
from agentws.core.formats.journal import chain, event, segment
from agentws.core.installation import installation
from agentws.core.journal import end as _end, head, sync_failure

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from agentws.core.disk.files import Files
    from agentws.core.formats.journal.event import Body
    from agentws.core.journal.entry import PendingEvent
    from agentws.core.journal.head import Head

_MANY = 200
"""A process that has appended so many events will append more."""
_OPENING = 1
"""The number of the event that opens a journal."""


class Appender:
    """Appends events to the journal of `writer`, an installation of `agent`.

    `notices` says what had to be repaired. An Appender may be used by several threads. `folder` is the folder of the
    installation's state, `secret` the installation's secret; `hosted` is the session that a host names for its
    commands.
    """

    def __init__(
        self, files: _files.Files, agent: str, writer: str, folder: str = "", *, secret: bytes | None = None
    ) -> None:
        self._files = files
        self._secret = secret
        self.folder = folder
        self.hosted: str | None = None
        self._known: Head | None = None
        self._count = 0
        self._began: dict[str, Body] = {}
        self._kept: list[tuple[int, int, int]] = []
        self._unmarked: tuple[Head, OSError] | None = None
        self.agent = agent
        self.writer = writer
        self.notices: list[str] = []

    def __del__(self) -> None:
        for _, _, fd in self._kept:
            os.close(fd)

    def append(self, entries: Sequence[PendingEvent], *, begins: bool = False) -> None:
        """Append the entries in this order and set the number of each; they are durable on return.

        With `begins`, the entries are those that begin a journal: they are left out if another process has begun it
        meanwhile.

        Raises DamagedError if the journal is damaged, DiskError if the disk refuses, MayNotWriteError if the agent has
        moved away: then nothing is acknowledged.
        """
        self._count += len(entries)
        if self._count > _MANY >= self._count - len(entries):
            digest.hasten()
        files = dir_cache.Held(self._files.root)
        try:
            local_dir.prepare(files)
            with lock.Lock(files, lock.APPEND):
                locate.check_not_left(files)  # the agent may have moved away while we waited
                fd, end, durable = self._append(files, entries, begins=begins)
            try:
                self._make_durable(files, fd, end, durable)
            except BaseException:
                os.close(fd)
                raise
            self._kept.append((os.getpid(), end.segment, fd))
            head.write(files, end, self._secret)
            if self.folder:
                installation.remember(self.folder, end.writer, end.seq, end.hash)
        finally:
            files.close()

    def running(self, *, by_host: bool = True) -> str | None:
        """Return the session that an event without one is given, or None; without `by_host`, as if no host named
        one.
        """
        local_dir.prepare(self._files)
        with lock.Lock(self._files, lock.APPEND):
            return self._running(self._files, self._end(self._files), self.hosted if by_host else None)

    def _running(self, files: Files, end: Head, hosted: str | None) -> str | None:
        if not end.sessions:
            return None
        from agentws.core.journal import attribution

        return attribution.newest(files, end, self._began, keeps=True, hosted=hosted)

    def sessions(self) -> list[str]:
        """Return the ids of the sessions without an end, newest last; of very many, the oldest are left out."""
        local_dir.prepare(self._files)
        with lock.Lock(self._files, lock.APPEND):
            return list(self._end(self._files).sessions)

    def _append(self, files: Files, entries: Sequence[PendingEvent], *, begins: bool) -> tuple[int, Head, Head]:
        """Append under the lock; returns the open segment, the new end and the end before."""
        while True:
            fd = self._open_still()
            known = None
            if fd >= 0 and self._known is not None and self._unmarked is None:  # another thread's sync may have failed
                known = _end.at_hand(files, self._known, fd)
            if known is None and fd >= 0:
                os.close(fd)
                fd = -1
            before = known or self._end(files)
            if begins and before.seq > _OPENING:
                entries = ()
            self._known = None  # until all is written it is not known
            # The orders that this installation gives are known outside of the workspace: no others are carried out.
            digests = [entry.digest for entry in entries if entry.kind in event.ORDERS]
            if digests and self.folder:
                from agentws.core.installation import own_records

                own_records.note_orders(self.folder, self.agent, digests)
            end = before.copy()
            fd, stays = self._write(files, entries, end, fd)
            if stays:
                self._known = end.copy()
                return fd, end, before
            os.close(fd)

    def _open_still(self) -> int:
        """Return the descriptor of the segment that was written to last, -1 for none.

        Each is used by one append at a time, and never by a forked child: the system reports a failed sync only once to
        all that share an open file.
        """
        while self._kept:
            process, number, fd = self._kept.pop()
            if process == os.getpid() and self._known is not None and number == self._known.segment:
                return fd
            os.close(fd)
        return -1

    def _end(self, files: Files) -> Head:
        if self._unmarked is not None:
            if not sync_failure.mark(files, *self._unmarked):
                raise sync_failure.unsure(self.writer)
            self._unmarked = None
        journal_end = _end.find(files, self.agent, self.writer, self._known, folder=self.folder, secret=self._secret)
        self.notices += journal_end.notices
        return journal_end.head

    def _attribute(self, files: Files, entries: Sequence[PendingEvent], end: Head) -> None:
        """Give each entry without a session the newest session that runs at that moment."""
        name: str | None = None
        is_known = False
        for entry in entries:
            if entry.session is None:
                name, is_known = name if is_known else self._running(files, end, self.hosted), True
                entry.session = name or ""
            if entry.kind in (event.STARTED, event.ENDED):
                end.sessions = head.turned(end.sessions, entry.kind, entry.session)
                name, is_known = entry.session, entry.kind == event.STARTED

    def _write(self, files: Files, entries: Sequence[PendingEvent], end: Head, fd: int) -> tuple[int, bool]:
        """Write the lines behind `end`, which moves on; False if the segment at its path was replaced.

        `fd` is the segment, -1 if it is not open yet.
        """
        lines: list[bytes] = []
        try:
            self._attribute(files, entries, end.copy())
            for entry in entries:
                entry.settle(files, self.writer)
            if fd < 0:
                fd = self._open(files, end)
            start = end.copy()
            for entry in entries:
                line = entry.line(end)
                if end.offset + len(line) > segment.LIMIT_BYTES and end.offset:
                    self._put(fd, lines, start)
                    from agentws.core.journal import rotation

                    rotation.rotate(files, self.agent, end, fd=fd)
                    os.close(fd)
                    fd = -1
                    fd, lines, start = self._open(files, end), [], end.copy()
                    line = entry.line(end)
                lines.append(line)
                head.advance(end, line, entry.hash, entry.kind, entry.session, entry.seals)
                entry.written(end)
            self._put(fd, lines, start)
            return fd, self._stays(files, fd, end)
        except BaseException:
            if fd >= 0:
                os.close(fd)
            raise

    def _open(self, files: Files, end: Head) -> int:
        path = segment.path(self.writer, end.segment)
        with _files.Failing(path):
            return files.open_in_place(path, os.O_RDWR | os.O_APPEND)

    def _put(self, fd: int, lines: list[bytes], start: Head) -> None:
        """Write the lines in one go; lines that cannot be written completely are taken back."""
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
                    pass  # a torn tail remains, which the next append repairs
            raise _files.failure(error, segment.path(self.writer, start.segment)) from error

    def _stays(self, files: Files, fd: int, end: Head) -> bool:
        """Return False if a program has replaced the segment file: lines written to the old one would be lost."""
        return files.is_at(segment.path(self.writer, end.segment), os.fstat(fd))

    def _make_durable(self, files: Files, fd: int, end: Head, durable: Head) -> None:
        # Each process syncs by itself: the system merges syncs of one file better than a lock did.
        try:
            _files.sync_data(fd)
        except OSError as error:
            self._known = None
            if not sync_failure.mark(files, durable, error):
                self._unmarked = durable, error  # nobody but this process knows
            raise _files.failure(error, segment.path(self.writer, durable.segment)) from error
        # A failed sync of another process left a mark; or the mark was cleared already, and the lines found on disk are
        # in another file.
        if sync_failure.stands(files, self.writer) or not (self._stays(files, fd, end) or self._stands(files, end)):
            self._known = None
            raise sync_failure.unsure(self.writer)

    def _stands(self, files: Files, end: Head) -> bool:
        """Return whether the file at the path still holds our newest line; a purge may have rewritten it."""
        whole = files.part(segment.path(self.writer, end.segment), 2 * segment.LIMIT_BYTES)[0]
        for line in whole.split(b"\n")[:-1]:
            if line.startswith(b'{"agentws":1,"seq":%d,' % end.seq):
                return chain.hash_of(line) == end.hash
        return False
