"""Renders tasks for all `task` verbs: lines and tables for people, and JSON fields for scripts."""

from __future__ import annotations

from agentws.core.disk import clock
from agentws.core.formats.journal import summary
from agentws.core.terminal import output
from agentws.core.text import names, origin

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from datetime import datetime

    from agentws.core.formats.documents.task import Task
    from agentws.core.formats.journal.event import Event
    from agentws.features.tasks.change import TaskChanged
    from agentws.features.tasks.due import Due
    from agentws.features.tasks.listing import ShownTask, TaskList

_COLUMNS = ("status", "task", "done", "due", "step or next", "waits for")
_MOST_CELL, _LEAST_CELL = 48, 8
_BETWEEN = "  "
_TASK = """
    slug title status priority step? next=next_step? *steps[done boxes] waiting_on? due? ready created? updated?
    session? src? path
"""
DUE = "woken[slug title waited_for=waiting_on] runs[slug exit=code failure? attempt log] dry_run noticed notices"


def task_fields(task: Task, *, ready: bool) -> dict[str, object]:
    """Return the fields of one task, the same in each schema."""
    return output.fields(task, _TASK, ready=ready, path=f"tasks/{task.slug}.md")


def changed_lines(done: TaskChanged) -> Iterator[str]:
    """Yield the new state of a changed task, in one line."""
    if done.verb == "add":
        yield output.place(done.path)
    elif done.verb == "rename" and done.changed:
        yield f"{output.place(done.path)}: {done.task.title}"
    elif not done.changed:
        yield f"{done.slug} is already so ({done.task.status}). Nothing was changed."
    else:
        yield f"{done.slug}: {_state(done.task, done.now)}"


def noticed(slugs: Iterable[str]) -> list[str]:
    """Return a notice about tasks whose files were edited by hand since the journal's last event."""
    named = names.some(slugs)
    return [f"Recorded your manual edit of {named}."] if named else []


def list_lines(task_list: TaskList, width: int = 0) -> Iterator[str]:
    """Yield the table of tasks, its widest columns cut to fit in `width` columns, if given."""
    rows = [_row(task, task_list.now, ready=task.slug in task_list.ready) for task in task_list.tasks]
    if rows:
        yield from _table([_COLUMNS, *rows], width)
    elif not task_list.unread:
        yield "No tasks. Create one: agentws task add TITLE"
    if task_list.over:
        yield f"({task_list.over} more {'are' if task_list.over > 1 else 'is'} finished: agentws task list --all)"


def show_lines(shown_task: ShownTask) -> Iterator[str]:
    """Yield a task in full: its state, its numbered boxes, its history."""
    task = shown_task.task
    yield f"{task.title}"
    rows = (
        ("file", output.place(shown_task.path)),
        ("state", _state(task, shown_task.now, ready=shown_task.ready)),
        ("priority", task.priority if task.priority != "normal" else ""),
        ("due", _due(task, shown_task.now)),
        ("created", clock.local(task.created, shown_task.now)),
        ("updated", clock.local(task.updated, shown_task.now)),
        ("session", task.session),
        ("via", task.src),
        ("saved", _saved(shown_task.checkpoints, shown_task.restored)),
    )
    yield from (f"  {label:<8} {text}" for label, text in rows if text)
    boxes = [f"  {number:>3}. [{'x' if done else ' '}] {text}" for number, (text, done) in enumerate(task.boxes, 1)]
    yield from ["", *boxes] if boxes else ()
    if shown_task.history:
        yield ""
        yield from (_event_line(event, shown_task.now) for event in shown_task.history)


def _saved(ids: list[str], restored: str) -> str:
    """Return the id of the checkpoint that counts, and how many there are."""
    if not ids:
        return ""
    parts = ["restored"] * (restored not in ("", ids[-1])) + [f"{len(ids)} in all"] * (len(ids) > 1)
    return f"checkpoint {restored or ids[-1]}" + (f" ({', '.join(parts)})" if parts else "")


def due_lines(done: Due, now: datetime) -> Iterator[str]:
    """Yield the tasks that were woken and the agent's runs, one a line, if any."""
    would = "would wake: " if done.dry_run else ""
    for task in done.woken:
        yield f"{would}{task.slug} · {task.title} · waited {_waits(task, now)}"
    for ran in done.runs:
        yield f"{ran.slug}: the agent {'ran' if ran.is_done else 'failed'} · {ran.log}"


def _state(task: Task, now: datetime, *, ready: bool = False) -> str:
    done, boxes = task.steps
    parts = [task.status, f"step: {task.step}" if task.step else ""]
    if task.next_step and task.next_step != task.step:
        parts.append(f"next: {task.next_step}")
    parts.append(f"due {task.due.replace('T', ' ')}" if task.due and not task.is_over else "")
    parts.append(f"{done} of {boxes} done" if boxes else "")
    if task.waiting_on and not task.is_over:
        parts.append(f"{'no longer waits' if ready else 'waits'} {_waits(task, now)}")
    return " · ".join(part for part in parts if part)


def _waits(task: Task, now: datetime) -> str:
    return f"until {clock.local(task.until, now)}" if task.until else f"for {task.path or task.waiting_on}"


def _row(task: Task, now: datetime, *, ready: bool) -> tuple[str, ...]:
    done, boxes = task.steps
    waits = f"{_waits(task, now)}{' ✓' if ready else ''}" if task.waiting_on and not task.is_over else ""
    priority = task.priority
    status = task.status if priority == "normal" else f"{task.status} ({priority})"
    due = _due(task, now) if task.due else ""
    return status, task.slug, f"{done}/{boxes}" if boxes else "", due, task.step or task.next_step, waits


def _due(task: Task, now: datetime) -> str:
    """Return when a task is due, and whether it is late."""
    if not task.due or task.is_over:
        return ""
    late = task.due < now.isoformat()[: len(task.due)]
    return f"{task.due.replace('T', ' ')}{' (late)' if late else ''}"


def _table(rows: Sequence[tuple[str, ...]], width: int) -> Iterator[str]:
    """Yield the rows of the table of tasks below their heads, without the column of dates if that is empty."""
    at = _COLUMNS.index("due")
    if rows[1:] and not max([row[at] for row in rows[1:]]):
        rows = [(*row[:at], *row[at + 1 :]) for row in rows]
    cut = [[_cell(text, _MOST_CELL) for text in row] for row in rows]
    whole = [max(map(len, column)) for column in zip(*cut, strict=True)]
    widths = _fitting(whole, width)
    return output.table(cut if widths == whole else [list(map(_cell, row, widths)) for row in cut])


def _fitting(widths: list[int], width: int) -> list[int]:
    """Return the widths of the columns, the widest made narrower until all fit in `width` or become hard to read."""
    result, room = list(widths), width - len(_BETWEEN) * (len(widths) - 1)
    while width and sum(result) > room and max(result) > _LEAST_CELL:
        result[result.index(max(result))] -= 1
    return result


def _cell(text: str, most: int) -> str:
    return summary.cut(text, most) if text else ""


def _event_line(event: Event, now: datetime) -> str:
    body = event.body or {}
    words = body.get("text") if event.body is not None else "(purged)"
    message = words if isinstance(words, str) else ""
    via = "" if origin.of_line(message) else origin.ending(event.src)
    first, *below = message.strip().split("\n")
    head = f"  {clock.local(event.at, now)}  {event.kind.removeprefix('task.'):<9}  "
    # Further lines are indented below the first, so that none of them looks like a line of this history.
    return f"\n{' ' * len(head)}".join([f"{head}{first}{via}", *below])
