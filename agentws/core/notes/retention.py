"""Retention rules of the manifest: how long archived files are kept. Pure.

Nothing is deleted without a rule, and rules apply only to the archive.
"""

from __future__ import annotations

from datetime import date, timedelta

from agentws.core.formats import layout
from agentws.errors import UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

NAMES = ("archive", "handoffs", "tasks", "approvals")
"""The settings below `retention`."""
_DAYS = {"d": 1, "y": 366}
"""A year is never too short."""


def rules(settings: Mapping[str, str], today: str) -> dict[str, str]:
    """Return the last day (ISO) whose files retention deletes, by setting; empty if that setting deletes nothing.

    UsageError names a setting that is no duration.
    """
    return {name: last_day(text, f"retention.{name}", today) if text else "" for name, text in settings.items()}


def last_day(text: str, key: str, today: str) -> str:
    """Return the last day (ISO) beyond the retention that a setting names, `730d` or `2y`; UsageError if it is none."""
    word = text.strip().lower()
    number, days = word[:-1], _DAYS.get(word[-1:], 0)
    if not days or not (number.isascii() and number.isdigit()) or len(number) > 6:
        raise UsageError(
            f"{layout.MANIFEST}: {key}: {text!r} is not a number of days or years.",
            hint="Write a time such as 365d or 2y, or leave the setting empty.",
        )
    age = timedelta(days=int(number) * days)
    start = date.fromisoformat(today)
    return (start - age).isoformat() if age < start - date.min else date.min.isoformat()
