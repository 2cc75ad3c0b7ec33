"""The day by which an item is due: `(due 2026-11-24)` or `📅 2026-11-24`. Specified in docs/format/daily.md."""

from __future__ import annotations

from agentws.formats.text.lazy import Pattern

_DUE = Pattern(r"(?:\(due |📅\ufe0f? ?)(20\d\d-[01]\d-[0-3]\d)")


def day_in(text: str) -> str:
    """Return the day that a text names as the one by which it is due (ISO); empty without one."""
    found = _DUE.search(text) if "(due " in text or "📅" in text else None
    return found.group(1) if found else ""


def remark(day: str, text: str, today: str) -> str:
    """Return what a list adds to `text`, which is due on `day`: that it was, is today or will be.

    Empty without a day, and for a later one that the text has.
    """
    if not day or (day > today and day in text):
        return ""
    shown = day[5:] if day[:4] == today[:4] else day
    return f" [was due {shown}]" if day < today else " [due today]" if day == today else f" [due {shown}]"
