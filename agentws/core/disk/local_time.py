"""The local time in the workspace's zone, without reading the zone's file every time.

The offset and name of a zone hold until it changes its clocks. They are cached for that long, a day at most, with the
digest of the zone's file.
"""

from __future__ import annotations

import os
import time

from agentws.core.formats import digest

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime, tzinfo

    from agentws.core.disk.cache import Cache

    Rule = tuple[int, str]

_UTC = ("UTC", "Etc/UTC", "")
_STEP_S = 900
_STEPS = 96
_EARLIEST_S, _LATEST_S = -62_000_000_000, 253_000_000_000
"""Within the years that a calendar can show, with room for the days around."""


class LocalTime:
    """A local time: `day` (`YYYY-MM-DD`) and `time` (`HH:MM`), and the zone's offset and name then.

    Offset and name are valid `since` that second, or longer.
    """

    def __init__(self, second: int, offset_s: int, zone: str, since: int) -> None:
        self.since = since
        shown = time.gmtime(second + offset_s)
        self.second = second
        self.offset_s = offset_s
        self.zone = zone
        self.day = f"{shown.tm_year:04d}-{shown.tm_mon:02d}-{shown.tm_mday:02d}"
        self.time = f"{shown.tm_hour:02d}:{shown.tm_min:02d}"

    @property
    def moment(self) -> datetime:
        """The local time as a datetime. Its offset is fixed, whatever the zone does later."""
        from datetime import datetime, timedelta, timezone

        return datetime.fromtimestamp(self.second, timezone(timedelta(seconds=self.offset_s), self.zone))


def now() -> int:
    """Return the system's present second; `at` gives its local time."""
    return int(time.time())  # noqa: TID251 - asked by the stores alone, beside the Clock


def utc(second: int) -> str:
    """Return a second in UTC instead of local time, as the journal writes it: `2026-11-20T06:15:00`."""
    shown = time.gmtime(second)
    return f"{shown.tm_year:04d}-{shown.tm_mon:02d}-{shown.tm_mday:02d}T{time.strftime('%H:%M:%S', shown)}"


def at(second: int, name: str, cache: Cache) -> LocalTime:
    """Return the local time of `second` (since 1970) in the zone `name`; UsageError if that is unknown here."""
    if name in _UTC:
        return LocalTime(second, 0, "UTC", _EARLIEST_S)
    known = cache.get("zone")
    if known is not None:
        same, since, until, offset_s, shown, file, seal = known
        if same == name and since <= second < until and _digest(file) == seal:
            return LocalTime(second, offset_s, shown, since)
    from agentws.core.disk import clock

    zone = clock.zone(name)
    offset_s, shown = _rule(zone, second)
    file, since = clock.zone_file(name), second
    if file and _EARLIEST_S < second < _LATEST_S:
        since, until = _extent(lambda when: _rule(zone, when), second)
        cache.put("zone", [name, since, until, offset_s, shown, file, _digest(file)], made_by=[__file__])
    return LocalTime(second, offset_s, shown, since)


def _rule(zone: tzinfo, second: int) -> Rule:
    from datetime import datetime

    there = datetime.fromtimestamp(second, zone)
    offset = there.utcoffset()
    return (round(offset.total_seconds()) if offset is not None else 0, there.tzname() or "")


def _extent(rule: Callable[[int], Rule], second: int) -> tuple[int, int]:
    """Return the seconds around `second`, from and until, with the same zone rule; a day at most each way."""
    return _last(rule, second, -_STEP_S), _last(rule, second, _STEP_S) + 1


def _last(rule: Callable[[int], Rule], second: int, step_s: int) -> int:
    """Return the last second in the direction of `step_s` with the same zone rule, within the limit."""
    same = rule(second)
    for _ in range(_STEPS):
        beyond = second + step_s
        if rule(beyond) != same:
            while abs(beyond - second) > 1:
                middle = (second + beyond) // 2
                second, beyond = (middle, beyond) if rule(middle) == same else (second, middle)
            return second
        second = beyond
    return second


def _digest(path: str) -> str:
    """Return the digest of a zone's file, which is outside of the workspace and small."""
    try:
        fd = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        try:
            return digest.quick(os.read(fd, 1 << 20))
        finally:
            os.close(fd)
    except OSError:
        return ""
