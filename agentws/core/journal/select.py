"""Selection of journal events by kind, session, time or source: filtered on the bytes of lines, then parsed.

Within a writer events are in the order of their numbers; between writers the older next event comes first.
"""

from __future__ import annotations

import errno
import os

from agentws.core.disk import files as _files
from agentws.core.formats.journal import event, segment
from agentws.core.formats.json import plainjson
from agentws.core.journal import head, line_check, read, sync_failure
from agentws.errors import DamagedError, MissingFileError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from typing import Protocol

    from agentws.core.disk.files import Files
    from agentws.core.formats.journal.event import Event

    class Pause(Protocol):
        """The wait between two looks."""

        def __call__(self) -> None:
            """Wait until there may be something new."""

        def close(self) -> None:
            """End with the last look."""


_AT = b'"at":"'
_BEGIN, _NOTHING = b'{"agentws":1,"seq":', b"\0"
"""The beginning of each line, and a byte that no line contains: a disk that lost a part of a file returns zeros."""
_FAMILY = ".*"


class Wanted:
    """The conditions of a selection of events: an event must meet all of them.

    A kind that ends in `.*` means a family (`task.*`); `without` are kinds that are not wanted; `since` is a time as
    events hold it, and so is `before`, the first one that is too late. Each line must have one of the words `holding`.
    Lines with one of `words` are checked as well, in case their kind was altered.
    """

    def __init__(
        self,
        *,
        kinds: Sequence[str] = (),
        session: str | None = None,
        since: str | None = None,
        before: str | None = None,
        src: str | None = None,
        task: str | None = None,
        without: Sequence[str] = (),
        words: Sequence[bytes] = (),
        holding: Sequence[bytes] = (),
    ) -> None:
        self.words = tuple(words)
        self.kinds = frozenset(kinds)
        self.session = session
        self.since = since
        self.before = before
        self.src = src
        self.task = task
        self.without = frozenset((*without, event.HIDDEN))
        self._families = tuple(kind[:-1] for kind in kinds if kind.endswith(_FAMILY))
        self._since, self._before = (since or "").encode(), (before or "").encode()
        asked = (
            self._kind_words(),
            [f'"session":{plainjson.dumps(session)}'.encode()] if session else [],
            [f'"src":{plainjson.dumps(src)}'.encode()] if src else [],
            [plainjson.dumps(task).encode()] if task else [],
            [*holding],
        )
        self._groups = [group for group in asked if group]

    def _kind_words(self) -> list[bytes]:
        exact = [f'"kind":"{kind}"' for kind in sorted(self.kinds) if not kind.endswith(_FAMILY)]
        parts = [word.encode() for word in (*exact, *(f'"kind":"{family}' for family in self._families))]
        return [*parts, *self.words]

    def lines(self, offset: int, block: bytes) -> Iterator[tuple[int, bytes]]:
        """Yield (offset, line) of the lines in a block, which begins at `offset`, that may match."""
        groups, since, before = self._groups, self._since, self._before
        for group in groups:
            if not any(word in block for word in group):
                return
        for line in block[:-1].split(b"\n"):
            for group in groups:
                if not any(word in line for word in group):
                    break
            else:
                if (not since or _moment(line) >= since) and (not before or _moment(line) < before):
                    yield offset, line
            offset += len(line) + 1

    def fits(self, entry: Event) -> bool:
        """Return whether an event meets the conditions."""
        if self.session and entry.session != self.session:
            return False
        if self.src and entry.src != self.src:
            return False
        if self.task and (entry.body or {}).get("task") != self.task:
            return False
        if (self.since and entry.at < self.since) or (self.before and entry.at >= self.before):
            return False
        named = not self.kinds or entry.kind in self.kinds or entry.kind.startswith(self._families or ("\n",))
        return named and entry.kind not in self.without


def _moment(line: bytes) -> bytes:
    start = line.find(_AT) + len(_AT)
    return line[start : line.find(b'"', start)]


