"""The sources of boot's text: role, title and audience of each file. Pure."""

from __future__ import annotations

from datetime import date, datetime

from agentws.core.formats import layout
from agentws.core.formats.documents import document as _document, fields
from agentws.core.notes import request
from agentws.core.notes.request import Source, quoted
from agentws.core.text import origin
from agentws.core.text.sanitize import unbroken

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from agentws.core.formats.documents.handoff import Handoff
    from agentws.core.formats.documents.task import Task

ROLES = {
    layout.SOUL: request.IDENTITY,
    layout.IDENTITY: request.IDENTITY,
    layout.USER: request.USER,
    layout.AGENTS: request.INSTRUCTIONS,
    layout.MEMORY: request.MEMORY,
}
_AUTHOR_FIELDS = ("agent", "author", "written_by")
_MOST_NAMED = 3
_OLD_DAYS, _OLD_LATER_LOGS = 7, 3
"""A handoff of so many days ago, or before so many later days with a log, is one line."""
_WEEKDAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")


def of_file(
    path: str, role: str, document: _document.Document, *, title: str = "", brief: str = "", author: str = ""
) -> Source:
    """Return a document as a source of boot."""
    labels = fields.labels(document)
    return Source(path, role, document.body, title=title, brief=brief, labels=labels, author=author)


def of_handoff(note: Handoff, *, today: str, logged: Sequence[str], is_strange: bool = False) -> Source:
    """Return an open handoff with its age as a source; `logged` are the days with a log.

    One that was not written here is quoted, without its session and time.
    """
    read_with = f"agentws handoff show {quoted(note.name)}"
    day = next((text[:10] for text in (note.at, note.name) if layout.is_day(text[:10])), "")
    is_old = bool(day) and (
        _days_between(day, today) >= _OLD_DAYS or sum(later > day for later in logged) >= _OLD_LATER_LOGS
    )
    age = day and distance(day, today)
    body, brief = note.body, f"Handoff, {age}" if age else "Handoff"
    title = _joined(
        f"Handoff {_minute(note.at) or day}, {age}" if age else "Handoff",
        note.session and f"session {note.session}",
        note.path,
    )
    if is_strange:
        body = "".join(f"> {line}".rstrip() + "\n" for line in note.body.strip().split("\n"))
        title, brief = _joined("Handoff of unknown origin", note.path), ""
    source = Source(note.path, request.HANDOFF, body, title=title, brief=brief, labels=note.labels, read_with=read_with)
    source.is_old = is_old
    return source


def _minute(at: str) -> str:
    """Return a moment to the minute, as its author's clock showed it: `2026-11-20 07:15`."""
    return at[:16].replace("T", " ")


def of_tasks(tasks: Sequence[Task], *, ready: Collection[str], today: str) -> Source:
    """Return the unfinished tasks as a source, a line each with state and current step; overdue ones first."""
    ordered = sorted(tasks, key=lambda task: not _is_overdue(task, today))
    text = "".join(f"- {_task_line(task, today, ready=task.slug in ready)}\n" for task in ordered)
    path = f"{layout.TASKS}/"
    return Source(path, request.TASK, text, title="Tasks", brief="the tasks", read_with="agentws task list")


def _is_overdue(task: Task, today: str) -> bool:
    return bool(task.due) and task.due[:10] < today


def _task_line(task: Task, today: str, *, ready: bool) -> str:
    from agentws.core.notes import schedule  # few workspaces have tasks

    waits = schedule.awaited(task)
    done, boxes = task.steps
    tags = "".join(f" #{label}" for label in task.labels)
    line = _joined(
        _quoted(task.title),
        "ready" if ready else task.status,
        task.step and f"step: {_quoted(task.step)}",
        f"next: {_quoted(task.next_step)}" if task.next_step != task.step and task.next_step else "",
        waits and f"{'waited' if ready else 'waiting'} {_quoted(waits)}",
        task.due and f"{'was due' if _is_overdue(task, today) else 'due'} {schedule.clock(task.due)}",
        f"{done} of {boxes} done" if boxes else "",
        f"{layout.TASKS}/{task.slug}.md",
    )
    return unbroken(f"{line}{tags}")


