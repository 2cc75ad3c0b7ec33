"""Rules of retention: how long files are kept, then moved or deleted, as the manifest says. Pure.

Nothing is deleted unless a rule says so, and that rule can only be one about the archive.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, timedelta
from typing import TYPE_CHECKING

from agentws.errors import UsageError
from agentws.formats import layout

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping

    from agentws.planning.notes.document import File


_DAYS = {"d": 1, "y": 366}
"""A year is never too short."""


@dataclass(frozen=True, slots=True)
class Rules:
    """The last day (ISO) whose archived logs, handoffs, tasks and approvals go; empty where nothing ever does."""

    archive: str = ""
    handoffs: str = ""
    tasks: str = ""
    approvals: str = ""


NAMES = ("archive", "handoffs", "tasks", "approvals")
"""The settings below `retention`."""


@dataclass(frozen=True, slots=True)
class Shelved:
    """A file whose work is over since `day` (ISO, empty where nothing says when)."""

    file: File
    folder: str
    day: str


def rules(settings: Mapping[str, str], today: str) -> Rules:
    """The rules that the manifest sets; UsageError names the setting that is no time."""
    return Rules(**{name: _last(settings.get(name, ""), name, today) for name in NAMES})


def _last(text: str, name: str, today: str) -> str:
    return last_day(text, f"retention.{name}", today) if text else ""


def last_day(text: str, key: str, today: str) -> str:
    """The last day (ISO) that is older than a setting says, `730d` or `2y`; UsageError where that is no time."""
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


def place(one: Shelved) -> str:
    """Return the path to which a file is archived: the archive of its folder, by year."""
    return f"{one.folder}/archive/{one.day[:4]}/{one.file.path.rpartition('/')[2]}"


def moved(shelved: Iterable[Shelved], rule: Rules, taken: Collection[str]) -> list[tuple[File, str]]:
    """The files that move to the archive of their folder, and where each goes to; what stands there stays."""
    last = {layout.HANDOFFS: rule.handoffs, layout.TASKS: rule.tasks, layout.APPROVALS: rule.approvals}
    found: list[tuple[File, str]] = []
    for one in shelved:
        to = place(one)
        if one.day and one.day <= last[one.folder] and to not in taken:
            found.append((one.file, to))
    return found


def is_due(day: str, rule: Rules) -> bool:
    """Return whether an archived day is older than the rule keeps it."""
    return bool(rule.archive) and day <= rule.archive
