"""When: the days that a question means by dates, names of months, "yesterday" or "two weeks ago". Pure."""

from __future__ import annotations

from datetime import date, timedelta

from agentws.core.notes import dates
from agentws.core.text.lazy import Pattern

_ISO = Pattern(r"(?<!\d)(\d{4})-(\d\d)(?:-(\d\d))?(?!\d)")
_WORD = Pattern(r"[^\W\d_]+|\d+")
_WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_NUMBERS = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")
_COUNTS = {"a": 1, "an": 1, "couple": 2, "few": 3, **{word: at for at, word in enumerate(_NUMBERS, 1)}}
_UNITS = {"day": (1, 0), "week": (7, 3), "month": (30, 10), "year": (365, 60)}
"""How many days each unit has, and the tolerance of a time in it, in days."""
_AMBIGUOUS = ("may", "march", "mar", "jun", "sep", "set", "mai", "ene")
"""Months that are also other words: they count beside a number, after "in", or with a capital letter."""
_BEFORE_MONTHS = ("in", "last", "since", "until", "im", "en")
_ORDINALS = ("st", "nd", "rd", "th", "of", "de", "do")
_MOST_YEARS = 200

Span = tuple[str, str]


def spans(text: str, now: str) -> list[Span]:
    """Return when a question is about: (first, last) ISO days of each time it names, asked on the day `now`."""
    ranges = list(_iso(text))
    words = _WORD.findall(text)
    folded = [word.casefold() for word in words]
    today = _day(now)
    for at, word in enumerate(folded):
        month = dates.month(word)
        if month:
            ranges += _of_month(words, folded, at, month, today)
        elif today is not None:
            ranges += _relative(folded, at, today)
    return [(first.isoformat(), last.isoformat()) for first, last in dict.fromkeys(ranges)]


def anchor(text: str) -> tuple[int, int, str] | None:
    """Return (days, tolerance, event) of "two weeks before the launch", days negative before it; None without one."""
    words = text.split()
    for at, word in enumerate(words[:-1]):
        side = {"before": -1, "after": 1}.get(word.casefold())
        if not side or not at:
            continue
        unit = _UNITS.get(words[at - 1].casefold().removesuffix("s"))
        count = _count(words[at - 2].casefold()) if at > 1 else None
        if unit and count:
            return side * count * unit[0], max(1, unit[1]), " ".join(words[at + 1 :])
    return None


def around(day: str, days: int, tolerance: int) -> Span | None:
    """Return the span of days around the day that is `days` from `day`, or None."""
    parsed = _day(day)
    try:
        middle = parsed + timedelta(days) if parsed else None
        return (str(middle - timedelta(tolerance)), str(middle + timedelta(tolerance))) if middle else None
    except OverflowError:
        return None


def is_part(word: str) -> bool:
    """Return whether a word may be part of a time: a number, a month, a weekday, "weeks", "ago"."""
    folded = word.casefold()
    return (
        folded in (*_WEEKDAYS, *_COUNTS, *_ORDINALS, "ago", "last", "yesterday", "today", "before", "after")
        or folded.removesuffix("s") in _UNITS
        or not folded.strip("0123456789-./")
        or bool(dates.month(folded))
        or bool(_number(folded[:-2], 31) and folded[-2:] in _ORDINALS)
    )


def _day(text: str) -> date | None:
    try:
        return date.fromisoformat(text[:10])
    except ValueError:
        return None


def _iso(text: str) -> list[tuple[date, date]]:
    result = []
    for year, month, day in _ISO.compiled.findall(text):
        try:
            first = date(int(year), int(month), int(day or 1))
        except ValueError:
            continue
        result.append((first, first if day else _end(first)))
    return result


def _end(first: date) -> date:
    """Return the last day of the month that begins on `first`."""
    return (first.replace(day=28) + timedelta(4)).replace(day=1) - timedelta(1)


def _of_month(words: list[str], folded: list[str], at: int, month: int, today: date | None) -> list[tuple[date, date]]:
    """Return the month at this word, or the day of it that is named beside it."""
    before = folded[at - 1] if at else ""
    if before in _ORDINALS and at > 1:
        before = folded[at - 2] if folded[at - 2].isdecimal() else folded[at - 3] if at > 2 else ""
    day = _number(folded[at + 1] if at + 1 < len(folded) else "", 31) or _number(before, 31)
    behind = folded[at + 1 : at + 4]
    year = next((int(word) for word in behind if len(word) == 4 and word.isdecimal() and word[:2] in ("19", "20")), 0)
    is_meant = day or behind[:1] == [str(year)] or before in _BEFORE_MONTHS or words[at][0].isupper()
    if folded[at] in _AMBIGUOUS and not is_meant:
        return []
    if not year and today is None:
        return []
    if not year and today is not None:
        year = today.year - (month > today.month)  # a question is about the past
    try:
        first = date(year, month, day or 1)
    except ValueError:
        return []
    return [(first, first if day else _end(first))]


def _number(word: str, most: int) -> int:
    return int(word) if word.isdecimal() and len(word) < 3 and 0 < int(word) <= most else 0


def _count(word: str) -> int | None:
    return _number(word, 99) or _COUNTS.get(word)


def _relative(words: list[str], at: int, today: date) -> list[tuple[date, date]]:
    """Return the days before today that the words from here on mean: "yesterday", "two weeks ago", "last Monday"."""
    word = words[at]
    following = words[at + 1] if at + 1 < len(words) else ""
    if word in ("yesterday", "today"):
        day = today - timedelta(word == "yesterday")
        return [(day, day)]
    unit = _UNITS.get(following.removesuffix("s"))
    if unit and words[at + 2 : at + 3] == ["ago"]:
        count = _count(word)
        if not count or count * unit[0] > 365 * _MOST_YEARS:
            return []
        day = today - timedelta(count * unit[0])
        return [(day - timedelta(unit[1]), day + timedelta(unit[1]))]
    if word == "last" and following in ("week", "month", "year"):
        return [_last(following, today)]
    if word in ("last", "on") and following in _WEEKDAYS:
        day = today - timedelta((today.weekday() - _WEEKDAYS.index(following) - 1) % 7 + 1)
        return [(day, day)]
    return []


def _last(unit: str, today: date) -> tuple[date, date]:
    if unit == "week":
        monday = today - timedelta(today.weekday() + 7)
        return monday, monday + timedelta(6)
    if unit == "month":
        end = today.replace(day=1) - timedelta(1)
        return end.replace(day=1), end
    return date(today.year - 1, 1, 1), date(today.year - 1, 12, 31)
