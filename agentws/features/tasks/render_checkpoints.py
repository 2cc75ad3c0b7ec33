"""Renders a task that was paused, resumed or rolled back with its checkpoint: lines for people, JSON fields."""

from __future__ import annotations

from collections.abc import Iterator

from agentws.core.formats.journal import summary
from agentws.core.formats.journal.event import Event
from agentws.core.terminal.moments import Teller
from agentws.core.text.sanitize import one_line
from agentws.features.checkpoints import render as checkpoints
from agentws.features.tasks.pause import Moved
from agentws.features.tasks.rollback import RolledBack

ROLLBACK = f"""
    task {checkpoints.OF_TASK} state=checkpoint.state events[.plain] actions[.plain] older notices
"""


def saved_again_lines(moved: Moved) -> Iterator[str]:
    """Yield that a checkpoint was saved for a task that was paused already."""
    if moved.checkpoint is not None:
        yield f"{moved.done.slug}: {moved.done.task.status} already · saved {moved.checkpoint.id}"


def rollback_lines(teller: Teller, done: RolledBack) -> Iterator[str]:
    """Yield the checkpoint of a rollback, then what happened since: events of the task, and actions not undone."""
    yield f"{one_line(done.task)}: back to {done.checkpoint.id}{checkpoints.label(done.checkpoint.head)}"
    if done.events:
        yield "Since then, of the task:"
        yield from (_event(teller, event) for event in done.events)
    if done.actions:
        yield "Not undone, by sessions that worked on it:"
        yield from (_event(teller, action) for action in done.actions)
    if done.older:
        yield f"… and {done.older} older events"


def _event(teller: Teller, event: Event) -> str:
    return f"  {teller.moment(event.at)}  {event.kind}  {one_line(summary.of(event.body))}".rstrip()
