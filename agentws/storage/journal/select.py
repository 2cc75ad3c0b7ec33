"""Events of a journal that somebody asked for: chosen on the bytes of their lines, parsed only when they are wanted.

Within a writer the order is that of its numbers; between writers the one whose next event is older comes first.
"""

from __future__ import annotations

from agentws.errors import DamagedError
from agentws.formats.journal import event, segment
from agentws.formats.json import plainjson
from agentws.storage.journal import linkage, read

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from agentws.formats.journal.event import Event
    from agentws.storage.disk.files import Files

_AT = b'"at":"'
_FAMILY = ".*"


class Wanted:
    """What is asked for: all that is given must fit.

    A kind that ends in `.*` stands for a family (`task.*`); `without` are kinds that are not wanted; `since` is a
    moment as an event tells it.
    """

    __slots__ = ("_families", "_groups", "_since", "kinds", "session", "since", "src", "task", "without")

    def __init__(
        self,
        *,
        kinds: Sequence[str] = (),
        session: str | None = None,
        since: str | None = None,
        src: str | None = None,
        task: str | None = None,
        without: Sequence[str] = (),
    ) -> None:
        self.kinds = frozenset(kinds)
        self.session = session
        self.since = since
        self.src = src
        self.task = task
        self.without = frozenset((*without, event.HIDDEN))
        self._families = tuple(kind[:-1] for kind in kinds if kind.endswith(_FAMILY))
        self._since = (since or "").encode()
        asked = (self._kind_words(), self._session_words(), self._src_words(), self._task_words())
        self._groups = [group for group in asked if group]

    def _kind_words(self) -> list[bytes]:
        exact = [f'"kind":"{kind}"' for kind in sorted(self.kinds) if not kind.endswith(_FAMILY)]
        return [word.encode() for word in (*exact, *(f'"kind":"{family}' for family in self._families))]

    def _session_words(self) -> list[bytes]:
        return [f'"session":{plainjson.dumps(self.session)}'.encode()] if self.session else []

    def _src_words(self) -> list[bytes]:
        return [f'"src":{plainjson.dumps(self.src)}'.encode()] if self.src else []

    def _task_words(self) -> list[bytes]:
        return [plainjson.dumps(self.task).encode()] if self.task else []

    def lines(self, offset: int, block: bytes) -> Iterator[tuple[int, bytes]]:
        """(offset, line) of the lines in a block, which begins at `offset`, that may be wanted."""
        groups, since = self._groups, self._since
        for group in groups:
            if not any(word in block for word in group):
                return
        for line in block[:-1].split(b"\n"):
            for group in groups:
                if not any(word in line for word in group):
                    break
            else:
                if not since or _moment(line) >= since:
                    yield offset, line
            offset += len(line) + 1

    def fits(self, found: Event) -> bool:
        """True where the event is wanted."""
        if self.session and found.session != self.session:
            return False
        if self.src and found.src != self.src:
            return False
        if self.task and (found.body or {}).get("task") != self.task:
            return False
        if self.since and found.at < self.since:
            return False
        named = not self.kinds or found.kind in self.kinds or found.kind.startswith(self._families or ("\n",))
        return named and found.kind not in self.without


def _moment(line: bytes) -> bytes:
    start = line.find(_AT) + len(_AT)
    return line[start : line.find(b'"', start)]


class Reader:
    """Reads what is `wanted` of a journal; `notices` says which lines could not be read.

    An event that is not the one that was written is passed over, or given with what is `wrong` where the reader
    `quotes` it.
    """

    __slots__ = ("_files", "_quotes", "notices", "wanted")

    def __init__(self, files: Files, wanted: Wanted, *, quotes: bool = False) -> None:
        self._files = files
        self._quotes = quotes
        self.wanted = wanted
        self.notices: list[str] = []

    def behind(self, writer: str, seq: int) -> Iterator[Event]:
        """The events of a writer with a number above `seq`, in order."""
        first = read.holding(self._files, writer, seq + 1)
        for number in read.segments(self._files, writer):
            if number < first:
                continue
            for found in self._events(writer, number):
                if found.seq > seq:
                    yield found

    def newest(self, writer: str, limit: int, *, first: int = 0) -> list[Event]:
        """The newest events of a writer, `limit` at most, in order; of no segment with a lower number than `first`."""
        found: list[Event] = []
        for number in reversed(read.segments(self._files, writer)):
            if number < first:
                break
            blocks = read.blocks(self._files, writer, number)
            lines = [(start, block, *line) for start, block in blocks for line in self.wanted.lines(start, block)]
            for start, block, offset, line in reversed(lines):
                one = self._event(writer, number, offset, line, start, block)
                if one is not None:
                    found.append(one)
                if len(found) == limit:
                    return found[::-1]
        return found[::-1]

    def of(self, writer: str, number: int, lines: Iterable[tuple[int, bytes]]) -> Iterator[Event]:
        """The events among these lines of a segment that are wanted."""
        for offset, line in lines:
            found = self._event(writer, number, offset, line)
            if found is not None:
                yield found

    def within(self, writer: str, number: int, start: int, block: bytes) -> Iterator[Event]:
        """The events that are wanted among the lines of a block, which begins at `start` of a segment."""
        for offset, line in self.wanted.lines(start, block):
            found = self._event(writer, number, offset, line, start, block)
            if found is not None:
                yield found

    def _events(self, writer: str, number: int) -> Iterator[Event]:
        for start, block in read.blocks(self._files, writer, number):
            yield from self.within(writer, number, start, block)

    def _event(
        self, writer: str, number: int, offset: int, line: bytes, start: int = 0, block: bytes = b""
    ) -> Event | None:
        """The event of a line, of which the block that it stands in is given where it is at hand."""
        where = f"{segment.path(writer, number)} at byte {offset}"
        try:
            found = event.decode(line, writer=writer, segment=number, offset=offset, where=where)
        except DamagedError as error:
            self.notices.append(f"{error.message} It was passed over. {error.hint or ''}".rstrip())
            return None
        if not self.wanted.fits(found):
            return None
        if linkage.is_sound(found, line, block, offset - start + len(line) + 1):
            return found
        after = linkage.behind(start, block, offset, line)
        found.wrong = linkage.wrong_in(self._files, writer, number, offset, line, after)
        if not found.wrong:
            return found
        say = linkage.quoted if self._quotes else linkage.passed_over
        self.notices.append(say(found, found.wrong))
        return found if self._quotes else None


def merged(streams: Iterable[Iterable[Event]]) -> Iterator[Event]:
    """The events of several writers, each in its own order; of the next ones the oldest first, then by writer."""
    import heapq

    return heapq.merge(*streams, key=lambda found: (found.at, found.writer))
