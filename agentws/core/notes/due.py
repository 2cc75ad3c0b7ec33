"""Due dates, `(due 2026-11-24)` or `📅 2026-11-24`, and assignees, `(for Sam)`, of items. See docs/format/daily.md."""

from __future__ import annotations

from agentws.core.formats import layout
from agentws.core.text.lazy import Pattern

_DUE = Pattern(r"(?:\(due |📅\ufe0f? ?)(20\d\d-[01]\d-[0-3]\d)")
_MARK = Pattern(r"(?<! ) *(?:\(due 20\d\d-[01]\d-[0-3]\d[^()]*\)|📅\ufe0f? ?20\d\d-[01]\d-[0-3]\d)")
_FIGURES = Pattern(r"(?:\(due |📅\ufe0f? ?)(\d[^\s()]*)")
_FOR = Pattern(r"(?<! ) *\(for ([^()\[\]]+)\)(?=$|: )")
"""At the end of the text, or before the note of `done`: within a sentence such brackets are a part of it."""


def day_in(text: str) -> str:
    """Return the due date in a text (ISO); empty without one."""
    match = _DUE.search(text) if "(due " in text or "📅" in text else None
    return match.group(1) if match else ""


def unreadable(text: str) -> str:
    """Return the first due date in a text that the calendar does not have; empty without one."""
    return next(
        (word for word in _FIGURES.findall(text) if not (layout.is_day(word[:10]) and day_in(f"(due {word})"))), ""
    )


def without(text: str) -> tuple[str, str]:
    """Return `text` without its due date and assignee, and the assignee, or empty."""
    if "(due " in text or "📅" in text:
        text = _MARK.sub("", text).lstrip()
    person = _FOR.search(text) if "(for " in text else None
    return (text[: person.start()] + text[person.end() :], person.group(1)) if person else (text, "")


def remark(day: str, text: str, today: str) -> str:
    """Return the due remark that a list adds to `text`, such as ` [was due 11-24]`.

    Empty without a due day, and for a later day that the text names itself.
    """
    if not day or (day > today and day in text):
        return ""
    shown = short(day, today)
    return f" [was due {shown}]" if day < today else " [due today]" if day == today else f" [due {shown}]"


def short(day: str, today: str) -> str:
    """Return a due day without its year if that is the present one."""
    return day[5:] if day[:4] == today[:4] else day
