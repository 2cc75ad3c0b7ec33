"""A cache of the calls found in journal segments, so that a process does not search the same lines twice."""

from __future__ import annotations

import re

from agentws.core.formats.journal import segment
from agentws.core.journal import read

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from agentws.core.disk.files import Files

    Stamp = tuple[int, ...]

_CALL = re.compile(rb'"call":("(?:[^"\\\n]|\\.)*+")')
_NEWEST = 2


class Seen:
    """The calls found in each segment, valid until the segment changes: other processes write, and lines are purged."""

    __slots__ = ("_calls", "_files", "_in_flight", "_state")

    def __init__(self, files: Files) -> None:
        self._files = files
        self._calls: dict[tuple[str, int], tuple[Stamp, frozenset[bytes]]] = {}
        self._in_flight: list[str] = []
        self._state: tuple[object, ...] = ()

    def size_without(self, writer: str, number: int, call: bytes) -> int:
        """Return the size in bytes of a segment without this call (a JSON text); 0 if it has to be read."""
        stamp = self._stamp(writer, number)
        before, calls = self._calls.get((writer, number), ((), frozenset()))
        if before != stamp:
            blocks = read.blocks(self._files, writer, number)
            calls = frozenset(call for _, block in blocks for call in _CALL.findall(block))
            self._calls[writer, number] = stamp, calls
        return 0 if call in calls else stamp[0]

    def in_flight(self, writers: Sequence[str], *others: object, look: Callable[[], list[str]]) -> list[str]:
        """Return the calls in flight that `look` finds, cached while the writers' newest segments are unchanged."""
        newest = [(writer, number) for writer in writers for number in read.newest(self._files, writer, _NEWEST)]
        state = (*others, *writers, *((*each, *self._stamp(*each)) for each in newest))
        if state != self._state:
            self._in_flight = look()
            self._state = state
        return self._in_flight

    def _stamp(self, writer: str, number: int) -> Stamp:
        status = read.status(self._files, segment.path(writer, number))
        return status.st_size, status.st_ino, status.st_mtime_ns
