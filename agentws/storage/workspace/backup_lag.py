"""The events that are newer than a backup: how many, and from when to when. One line is read of each journal."""

from __future__ import annotations

from datetime import datetime

from agentws.errors import AgentwsError
from agentws.storage.journal import read, select

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from agentws.storage.disk.files import Files


class Lag:
    """How many `events` a backup lacks, the moments of the `first` and the `newest` of them (None: there is none)."""

    __slots__ = ("events", "first", "newest")

    def __init__(self, events: int = 0, first: datetime | None = None, newest: datetime | None = None) -> None:
        self.events = events
        self.first = first
        self.newest = newest


def behind(files: Files, copied: Mapping[str, int]) -> Lag:
    """Return what is newer in the journals of a workspace than the numbers that were `copied` of each writer."""
    count, first, newest = 0, [], []
    for writer in read.writers(files):
        last = read.last_seq(files, writer)
        have = copied.get(writer, 0)
        if last > have:
            count += last - have
            first += _at(files, writer, have + 1)
            newest += [moment(one.at) for one in select.Reader(files, select.Wanted()).newest(writer, 1)]
    return Lag(count, min(first, default=None), max(newest, default=None))


def moment(at: str) -> datetime:
    """The moment of an event."""
    return datetime.fromisoformat(at.replace("Z", "+00:00"))


def _at(files: Files, writer: str, seq: int) -> list[datetime]:
    try:
        return [moment(read.find(files, writer, seq).at)]
    except AgentwsError:
        return []  # it was taken away by a rule since