def of_day(path: str, day: str, document: _document.Document, *, today: str, newest: bool) -> Source:
    """Return a daily log as a source; the title has the age of the `newest` log and of near ones."""
    age = distance(day, today)
    near = f", {age}" if newest or age in ("today", "yesterday", "tomorrow") else ""
    title = f"{_WEEKDAYS[date.fromisoformat(day).weekday()]} {day}{near}"
    author = next((name for key in _AUTHOR_FIELDS if (name := fields.text(document, key))), "")
    return of_file(path, request.DAY, document, title=title, brief=day, author=author)


def live_tasks(tasks: Sequence[Task], *, wanted: Collection[str], ready: Collection[str] = ()) -> list[Task]:
    """Return the unfinished tasks for boot's source: `wanted` first, then by state, `ready` after the active ones.

    A state of the user's own counts as open. Tasks of one state are sorted by priority.
    """
    from agentws.core.notes import transitions

    live = [task for task in tasks if not task.is_over]
    return sorted(live, key=lambda task: (task.slug not in wanted, *transitions.order(task, ready=task.slug in ready)))


def logs(days: Mapping[str, str | None], *, until: str | None) -> list[tuple[str, str]]:
    """Return (day, file name) of the logs as sources up to `until`, newest first; `days` is file name → day or None."""
    result = [(day, name) for name, day in days.items() if day is not None and (until is None or day <= until)]
    result.sort(reverse=True)
    return result


def telling(title: str, source: Source) -> str:
    """Return what a source's title adds to its file's name, or the title of a log to its day."""
    if origin.within(title):
        return ""
    if source.role == request.DAY:
        from agentws.core.notes import dates
        from agentws.core.notes.entry import LOG_WORDS

        words = dates.without(title)
        return "" if LOG_WORDS.issuperset(words.casefold().split()) else words
    name = source.path.rpartition("/")[2].partition(".")[0]
    is_first = title.casefold().startswith(name.casefold())
    return (title[len(name) :].removeprefix(".md") if is_first else title).strip(" -–—:·#,")


def hidden(sources: Sequence[Source]) -> list[str]:
    """Return a notice about the secrets that boot hid in its sources, and their files; empty without any."""
    holding = [source for source in sources if source.hidden]
    if not holding:
        return []
    count = sum(source.hidden for source in holding)
    names = ", ".join(source.path for source in holding[:_MOST_NAMED])
    rest = len(holding) - _MOST_NAMED
    more = f" and {rest} more file{'s' * (rest > 1)}" if rest > 0 else ""
    what = "1 secret is" if count == 1 else f"{count} secrets are"
    return [f"{what} hidden: move {'it' if count == 1 else 'them'} out of {names}{more}."]


def now_line(now: datetime, *, audience: str) -> str:
    """Return the line before boot's sources about when and where the agent wakes up: `Fri 2026-11-20 07:15 CET …`."""
    moment = f"{_WEEKDAYS[now.weekday()]} {now:%Y-%m-%d %H:%M} {now.tzname() or ''}".rstrip()
    return _joined(moment, f"{audience} session")


def distance(day: str, today: str) -> str:
    """Return the distance of a source's `day` from `today`, in words: `yesterday`, `3 days ago`."""
    days = _days_between(day, today)
    near = {0: "today", 1: "yesterday", -1: "tomorrow"}
    return near.get(days) or (f"{days} days ago" if days > 0 else f"in {-days} days")


def _days_between(day: str, today: str) -> int:
    return (date.fromisoformat(today) - date.fromisoformat(day)).days


def _quoted(text: str) -> str:
    """Return a part of a title; text from outside is in quotation marks, after its origin."""
    source = origin.within(text)
    if not source:
        return text
    words = " ".join(text.replace(f" (via {source})", "").split()).replace('"', '\\"')
    return f'({source}) "{words}"'


def _joined(*parts: str) -> str:
    return " · ".join(part for part in parts if part)