class Reader:
    """Reads the `wanted` events of a journal; `notices` names the lines that could not be read.

    A changed event is skipped, or returned with what is `wrong` if the reader `quotes` such events. `lost` are the
    cursors of lines that were changed or cannot be read, with the lines.
    """

    def __init__(self, files: Files, wanted: Wanted, *, quotes: bool = False) -> None:
        self._files = files
        self._quotes = quotes
        self.wanted = wanted
        self.notices: list[str] = []
        self.lost: list[tuple[str, bytes]] = []

    def behind(self, writer: str, seq: int) -> Iterator[Event]:
        """Yield the events of a writer with a number above `seq`, in order."""
        first = read.holding(self._files, writer, seq + 1)
        for number in read.segments(self._files, writer):
            if number < first:
                continue
            for entry in self._events(writer, number):
                if entry.seq > seq:
                    yield entry

    def newest(self, writer: str, limit: int, *, first: int = 0, before: int | None = None) -> list[Event]:
        """Return the newest events of a writer, at most `limit`, in order; none from segments below `first`.

        With `before` only events with a smaller number.
        """
        events: list[Event] = []
        last = None if before is None else read.holding(self._files, writer, before - 1)
        for number in read.newest_first(self._files, writer):
            if number < first:
                break
            if last is not None and number > last:
                continue
            blocks = read.blocks(self._files, writer, number)
            lines = [(start, block, *line) for start, block in blocks for line in self.wanted.lines(start, block)]
            for start, block, offset, line in reversed(lines):
                if before is not None and segment.seq_in(line) >= before:
                    continue
                entry = self._event(writer, number, offset, line, start, block)
                if entry is not None:
                    events.append(entry)
                if len(events) == limit:
                    return events[::-1]
        return events[::-1]

    def of(self, writer: str, number: int, lines: Iterable[tuple[int, bytes]]) -> Iterator[Event]:
        """Yield the wanted events among these lines of a segment."""
        for offset, line in lines:
            entry = self._event(writer, number, offset, line)
            if entry is not None:
                yield entry

    def within(self, writer: str, number: int, start: int, block: bytes) -> Iterator[Event]:
        """Yield the wanted events among the lines of a block, which begins at `start` of a segment."""
        for offset, line in self.wanted.lines(start, block):
            entry = self._event(writer, number, offset, line, start, block)
            if entry is not None:
                yield entry

    def _events(self, writer: str, number: int) -> Iterator[Event]:
        for start, block in read.blocks(self._files, writer, number):
            if self.wanted.words and (_NOTHING in block or block.count(_BEGIN) < block.count(b"\n")):
                self._lose(writer, number, start, block)
            yield from self.within(writer, number, start, block)

    def _lose(self, writer: str, number: int, offset: int, block: bytes) -> None:
        """Record the lines in a block that are not journal lines, though no wanted word is in them."""
        for line in block[:-1].split(b"\n"):
            if (_NOTHING in line or not line.startswith(_BEGIN)) and not any(
                word in line for word in self.wanted.words
            ):
                where = f"{segment.path(writer, number)} at byte {offset}"
                self.notices.append(f"{where}: not a line of a journal. To list all damage: agentws journal verify")
                self.lost.append((f"{writer}:{segment.seq_in(line) or where}", line))
            offset += len(line) + 1

    def _event(
        self, writer: str, number: int, offset: int, line: bytes, start: int = 0, block: bytes = b""
    ) -> Event | None:
        """Return the event of a line, or None; `block` is the block that contains it, if at hand."""
        where = f"{segment.path(writer, number)} at byte {offset}"
        try:
            entry = event.decode(line, writer=writer, segment=number, offset=offset, where=where)
        except DamagedError as error:
            self.notices.append(f"{error.message} Skipped. {error.hint or ''}".rstrip())
            self.lost.append((f"{writer}:{segment.seq_in(line) or where}", line))
            return None
        fits = self.wanted.fits(entry)
        if not fits and not self.wanted.words:
            return None
        if line_check.is_sound(entry, line, block, offset - start + len(line) + 1):
            return entry if fits else None
        after = line_check.behind(start, block, offset, line)
        entry.wrong = line_check.wrong_in(self._files, writer, number, offset, line, after)
        if not entry.wrong:
            return entry if fits else None
        self.lost.append((entry.cursor, line))
        say = line_check.quoted if self._quotes else line_check.passed_over
        self.notices.append(say(entry, entry.wrong))
        return entry if self._quotes and fits else None


def merged(streams: Iterable[Iterable[Event]]) -> Iterator[Event]:
    """Yield the events of several writers, each in its own order; the oldest next event first, then by writer."""
    import heapq

    return heapq.merge(*streams, key=lambda entry: (entry.at, entry.writer))


_CANNOT_SYNC = (errno.EROFS, errno.EINVAL, errno.EBADF, errno.ENOTSUP)


def follow(
    files: _files.Files,
    reader: Reader,
    position: Mapping[str, int],
    *,
    writer: str | None = None,
    pause: Pause,
) -> Iterator[Event]:
    """Yield every event after `position` as it becomes durable, without end; only of `writer` if it is given.

    A writer that `position` does not name is read from its beginning.
    """
    tails: dict[str, _Tail] = {}
    try:
        while True:
            for name in [writer] if writer else read.writers(files):
                if name not in tails:
                    tails[name] = _Tail(files, reader, name, position.get(name, 0))
            yield from merged([tail.fresh() for tail in tails.values()])
            pause()
    finally:
        pause.close()


class _Tail:
    """The end of one writer's journal as `follow` has read it."""

    def __init__(self, files: _files.Files, reader: Reader, writer: str, seq: int) -> None:
        self._files = files
        self._reader = reader
        self._writer = writer
        self._seq = seq
        self._number = read.holding(files, writer, seq + 1) or min(read.segments(files, writer), default=1)
        self._offset = 0
        self._inode = 0

    def fresh(self) -> Iterator[Event]:
        """Yield the new durable events."""
        later = True
        while later:
            # Checked before the rest is read: if there is a next segment, this one is complete.
            later = read.exists(self._files, segment.path(self._writer, self._number + 1))
            lines = self._rest()
            for entry in self._reader.of(self._writer, self._number, lines):
                if entry.seq > self._seq:
                    self._seq = entry.seq
                    yield entry
            if later:
                self._number, self._offset, self._inode = self._number + 1, 0, 0

    def _rest(self) -> list[tuple[int, bytes]]:
        """Return the complete, durable lines of the segment that were not read yet."""
        path = segment.path(self._writer, self._number)
        try:
            status = read.status(self._files, path)
        except MissingFileError:
            return []
        if status.st_ino != self._inode or status.st_size < self._offset:
            # The file was replaced by a purge: it is read again, and known events are skipped.
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
        """Return whether the segment is durable up to `end`, or was made so here; else its lines have to wait."""
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
                # The system reports a failure once: the next sync would seem to succeed.
                known = head.read(self._files, self._writer)
                if known is not None:
                    sync_failure.mark(self._files, known, error)
                raise _files.failure(error, path) from error
