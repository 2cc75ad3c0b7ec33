"""Durations and moments, as a person says them."""

from __future__ import annotations

from datetime import datetime

_DAY_S = 86_400


def span(seconds: float | None) -> str:
    """Return a duration in words: `12 s`, `5 min`, `3 h 20 min`, `4 days`."""
    if seconds is None:
        return "?"
    if seconds < 60:
        return f"{int(seconds)} s"
    minutes = int(seconds // 60)
    if minutes < 60:
        return f"{minutes} min"
    hours, minutes = divmod(minutes, 60)
    if hours < 48:
        return f"{hours} h {minutes} min" if minutes else f"{hours} h"
    return f"{hours // 24} days"


def age(at: datetime, now: datetime | None) -> str:
    """`3 h 20 min ago`, of a moment within the day before `now`; else empty."""
    age_s = (now - at).total_seconds() if now is not None else -1
    return f"{span(age_s)} ago" if 0 <= age_s < _DAY_S else ""


def local(text: str, now: datetime) -> str:
    """A moment (ISO 8601) to the minute in the zone of `now`; any other text as it stands."""
    try:
        found = datetime.fromisoformat(text)
        found = found.astimezone(now.tzinfo) if found.tzinfo else found
    except (ValueError, OverflowError):
        return text
    return f"{found:%Y-%m-%d %H:%M}"
