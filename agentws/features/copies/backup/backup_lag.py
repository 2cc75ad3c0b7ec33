"""Measure how far a backup lags behind the workspace: newer events, and documents with newer times."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta

from agentws.core import Record
from agentws.core.disk import files as _files
from agentws.core.disk.files import Files
from agentws.core.formats import layout
from agentws.core.journal import read, select


class Lag(Record):
    """The number of `events` that a backup lacks, and the time of the `newest` (None: it lacks none)."""

    events: int = 0
    newest: datetime | None = None


def behind(files: Files, copied: Mapping[str, int]) -> Lag:
    """Return the lag of a backup whose newest event numbers, by writer, are `copied`."""
    count, newest = 0, []
    for writer in read.writers(files):
        last = read.last_seq(files, writer)
        have = copied.get(writer, 0)
        if last > have:
            count += last - have
            newest += [moment(event.at) for event in select.Reader(files, select.Wanted()).newest(writer, 1)]
    return Lag(count, max(newest, default=None))


def documents(files: Files, newest_ns: int) -> int:
    """Return how many documents are newer than `newest_ns`, the newest one in a copy; 0 if that is unknown (0).

    Only modification times are compared; removed documents are not counted.
    """
    count, waiting = 0, [""] if newest_ns else []
    while waiting:
        folder = waiting.pop()
        stamped_names = files.stamped_names(folder)
        within = f"{folder}/" if folder else ""
        names = layout.documents(folder, [name for name, kind, _ in stamped_names if kind == "file"])
        times = {name: _files.mtime_ns_of(stamp) for name, _, stamp in stamped_names}
        count += sum(times[name] > newest_ns for name in names)
        waiting += [
            within + name for name, kind, _ in stamped_names if kind == "folder" and layout.may_hold(within + name)
        ]
    return count


def moment(at: str) -> datetime:
    """Return an event's time as a datetime."""
    return datetime.fromisoformat(at.replace("Z", "+00:00"))


def ago(now: datetime, at: str) -> str:
    """Return the time from an event's time (text) to `now`, in words."""
    return span(now, moment(at))


def span(now: datetime, at: datetime) -> str:
    """Return the time from a datetime to `now`, in words."""
    return f"{_words(max(now - at, now - now))} ago"


def _words(span: timedelta) -> str:
    seconds = int(span.total_seconds())
    for size, word in ((86_400, "d"), (3_600, "h"), (60, "min")):
        if seconds >= 2 * size or (size == 60 and seconds >= 60):
            return f"{seconds // size} {word}"
    return f"{seconds} s"
