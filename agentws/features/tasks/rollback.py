"""task rollback: restores an earlier checkpoint of a task, and lists what happened since. Nothing outside is undone."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from typing import Any

from agentws.core import Result
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


class Listed:
    """The newest events since a rollback's checkpoint, the oldest first; `count` is how many there were."""

    def __init__(self) -> None:
        self.newest: deque[Event] = deque(maxlen=MOST_LISTED)
        self.count = 0

    def add(self, entry: Event) -> None:
        """Count one more event since the checkpoint, and keep it among the newest."""
        self.newest.append(entry)
        self.count += 1


class RolledBack(Result):
    """The result of a task's rollback: the `checkpoint` that was restored, and what happened after, the oldest first.

    `events` are those of the task; `actions` are tool calls by sessions that worked on it, which may have changed
    things outside. Of each the newest 200 are listed; `older` counts the others.
    """

    __slots__ = ("actions", "checkpoint", "events", "notices", "older", "task")

    def __init__(self, task: str, checkpoint: Checkpoint, events: Listed, actions: Listed) -> None:
        self.task = task
        self.checkpoint = checkpoint
        self.events = list(events.newest)
        self.actions = list(actions.newest)
        self.older = events.count + actions.count - len(self.events) - len(self.actions)
        self.notices = list(checkpoint.notices)


def rollback(stores: Stores, task: str, to: str) -> RolledBack:
    """Restore a checkpoint of a task, and list what happened since. The task's file, and what tools did, stay.

    MissingFileError, AmbiguousError, DamagedError as for `restore_checkpoint`.
    """
    stores.check_writable()
    checkpoints = TaskCheckpoints(stores, task_checkpoints.known_task(stores, task))
    head = checkpoints.one(to)
    checkpoints.state(head)
    events, actions = _since(stores, checkpoints.slug, head)
    restored = restore.restore(stores, checkpoints.slug, head.id)
    body = {"id": head.id, "digest": head.digest, "events": events.count, "actions": actions.count}
    happened = record.told(ROLLED_BACK, f"to {head.id} {head.label}".rstrip(), task=checkpoints.slug, body=body)
    stores.notices += record.record(stores, [happened])[1]
    done = RolledBack(checkpoints.slug, restored, events, actions)
    done.notices = list(dict.fromkeys([*stores.notices, *done.notices]))
    return done


def _since(stores: Stores, slug: str, head: Header) -> tuple[Listed, Listed]:
    """Return the events of a task after a checkpoint, and the actions of the sessions that worked on it since."""
    names = dict.fromkeys((slug, head.task))
    events, actions = Listed(), Listed()
    sessions = {head.session} - {None, ""}
    of_task = [entries for name in names for entries in _behind(stores, head, {"task": name})]
    for entry in select.merged(of_task):
        if entry.session:
            sessions.add(entry.session)
        if entry.kind != event.ACTION:
            events.add(entry)
    for entry in select.merged(_behind(stores, head, {"kinds": [event.ACTION]})):
        if entry.session in sessions or (entry.body or {}).get("task") in names:
            actions.add(entry)
    return events, actions


def _behind(stores: Stores, head: Header, wanted: dict[str, Any]) -> list[Iterator[Event]]:
    """Return what each writer recorded after a checkpoint: that of the checkpoint by number, the others by time."""
    files = stores.visible_to().files
    saved = listing.told(stores, head)
    result = []
    for writer in writer_trust.known(stores):
        if saved is not None and writer == saved.writer:
            result.append(select.Reader(files, select.Wanted(**wanted)).behind(writer, saved.seq))
        else:
            result.append(select.Reader(files, select.Wanted(**wanted, since=head.at)).behind(writer, 0))
    return result
