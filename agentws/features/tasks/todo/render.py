"""Renders open items and closed ones for `todo`, `done` and `drop`: lines for people, JSON fields for scripts."""

from __future__ import annotations

from agentws.core.formats.journal import summary
from agentws.core.notes import due
from agentws.core.terminal import output
from agentws.core.terminal.invocation import check_read
from agentws.core.text import origin
from agentws.errors import UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from agentws.core.notes.closure import Row
    from agentws.core.terminal.invocation import Run
    from agentws.features.tasks.todo.closure import Closed, Closing
    from agentws.features.tasks.todo.items import TodoList

_MOST_CHARS = 100


def list_open(run: Run, given: Sequence[str | None], *, stale: bool, limit: int) -> None:
    """Print the open items; UsageError if an option is `given` that only a new item takes."""
    if any(one is not None for one in given):
        raise UsageError("--due, --for and --via need TEXT; --stale excludes TEXT.", hint='agentws todo "Call Tom"')
    found = run.workspace().todos(stale=stale, limit=limit)
    run.done("todo-list", list_fields(found), list_lines(found, stale=stale), found.notices)
    check_read(found.unread)


def list_fields(found: TodoList) -> dict[str, object]:
    """Return the fields of `agentws/todo-list@1`."""
    return {
        "items": [row_fields(one) for one in found.rows],
        "outside": [row_fields(one) for one in found.outside],
        "left_out": found.left_out,
        "notices": found.notices,
    }


def row_fields(one: Row) -> dict[str, object]:
    """Return the fields of one open item."""
    return output.fields(
        one, "ref text form state since? last? days due? late=is_late stale=is_stale path line task=slug? src?"
    )


def list_lines(found: TodoList, *, stale: bool = False) -> Iterator[str]:
    """Yield a line for each open item."""
    width = max((len(one.ref) for one in found.rows), default=0)
    for one in found.rows:
        yield f"{one.ref:{width}}  {_day(one.since)}  {_said(one, found.day)}  ({one.path}:{one.line})"
    if not found.rows and not found.unread:
        yield "No stale items." if stale else "No open items. Add one: agentws todo TEXT"
    if found.left_out:
        yield f"({found.left_out} more: agentws todo{' --stale' * stale} --limit 0)"
    if found.rows:
        yield "Close one: agentws done REF"
    if found.outside:
        yield "From outside, not your items:"
    for one in found.outside:
        yield f"> ({one.src}, {_day(one.since)}) {one.ref}  {_said(one, found.day)}  ({one.path}:{one.line})"


def _day(day: str) -> str:
    return day[5:] or "     "


def _said(one: Row, today: str) -> str:
    said = summary.cut(one.text, _MOST_CHARS)
    if one.form in ("task", "approval"):
        said = f"{said} [{one.form}, {one.state}]"
    elif one.slug:
        said = f"{said} [step of {one.slug}]"
    elif one.state == "waiting":
        said = f"{said} [waiting]"
    return f"{said}{due.remark(one.due, said, today)}"


def closed(run: Run, schema: str, found: Closing) -> None:
    """Print the items that were closed, and the places of their closing."""
    fields: dict[str, object] = {
        "kind": found.kind,
        "closed": [_closed_fields(one) for one in found.closed],
        **({"call": found.call, "cursor": found.cursor} if found.call else {}),
        "dry_run": found.dry_run,
        "notices": found.notices,
    }
    lines = [_closed_line(one, found.kind, dry_run=found.dry_run) for one in found.closed]
    run.done(schema, fields, lines or [f"done: call {found.call} ({found.cursor})"], found.notices)


def _closed_fields(one: Closed) -> dict[str, object]:
    logged = one.logged.plain() if one.logged is not None else None
    return {**row_fields(one.row), "ticked": one.ticked, "logged": logged}


def _closed_line(one: Closed, kind: str, *, dry_run: bool) -> str:
    places = list(one.ticked)
    if one.logged is not None:
        places.append(f"{one.logged.path}:{one.logged.line}")
    where = ", ".join(places) or f"{one.row.path}:{one.row.line}"
    said = f"{summary.cut(one.row.text, _MOST_CHARS)}{origin.ending(one.row.src)}"
    return f"{'would be ' * dry_run}{kind}: {said} ({where})"
