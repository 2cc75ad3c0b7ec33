"""checkpoint list and show, and the event that records a checkpoint. Reads only; `show` alone reads states."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from agentws.core import Result
from agentws.core.formats import layout
from agentws.core.formats.documents.checkpoint import Header
from agentws.core.formats.journal.event import Event
from agentws.core.journal import read, select
from agentws.core.stores import writer_trust
from agentws.core.stores.stores import Stores
from agentws.features.checkpoints import task_checkpoints
from agentws.features.checkpoints.save import SAVED
from agentws.features.checkpoints.task_checkpoints import Checkpoint, TaskCheckpoints

NOT_TOLD = (
    "No event of a known writer records this checkpoint: its save was interrupted, or another program wrote the file. "
    "Check the state before you use it."
)


@dataclass(slots=True, repr=False)
class Row(Result):
    """A row of `checkpoint list`: the task's present name, the checkpoint's header, whether its parent is `gone`, and
    whether it was restored last (`is_next`: the next one follows it).
    """

    task: str
    head: Header
    gone: bool
    is_next: bool


@dataclass(slots=True, repr=False)
class CheckpointList(Result):
    """The list of the checkpoints of a task, or of all tasks, the oldest first.

    `unread` says which files cannot be read; the notices do so too.
    """

    task: str | None
    rows: Sequence[Row]
    notices: list[str]
    unread: list[str]


def list_checkpoints(stores: Stores, task: str | None = None) -> CheckpointList:
    """Return the list of checkpoints of a task, or of all tasks; MissingFileError if there is no such task."""
    slug = None if task is None else task_checkpoints.known_task(stores, task)
    rows: list[Row] = []
    unread = stores.files.in_place_of(layout.CHECKPOINTS)
    missing: list[str] = []
    for name in task_checkpoints.every_task(stores) if slug is None else [slug]:
        checkpoints = TaskCheckpoints(stores, name)
        there = {head.id for head in checkpoints.headers}
        restored = checkpoints.restored
        rows += [
            Row(name, head, gone=bool(head.parent) and head.parent not in there, is_next=head.id == restored)
            for head in checkpoints.headers
        ]
        unread += checkpoints.notices
        missing += checkpoints.missing if slug is not None else []
    return CheckpointList(slug, rows, [*stores.notices, *unread, *missing], unread)


def show(stores: Stores, task: str, which: str | None = None) -> Checkpoint:
    """Return a checkpoint with its state; without `which` the current one, as for `restore`."""
    checkpoints = TaskCheckpoints(stores, task_checkpoints.known_task(stores, task))
    head = checkpoints.counting(which)
    return Checkpoint(head, state=checkpoints.state(head), notices=[*stores.notices, *checkpoints.notices])


def told(stores: Stores, head: Header) -> Event | None:
    """Return the event of a known writer that records this checkpoint with its digest, or None."""
    if head.writer not in writer_trust.known(stores):
        return None
    files = stores.whole.files
    reader = select.Reader(files, select.Wanted(kinds=[SAVED]))
    for number in read.newest_first(files, head.writer):
        for start, block in read.blocks(files, head.writer, number):
            if head.id.encode() in block:
                for event in reader.within(head.writer, number, start, block):
                    body = event.body or {}
                    if body.get("id") == head.id and body.get("digest") == head.digest:
                        return event
    return None
