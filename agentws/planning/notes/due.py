"""The date by which an item is to be done. Pure, no regular expression: it is asked of every open item."""

from __future__ import annotations

from agentws.formats.lazy import Pattern

_DATE = Pattern(r"(?<![\w-])(20\d\d-[01]\d-[0-3]\d)(?![\w])")


def of(text: str, *, day: str = "") -> str:
    """Return the last ISO date in `text` that is not before `day`, empty where none is: an earlier one is history."""
    if "20" not in text or "-" not in text:
        return ""
    return max((date for date in _DATE.findall(text) if date >= day), default="")
