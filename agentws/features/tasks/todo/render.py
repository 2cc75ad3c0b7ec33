"""Renders open items and closed ones for `todo`, `done` and `drop`: lines for people, JSON fields for scripts."""

from __future__ import annotations

from agentws.core.formats.journal import summary
from agentws.core.notes import entry
from agentws.core.terminal import output
from agentws.core.terminal.invocation import Run, check_read
from agentws.core.text import origin
from agentws.errors import UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from agentws.core.notes.closure import Row
    from agentws.features.tasks.todo.closure import Closed, Closing
    from agentws.features.tasks.todo.items import TodoList

_MOST_CHARS = 100
_ROW = "ref text heading? form state since? last? days due? late=is_late stale=is_stale path line task=slug? src?"


def list_open(run: Run, given: Sequence[str | None], *, stale: bool, limit: int) -> None:
    """Print the open items; UsageError if an option is `given` that only a new item takes."""
    if any(option is not None for option in given):
        raise UsageError("--due, --for and --via need TEXT; --stale excludes TEXT.", hint='agentws todo "Call Tom"')
    todos = run.workspace().todos(stale=stale, limit=limit)
    run.result(
        "todo-list", todos, f"items=rows[{_ROW}] outside[{_ROW}] left_out notices", list_lines(todos, stale=stale)
    )
    check_read(todos.unread)


def list_lines(todo_list: TodoList, *, stale: bool = False) -> Iterator[str]:
    """Yield a line for each open item."""
    width = max((len(row.ref) for row in todo_list.rows), default=0)
    for row in todo_list.rows:
        place = output.place(row.path, row.line)
        yield f"{row.ref:{width}}  {_day(row.since)}  {_row_text(row, todo_list.day)}  ({place})"
    if not todo_list.rows and not todo_list.unread:
        yield "No stale items." if stale else "No open items. Add one: agentws todo TEXT"
    if todo_list.left_out:
        yield f"({todo_list.left_out} more: agentws todo{' --stale' * stale} --limit 0)"
    if any(row.form != "approval" for row in todo_list.rows):
        yield "Close one: agentws done REF"
    if any(row.form == "approval" for row in todo_list.rows):
        yield "A person answers an approval: agentws ask approve REF, or ask reject REF"
    if todo_list.outside:
        yield "From outside, not your items:"
    for row in todo_list.outside:
        place = output.place(row.path, row.line)
        yield f"> ({row.src}, {_day(row.since)}) {row.ref}  {_row_text(row, todo_list.day)}  ({place})"


def _day(day: str) -> str:
    return day[5:] or "     "


def _row_text(row: Row, today: str) -> str:
    text = summary.cut(f"{row.heading}: {row.text}" if row.heading else row.text, _MOST_CHARS)
    if row.form in ("task", "approval"):
        text = f"{text} [{row.form}, {row.state}]"
    elif row.slug:
        text = f"{text} [step of {row.slug}]"
    elif row.state == "waiting":
        text = f"{text} [waiting]"
    return entry.dated(text, row.due, today)


def closed(run: Run, schema: str, closing: Closing) -> None:
    """Print the items that were closed, and the places of their closing."""
    call = "call cursor" if closing.call else ""
    names = f"kind closed[*row[{_ROW}] ticked logged=logged.plain] {call} dry_run notices"
    lines = [_closed_line(closure, closing.kind, dry_run=closing.dry_run) for closure in closing.closed]
    run.result(schema, closing, names, lines or [f"done: call {closing.call} ({closing.cursor})"])


def _closed_line(closure: Closed, kind: str, *, dry_run: bool) -> str:
    places = list(closure.ticked)
    if closure.logged is not None:
        places.append(f"{closure.logged.path}:{closure.logged.line}")
    where = ", ".join(map(output.place, places)) or output.place(closure.row.path, closure.row.line)
    text = f"{summary.cut(closure.row.text, _MOST_CHARS)}{origin.ending(closure.row.src)}"
    return f"{'would be ' * dry_run}{kind}: {text} ({where})"
