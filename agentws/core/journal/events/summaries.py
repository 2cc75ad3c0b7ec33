"""One-line summaries of longer stretches of the journal. Pure: the same events give the same text."""

from __future__ import annotations

from datetime import datetime, timedelta

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    Hours = dict[str, tuple[str, str, dict[str, int]]]
    """Hour (`2026-11-20T07`, UTC) → the minutes of its first and last event, and the counts of its events.

    Counts are by kind, for an action by `action TOOL`.
    """

MOST = 6
HOUR = 13
"""The number of characters of a time up to its hour."""
_MOST_NAMED = 3
_NEAR = timedelta(minutes=61)
_ACTION = "action"
_LONGEST = 40


class EventSummary:
    """A stretch of events from `first` to `last` (moments), and their counts by kind or tool."""

    __slots__ = ("counts", "first", "last")

    def __init__(self, first: datetime, last: datetime, counts: Mapping[str, int]) -> None:
        self.first = first
        self.last = last
        self.counts = dict(counts)

    def join(self, later: EventSummary) -> None:
        """Merge a later stretch into this one."""
        self.last = max(self.last, later.last)
        for what, count in later.counts.items():
            self.counts[what] = self.counts.get(what, 0) + count

    @property
    def events(self) -> int:
        """The number of events in the stretch."""
        return sum(self.counts.values())

    @property
    def words(self) -> str:
        """The counts as text: `48 actions (read_file ×30, web_search ×18), 2 errors`."""
        actions: dict[str, int] = {}
        others: dict[str, int] = {}
        for what, count in self.counts.items():
            kind, _, tool = what.partition(" ")
            counts = actions if kind == _ACTION else others
            counts[tool if kind == _ACTION else kind] = count
        parts = [_counted(sum(actions.values()), _ACTION) + _by_tool(actions)] if actions else []
        parts += [_counted(count, kind) for kind, count in _often(others)[:_MOST_NAMED]]
        rest = sum(count for _, count in _often(others)[_MOST_NAMED:])
        return ", ".join([*parts, f"{rest} others"] if rest else parts)


def found(hours: Iterable[Hours], zone: datetime) -> list[EventSummary]:
    """Return the summaries of these hourly counts, oldest first, at most MOST; days and times are in the zone of
    `zone`.

    Adjacent hours of one day are one stretch; if there are too many stretches, the oldest are merged.
    """
    made: list[EventSummary] = []
    each = [pair for table in hours for pair in table.values()]
    for first, last, counts in sorted(each, key=lambda pair: pair[:2]):
        try:
            stretch = EventSummary(_local(first, zone), _local(last, zone), counts)
        except (ValueError, OverflowError):
            continue  # no time that any clock shows
        if made and stretch.first - made[-1].last <= _NEAR and stretch.first.date() == made[-1].first.date():
            made[-1].join(stretch)
        else:
            made.append(stretch)
    while len(made) > MOST:
        made[0].join(made.pop(1))
    return made


def _local(minute: str, zone: datetime) -> datetime:
    return datetime.fromisoformat(f"{minute}:00+00:00").astimezone(zone.tzinfo)


def _by_tool(actions: Mapping[str, int]) -> str:
    often = [(tool, count) for tool, count in _often(actions) if tool]
    parts = [f"{tool[:_LONGEST]} ×{count}" if count > 1 else tool[:_LONGEST] for tool, count in often[:_MOST_NAMED]]
    rest = sum(count for _, count in often[_MOST_NAMED:])
    return f" ({', '.join([*parts, f'others ×{rest}'] if rest else parts)})" if parts else ""


def _often(counts: Mapping[str, int]) -> list[tuple[str, int]]:
    return sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))


def _counted(count: int, kind: str) -> str:
    """Return a count with its kind, `2 errors`; a kind of two words (`task.closed`) has no plural."""
    if not kind.isalpha():
        return f"{kind[:_LONGEST]} ×{count}"
    return f"1 {kind[:_LONGEST]}" if count == 1 else f"{count:,} {kind[:_LONGEST]}s"
