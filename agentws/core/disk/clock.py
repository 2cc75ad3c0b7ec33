"""Clocks: the system's time in the workspace's zone, or a fixed time; time zones and parsing of times."""

from __future__ import annotations

import os
from datetime import UTC, date, datetime, timedelta, tzinfo

from agentws.core.text.lazy import Pattern
from agentws.errors import UsageError

_NO_PLACES = ("etc", "us", "canada")
"""Areas of zones that are not called by a place in them: `Etc/GMT+8` is eight hours behind GMT."""


class SystemClock:
    """The system's clock, read in the zone `timezone` (an IANA name)."""

    def __init__(self, timezone: str) -> None:
        self._zone = zone(timezone)

    def now(self) -> datetime:
        """Return the system clock's present time."""
        return datetime.now(self._zone)  # noqa: TID251 - this is the Clock


class FixedClock:
    """A clock fixed at `moment`, shown in the zone `timezone`."""

    def __init__(self, moment: datetime, timezone: str) -> None:
        self._moment = moment.astimezone(zone(timezone))

    def now(self) -> datetime:
        """Return the fixed clock's time."""
        return self._moment


def zone(name: str) -> tzinfo:
    """Return the time zone called `name`, for a clock; UsageError if this system does not know it."""
    if name in ("UTC", "Etc/UTC", ""):
        return UTC
    import zoneinfo

    try:
        return zoneinfo.ZoneInfo(name)
    except (zoneinfo.ZoneInfoNotFoundError, ValueError, OSError) as error:
        raise UsageError(f"{name!r}: unknown time zone.", hint="Use an IANA name such as Europe/Berlin.") from error


def zone_named(words: str) -> str:
    """Return the IANA name of the zone that a person calls so, `Mountain Time (Denver)` or `Eastern US`; empty for none
    or several.
    """
    import zoneinfo

    names = [name.strip() for name in words.rstrip(")").split("(")]
    if not words or _is_known(names[0]):
        return names[0]
    asked = {name.casefold() for name in names}
    zones = []
    for zone_name in zoneinfo.available_timezones():
        area, *_, place = zone_name.replace("_", " ").casefold().split("/") * 2
        if (place in asked and area not in _NO_PLACES) or f"{place} {area}" in asked:
            zones.append(zone_name)
    return zones[0] if len(zones) == 1 else ""


def zone_file(name: str) -> str:
    """Return the time zone file that a clock in the zone `name` reads; empty if unknown."""
    import zoneinfo

    folders = list(zoneinfo.TZPATH)
    try:
        import tzdata  # type: ignore[import-untyped,unused-ignore]
    except ImportError:
        pass
    else:
        folders.append(os.path.join(os.path.dirname(tzdata.__file__), "zoneinfo"))
    return next((path for folder in folders if os.path.isfile(path := os.path.join(folder, name))), "")


def local_zone_name(tz: str | None) -> str:
    """Return the IANA name of the clock's local zone: from `tz` (`$TZ`), else /etc/localtime, else UTC.

    A POSIX zone is an IANA zone with its rule, such as `Etc/GMT-8` for `CST-8`; empty if no zone has that rule.
    """
    local = _of_file("/etc/localtime")
    name = zone_in(tz or "", local)
    if name is None:
        name = local if local and _is_known(local) else "UTC"
    return name.removeprefix("Etc/") if name == "Etc/UTC" else name


def zone_in(tz: str, local: str = "") -> str | None:
    """Return the IANA name of the zone in `$TZ`, best `local`; empty for a rule that no zone has, None for no zone."""
    named = tz.removeprefix(":")
    named = _of_file(named) if named.startswith("/") else named
    if not named or _is_known(named):
        return named or None
    return _posix_name(named, local)


def _of_file(path: str) -> str:
    """Return the name of the zone whose file is at this absolute path; empty if unknown."""
    try:
        return os.path.realpath(path).partition("zoneinfo/")[2]
    except (OSError, ValueError):
        return ""


def _is_known(name: str) -> bool:
    try:
        zone(name)
    except UsageError:
        return False
    return True


