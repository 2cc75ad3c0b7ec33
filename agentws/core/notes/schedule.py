"""The schedule of a waiting task: parses times, and decides whether a wait has ended. Pure."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta

from agentws.core.formats.documents.task import WAITING, Task
from agentws.errors import UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    Holds = Callable[[Mapping[str, str]], bool]
    """Says whether a condition holds now."""
    DayName = Callable[[str], str]
    """Returns the day that a word names (`friday`, `today`, …), in any language; empty for none."""

_UNITS = {"d": "days", "h": "hours", "m": "minutes"}
_WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_NEAR = {"today": 0, "tomorrow": 1, "overmorrow": 2, "yesterday": -1}


def moment(text: str | date, *, now: datetime, day_name: DayName) -> datetime:
    """Return the future moment for which a task is scheduled: ISO 8601, `tomorrow`, `monday`, `in 3d`, `in 2h`, `30m`.

    A weekday is the next one after today. A day stands for its beginning; a time without a zone is in the zone of
    `now`. UsageError if it is no time, or past.
    """
    instant = named(text, now=now, day_name=day_name)
    if instant <= now:
        raise UsageError(f"{text!r} is in the past.", hint=f"It is {now.isoformat(sep=' ', timespec='minutes')} here.")
    return instant


def named(text: str | date, *, now: datetime, day_name: DayName) -> datetime:
    """Return the moment that a schedule's words name, past ones too, unlike `moment`."""
    text = str(text).strip()
    word = text.lower().removeprefix("in ").strip()
    word = day_name(word) or word
    today = now.replace(hour=0, minute=0, second=0, microsecond=0)
    try:
        if word in _NEAR:
            return today + timedelta(days=_NEAR[word])
        if word in _WEEKDAYS:
            return today + timedelta(days=(_WEEKDAYS.index(word) - now.weekday() - 1) % 7 + 1)
        if word[-1:] == "d" and word[:-1].isdigit():
            return (now + timedelta(days=int(word[:-1]))).replace(microsecond=0)
        if word[-1:] in _UNITS and word[:-1].isdigit():
            # An hour is an hour, also in the night in which the clocks are changed.
            later = now.astimezone(UTC) + timedelta(**{_UNITS[word[-1]]: int(word[:-1])})
            return later.astimezone(now.tzinfo).replace(microsecond=0)
        return _zoned(datetime.fromisoformat(text), now)
    except (ValueError, OverflowError) as error:
        raise UsageError(f"{text!r} is not a time.", hint=_forms(now)) from error


def _forms(now: datetime) -> str:
    day = f"{now + timedelta(days=3):%Y-%m-%d}"
    return f"Write {day}T09:00, {day}, tomorrow, monday, 3d or 2h."


def _zoned(instant: datetime, now: datetime) -> datetime:
    return instant if instant.tzinfo else instant.replace(tzinfo=now.tzinfo or UTC)


def due(text: str | date, *, now: datetime, day_name: DayName) -> tuple[str, bool]:
    """Return a scheduled task's due day in `text` (with the minute if it has one), and whether it is past.

    Both in the zone of `now`. UsageError if it is no time.
    """
    today, word = now.isoformat()[:10], str(text).strip().lower()
    try:
        instant = named(text, now=now, day_name=day_name).astimezone(now.tzinfo)
    except OverflowError as error:
        raise UsageError(f"{text!r} is not a time.", hint=_forms(now)) from error
    message = instant.isoformat()
    if word.endswith("d") or message[11:16] == "00:00":
        return message[:10], message[:10] < today
    return message[:16], instant <= now


def is_ready(task: Task, now: datetime, exists: Callable[[str], bool], holds: Holds | None = None) -> bool:
    """Return whether a task's scheduled wait has ended, though it still waits; `exists` checks a RelPath.

    Without `holds` conditions are not evaluated: a reader runs no command.
    """
    return task.state == WAITING and is_there(task, now, exists, holds)


def is_there(task: Task, now: datetime, exists: Callable[[str], bool], holds: Holds | None = None) -> bool:
    """Return whether a scheduled wait has ended: its time has come, its file exists, or its condition holds."""
    try:
        until = time_of(task, now)
        if (until is not None and until <= now) or (bool(task.path) and exists(task.path)):
            return True
        return holds is not None and bool(task.condition) and holds(task.condition)
    except (OverflowError, UsageError):  # a zone at the end of time; a path that leads out of the workspace
        return False


def ready(tasks: Sequence[Task], now: datetime, exists: Callable[[str], bool]) -> set[str]:
    """Return the slugs of the scheduled tasks whose wait has ended."""
    return {task.slug for task in tasks if is_ready(task, now, exists)}


def next_time(tasks: Sequence[Task], now: datetime) -> datetime | None:
    """Return the next moment at which one of these scheduled (waiting) tasks becomes ready; None without one."""
    waiting = [task for task in tasks if task.state == WAITING and task.until]
    return min((until for task in waiting if (until := time_of(task, now)) and until > now), default=None)


def time_of(task: Task, now: datetime) -> datetime | None:
    """Return the scheduled moment that the task waits for, None without one."""
    return _zoned(datetime.fromisoformat(task.until), now) if task.until else None


def awaited(task: Task) -> str:
    """Return what a scheduled task waits for: `until 2026-11-23 09:00`, `for inbox/contacts.csv`; or empty."""
    if task.until:
        return f"until {clock(task.until)}"
    return f"for {task.path or task.waiting_on}" if task.waiting_on else ""


def clock(moment: str) -> str:
    """Return a scheduled moment in ISO 8601 to the minute, in its own zone."""
    return moment[:16].replace("T", " ")
