"""task rollback: restores an earlier checkpoint of a task, and lists what happened since. Nothing outside is undone."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from typing import Any

from agentws.core import Record, Result
from agentws.core.formats.documents.checkpoint import Header
from agentws.core.formats.journal import event
from agentws.core.formats.journal.event import Event
from agentws.core.journal import select
from agentws.core.stores import record, writer_trust
from agentws.core.stores.stores import Stores
from agentws.features.checkpoints import listing, restore, task_checkpoints
from agentws.features.checkpoints.task_checkpoints import Checkpoint, TaskCheckpoints

ROLLED_BACK = "task.rolled_back"
MOST_LISTED = 200
_Newest = tuple[list[Event], int]


class RolledBack(Record, Result):
    """The result of a task's rollback: the `checkpoint` that was restored, and what happened after, the oldest first.

    `events` are those of the task; `actions` are tool calls by sessions that worked on it, which may have changed
    things outside. Of each the newest 200 are listed; `older` counts the others.
    """

    task: str
    checkpoint: Checkpoint
    events: list[Event]
    actions: list[Event]
    older: int
    notices: list[str]


def rollback(stores: Stores, task: str, to: str) -> RolledBack:
    """Restore a checkpoint of a task, and list what happened since. The task's file, and what tools did, stay.

    MissingFileError, AmbiguousError, DamagedError as for `restore_checkpoint`.
    """
    stores.check_writable()
    checkpoints = TaskCheckpoints(stores, task_checkpoints.known_task(stores, task))
    head = checkpoints.one(to)
    checkpoints.state(head)
    (events, event_count), (actions, action_count) = _since(stores, checkpoints.slug, head)
    restored = restore.restore(stores, checkpoints.slug, head.id)
    body = {"id": head.id, "digest": head.digest, "events": event_count, "actions": action_count}
    happened = record.told(ROLLED_BACK, f"to {head.id} {head.label}".rstrip(), task=checkpoints.slug, body=body)
    stores.notices += record.record(stores, [happened])[1]
    older = event_count + action_count - len(events) - len(actions)
    notices = list(dict.fromkeys([*stores.notices, *restored.notices]))
    return RolledBack(checkpoints.slug, restored, events, actions, older, notices)


def _since(stores: Stores, slug: str, head: Header) -> tuple[_Newest, _Newest]:
    """Return the events of a task after a checkpoint, and the actions of the sessions that worked on it since."""
    names = dict.fromkeys((slug, head.task))
    sessions = {head.session} - {None, ""}

    def of_task() -> Iterator[Event]:
        for entry in select.merged([each for name in names for each in _behind(stores, head, {"task": name})]):
            if entry.session:
                sessions.add(entry.session)
            if entry.kind != event.ACTION:
                yield entry

    events = _newest(of_task())
    every = select.merged(_behind(stores, head, {"kinds": [event.ACTION]}))
    actions = (each for each in every if each.session in sessions or (each.body or {}).get("task") in names)
    return events, _newest(actions)


def _newest(entries: Iterator[Event]) -> _Newest:
    """Return the newest of these events, the oldest of them first, and how many there are."""
    newest = deque(enumerate(entries, 1), maxlen=MOST_LISTED)
    return [entry for _, entry in newest], newest[-1][0] if newest else 0


def _behind(stores: Stores, head: Header, wanted: dict[str, Any]) -> list[Iterator[Event]]:
    """Return what each writer recorded after a checkpoint: that of the checkpoint by number, the others by time."""
    files = stores.visible_to().files
    saved = listing.told(stores, head)
    by_number = select.Reader(files, select.Wanted(**wanted))
    by_time = select.Reader(files, select.Wanted(**wanted, since=head.at))
    return [
        by_number.behind(writer, saved.seq) if saved and writer == saved.writer else by_time.behind(writer, 0)
        for writer in writer_trust.known(stores)
    ]
