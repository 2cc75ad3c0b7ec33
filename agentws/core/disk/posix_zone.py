"""Time zones as POSIX writes them in `$TZ` (`CET-1CEST,M3.5.0,M10.5.0/3`), and the IANA zones with the same rule.

Each zone file of IANA ends with the rule for all later years in the same notation (RFC 8536, footer).
"""

from __future__ import annotations

import re
import zoneinfo
from collections.abc import Callable

Rule = tuple[int | str, ...]


_LABEL = r"(?:[A-Za-z]{3,}|<[A-Za-z0-9+-]{3,}>)"
_TIME = r"([+-]?\d{1,3}(?::\d\d){0,2})"
_DAY = r"(M\d{1,2}\.[1-5]\.[0-6]|J?\d{1,3})"
_ZONE = re.compile(rf"{_LABEL}{_TIME}(?:{_LABEL}{_TIME}?(?:,{_DAY}(?:/{_TIME})?,{_DAY}(?:/{_TIME})?)?)?")
_SUMMER = re.compile(rf"{_LABEL}{_TIME}{_LABEL}.*")
_HOUR_S = 3600
_USUAL = (
    "Europe/Berlin", "Europe/London", "Europe/Athens", "Europe/Lisbon", "Europe/Moscow", "Europe/Istanbul",
    "America/New_York", "America/Chicago", "America/Denver", "America/Los_Angeles", "America/Anchorage",
    "America/Halifax", "America/St_Johns", "America/Santiago", "Asia/Kolkata", "Asia/Jerusalem", "Australia/Sydney",
    "Australia/Adelaide", "Pacific/Auckland",
)  # fmt: skip
"""The zones that are named where others have the same rule."""


def name(tz: str, local: str, zone_file: Callable[[str], str]) -> str | None:
    """Return the IANA name of a zone with the rule `tz`, preferably `local`; None if `tz` is not a POSIX zone.

    The name is empty if no zone has that rule. `zone_file` returns the path of a zone's file.
    """
    rule = _rule(tz)
    if rule is None:
        return None
    hours, rest = divmod(int(rule[0]), _HOUR_S)
    if len(rule) == 1 and not rest and -14 <= hours <= 12:  # the zones of Etc
        return f"Etc/GMT{hours:+d}" if hours else "UTC"
    matches = {each for each in zoneinfo.available_timezones() if _rule(_footer(zone_file(each))) == rule}
    usual = [each for each in (local, *_USUAL) if each in matches]
    return (usual or sorted(matches, key=lambda each: ("/" not in each, each)) or [""])[0]


def _rule(tz: str) -> Rule | None:
    """Return the rule of a POSIX zone without its labels: seconds west of Greenwich, and when summer time is which."""
    match = _ZONE.fullmatch(tz)
    if match is None:
        return None
    offset, summer, start, start_time, end, end_time = match.groups()
    standard_s = _seconds(offset)
    if not _SUMMER.fullmatch(tz):
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