def moment(text: str | date, *, now: datetime) -> datetime:
    """Return the time by the clock for a `text`: ISO 8601, a date, `today`, `yesterday`, or `3d`, `2h`, `30m` ago.

    A date means its beginning; a time without a zone is in the zone of `now`. From Python also a date or datetime.
    """
    text = str(text)
    word = text.strip().lower()
    if word in ("now", "today", "yesterday"):
        start = now if word == "now" else now.replace(hour=0, minute=0, second=0, microsecond=0)
        return start - timedelta(days=1) if word == "yesterday" else start
    units = {"d": "days", "h": "hours", "m": "minutes"}
    try:
        if word[-1:] in units and word[:-1].isdigit():
            return now - timedelta(**{units[word[-1]]: int(word[:-1])})
        instant = datetime.fromisoformat(text.strip())
    except (ValueError, OverflowError) as error:
        raise UsageError(
            f"{text!r} is not a time.", hint="Write 2026-11-20, 2026-11-20T07:15, today, yesterday, 3d or 2h."
        ) from error
    return instant if instant.tzinfo else instant.replace(tzinfo=now.tzinfo or UTC)


def stamp(when: str | date | None, *, now: datetime) -> str | None:
    """Return a moment (as for `moment`) in UTC, as events have it; None for None."""
    return None if when is None else moment(when, now=now).astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")


def local(text: str, now: datetime) -> str:
    """Return a moment (ISO 8601) to the minute on a clock in the zone of `now`; any other text unchanged."""
    try:
        parsed = datetime.fromisoformat(text)
        parsed = parsed.astimezone(now.tzinfo) if parsed.tzinfo else parsed
    except (ValueError, OverflowError):
        return text
    return f"{parsed:%Y-%m-%d %H:%M}"


def day_in(zone: tzinfo | None, at: str) -> str:
    """Return the day (ISO) of a journal time on a clock in a zone; its first ten characters if it is invalid."""
    try:
        return datetime.fromisoformat(at).astimezone(zone).date().isoformat()
    except (ValueError, OverflowError):
        return at[:10]


_LABEL = r"(?:[A-Za-z]{3,}|<[A-Za-z0-9+-]{3,}>)"
_TIME = r"([+-]?\d{1,3}(?::\d\d){0,2})"
_DAY = r"(M\d{1,2}\.[1-5]\.[0-6]|J?\d{1,3})"
_ZONE = Pattern(rf"{_LABEL}{_TIME}(?:{_LABEL}{_TIME}?(?:,{_DAY}(?:/{_TIME})?,{_DAY}(?:/{_TIME})?)?)?\Z")
_SUMMER = Pattern(rf"{_LABEL}{_TIME}{_LABEL}.*\Z")
_HOUR_S = 3600
_USUAL = (
    "Europe/Berlin", "Europe/London", "Europe/Athens", "Europe/Lisbon", "Europe/Moscow", "Europe/Istanbul",
    "America/New_York", "America/Chicago", "America/Denver", "America/Los_Angeles", "America/Anchorage",
    "America/Halifax", "America/St_Johns", "America/Santiago", "Asia/Kolkata", "Asia/Jerusalem", "Australia/Sydney",
    "Australia/Adelaide", "Pacific/Auckland",
)  # fmt: skip
"""The zones that are named where others have the same rule."""


def _posix_name(tz: str, local: str) -> str | None:
    """Return the IANA name of a zone with the rule `tz`, preferably `local`; None if `tz` is not a POSIX zone.

    The name is empty if no zone has that rule.
    """
    rule = _rule(tz)
    if rule is None:
        return None
    hours, rest = divmod(int(rule[0]), _HOUR_S)
    if len(rule) == 1 and not rest and -14 <= hours <= 12:  # the zones of Etc
        return f"Etc/GMT{hours:+d}" if hours else "UTC"
    import zoneinfo

    matches = {each for each in zoneinfo.available_timezones() if _rule(_footer(zone_file(each))) == rule}
    usual = [each for each in (local, *_USUAL) if each in matches]
    return (usual or sorted(matches, key=lambda each: ("/" not in each, each)) or [""])[0]


def _rule(tz: str) -> tuple[int | str, ...] | None:
    """Return the rule of a POSIX zone without its labels: seconds west of Greenwich, and when summer time is which."""
    match = _ZONE.match(tz)
    if match is None:
        return None
    offset, summer, start, start_time, end, end_time = match.groups()
    standard_s = _seconds(offset)
    if not _SUMMER.match(tz):
        return (standard_s,)
    summer_s = _seconds(summer) if summer else standard_s - _HOUR_S
    return standard_s, summer_s, start or "", _seconds(start_time or "2"), end or "", _seconds(end_time or "2")


def _seconds(text: str) -> int:
    parts = [int(part) for part in text.lstrip("+-").split(":")]
    size = sum(part * unit for part, unit in zip(parts, (_HOUR_S, 60, 1), strict=False))
    return -size if text.startswith("-") else size


def _footer(path: str) -> str:
    try:
        with open(path, "rb") as file:
            return file.read().rstrip(b"\n").rpartition(b"\n")[2].decode("ascii", "replace")
    except OSError:
        return ""
