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


def task_fields(one: Task, *, ready: bool) -> dict[str, object]:
    """Return the fields of one task, the same in each schema."""
    done, boxes = one.steps
    return {
        **output.fields(one, "slug title status priority step? next=next_step?"),
        "done": done,
        "boxes": boxes,
        "waiting_on": one.waiting_on or None,
        "due": one.due or None,
        "ready": ready,
        **output.fields(one, "created? updated? session? src?"),
        "path": f"tasks/{one.slug}.md",
    }


def changed_fields(done: TaskChanged) -> dict[str, object]:
    """Return the fields of `agentws/task-add@1`, `task-start@1` and all others that change one task."""
    return {
        **task_fields(done.task, ready=False),
        **output.fields(done, "before changed noticed notices"),
    }


def changed_lines(done: TaskChanged, now: datetime) -> Iterator[str]:
    """Yield the new state of a changed task, in one line."""
    if done.verb == "add":
        yield done.path
    elif done.verb == "rename" and done.changed:
        yield f"{done.path}: {done.task.title}"
    elif not done.changed:
        yield f"{done.slug} is already so ({done.task.status}). Nothing was changed."
    else:
        yield f"{done.slug}: {_state(done.task, now)}"


def noticed(slugs: Iterable[str]) -> list[str]:
    """Return a notice about tasks whose files were edited by hand since the journal's last event."""
    named = names.some(slugs)
    return [f"Recorded your manual edit of {named}."] if named else []


def list_fields(found: TaskList) -> dict[str, object]:
    """Return the fields of `agentws/task-list@1`."""
    return {
        "tasks": [task_fields(one, ready=one.slug in found.ready) for one in found.tasks],
        "over": found.over,
        "notices": found.notices,
    }


def list_lines(found: TaskList, width: int = 0) -> Iterator[str]:
    """Yield the table of tasks, its widest columns cut to fit in `width` columns, if given."""
    rows = [_row(one, found.now, ready=one.slug in found.ready) for one in found.tasks]
    if rows:
        yield from _table([_COLUMNS, *rows], width)
    elif not found.unread:
        yield "No tasks. Create one: agentws task add TITLE"
    if found.over:
        yield f"({found.over} more {'are' if found.over > 1 else 'is'} finished: agentws task list --all)"


def show_fields(found: ShownTask) -> dict[str, object]:
    """Return the fields of `agentws/task-show@1`."""
    return {
        **task_fields(found.task, ready=found.ready),
        "checklist": [{"text": text, "done": done} for text, done in found.task.boxes],
        **output.fields(found, "body=task.body checkpoints restored"),
        "history": [event.plain() for event in found.history],
        "notices": found.notices,
    }


def show_lines(found: ShownTask) -> Iterator[str]:
    """Yield a task in full: its state, its numbered boxes, its history."""
    one = found.task
    yield f"{one.title}"
    said = (
        ("file", found.path),
        ("state", _state(one, found.now, ready=found.ready)),
        ("priority", one.priority if one.priority != "normal" else ""),
        ("due", _due(one, found.now)),
        ("created", clock.local(one.created, found.now)),
        ("updated", clock.local(one.updated, found.now)),
        ("session", one.session),
        ("via", one.src),
        ("saved", _saved(found.checkpoints, found.restored)),
    )
    yield from (f"  {label:<8} {text}" for label, text in said if text)
    boxes = [f"  {number:>3}. [{'x' if done else ' '}] {text}" for number, (text, done) in enumerate(one.boxes, 1)]
    yield from ["", *boxes] if boxes else ()
    if found.history:
        yield ""
        yield from (_event_line(event, found.now) for event in found.history)


def _saved(ids: list[str], restored: str) -> str:
    """Return the id of the checkpoint that counts, and how many there are."""
    if not ids:
        return ""
    said = ["restored"] * (restored not in ("", ids[-1])) + [f"{len(ids)} in all"] * (len(ids) > 1)
    return f"checkpoint {restored or ids[-1]}" + (f" ({', '.join(said)})" if said else "")


