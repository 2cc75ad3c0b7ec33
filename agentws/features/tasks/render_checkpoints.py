"""Renders a task that was paused, resumed or rolled back with its checkpoint: lines for people, JSON fields."""

from __future__ import annotations

from agentws.core.formats.journal import summary
from agentws.core.text.sanitize import one_line
from agentws.features.checkpoints import render as checkpoints

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from agentws.core.formats.journal.event import Event
    from agentws.core.terminal.moments import Teller
    from agentws.features.tasks.pause import Moved
    from agentws.features.tasks.rollback import RolledBack


def moved_fields(found: Moved, *, has_state: bool) -> dict[str, object]:
    """Return the fields about the checkpoint that a pause or resume with a state adds."""
    made = found.checkpoint
    state = {"state": found.state} if has_state else {}
    return {"checkpoint": checkpoints.head_fields(made.head) if made is not None else None, **state}


def saved_again_lines(found: Moved) -> Iterator[str]:
    """Yield that a checkpoint was saved for a task that was paused already."""
    if found.checkpoint is not None:
        yield f"{found.done.slug}: {found.done.task.status} already · saved {found.checkpoint.id}"


def rollback_fields(found: RolledBack) -> dict[str, object]:
    """Return the fields of `agentws/task-rollback@1`."""
    return {
        "task": found.task,
        "checkpoint": checkpoints.head_fields(found.checkpoint.head),
        "state": found.checkpoint.state,
        "events": [one.plain() for one in found.events],
        "actions": [one.plain() for one in found.actions],
        "older": found.older,
        "notices": found.notices,
    }


def rollback_lines(teller: Teller, found: RolledBack) -> Iterator[str]:
    """Yield the checkpoint of a rollback, then what happened since: events of the task, and actions not undone."""
    yield f"{one_line(found.task)}: back to {found.checkpoint.id}{checkpoints.label(found.checkpoint.head)}"
    if found.events:
        yield "Since then, of the task:"
        yield from (_event(teller, one) for one in found.events)
    if found.actions:
        yield "Not undone, by sessions that worked on it:"
        yield from (_event(teller, one) for one in found.actions)
    if found.older:
        yield f"… and {found.older} older events"


def _event(teller: Teller, one: Event) -> str:
    return f"  {teller.moment(one.at)}  {one.kind}  {one_line(summary.of(one.body))}".rstrip()