def due_fields(done: Due) -> dict[str, object]:
    """Return the fields of `agentws/task-due@1`."""
    woken = [output.fields(one, "slug title waited_for=waiting_on") for one in done.woken]
    runs = [output.fields(one, "slug exit=code failure? attempt log") for one in done.runs]
    return {"woken": woken, "runs": runs, "dry_run": done.dry_run, "noticed": done.noticed, "notices": done.notices}


def due_lines(done: Due, now: datetime) -> Iterator[str]:
    """Yield the tasks that were woken and the agent's runs, one a line; nothing if there are none."""
    would = "would wake: " if done.dry_run else ""
    for one in done.woken:
        yield f"{would}{one.slug} · {one.title} · waited {_waits(one, now)}"
    for ran in done.runs:
        yield f"{ran.slug}: the agent {'ran' if ran.is_done else 'failed'} · {ran.log}"


def _state(one: Task, now: datetime, *, ready: bool = False) -> str:
    done, boxes = one.steps
    parts = [one.status, f"step: {one.step}" if one.step else ""]
    if one.next_step and one.next_step != one.step:
        parts.append(f"next: {one.next_step}")
    parts.append(f"due {one.due.replace('T', ' ')}" if one.due and not one.is_over else "")
    parts.append(f"{done} of {boxes} done" if boxes else "")
    if one.waiting_on and not one.is_over:
        parts.append(f"{'no longer waits' if ready else 'waits'} {_waits(one, now)}")
    return " · ".join(part for part in parts if part)


def _waits(one: Task, now: datetime) -> str:
    return f"until {clock.local(one.until, now)}" if one.until else f"for {one.path or one.waiting_on}"


def _row(one: Task, now: datetime, *, ready: bool) -> tuple[str, ...]:
    done, boxes = one.steps
    waits = f"{_waits(one, now)}{' ✓' if ready else ''}" if one.waiting_on and not one.is_over else ""
    priority = one.priority
    status = one.status if priority == "normal" else f"{one.status} ({priority})"
    due = _due(one, now) if one.due else ""
    return status, one.slug, f"{done}/{boxes}" if boxes else "", due, one.step or one.next_step, waits


def _due(one: Task, now: datetime) -> str:
    """Return when a task is due, and whether it is late."""
    if not one.due or one.is_over:
        return ""
    late = one.due < now.isoformat()[: len(one.due)]
    return f"{one.due.replace('T', ' ')}{' (late)' if late else ''}"


def _table(rows: Sequence[tuple[str, ...]], width: int) -> Iterator[str]:
    """Yield the rows of the table of tasks below their heads, without the column of dates if that is empty."""
    at = _COLUMNS.index("due")
    if rows[1:] and not max([row[at] for row in rows[1:]]):
        rows = [(*row[:at], *row[at + 1 :]) for row in rows]
    cut = [tuple([_cell(text, _MOST_CELL) for text in row]) for row in rows]
    whole = [max(map(len, column)) for column in zip(*cut, strict=True)]
    widths = _fitting(whole, width)
    if widths != whole:
        cut = [tuple(map(_cell, row, widths)) for row in cut]
    line = _BETWEEN.join(f"{{:<{most}}}" for most in widths)
    for row in cut:
        yield line.format(*row).rstrip()


def _fitting(widths: list[int], width: int) -> list[int]:
    """Return the widths of the columns, the widest made narrower until all fit in `width` or become hard to read."""
    found, room = list(widths), width - len(_BETWEEN) * (len(widths) - 1)
    while width and sum(found) > room and max(found) > _LEAST_CELL:
        found[found.index(max(found))] -= 1
    return found


def _cell(text: str, most: int) -> str:
    return summary.cut(text, most) if text else ""


def _event_line(event: Event, now: datetime) -> str:
    body = event.body or {}
    words = body.get("text") if event.body is not None else "(purged)"
    said = words if isinstance(words, str) else ""
    via = "" if origin.of_line(said) else origin.ending(event.src)
    first, *below = said.strip().split("\n")
    head = f"  {clock.local(event.at, now)}  {event.kind.removeprefix('task.'):<9}  "
    # Further lines are indented below the first, so that none of them looks like a line of this history.
    return f"\n{' ' * len(head)}".join([f"{head}{first}{via}", *below])
