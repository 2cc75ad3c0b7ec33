"""task rollback: the state of an earlier checkpoint, with what has happened since. What went outside is not undone."""

from __future__ import annotations

from agentws.formats.journal import event
from agentws.operations.checkpoint import listing, shelf
from agentws.operations.checkpoint.shelf import Shelf
from agentws.storage.journal import select
from agentws.storage.workspace import record, writer_trust

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from agentws.formats.documents.checkpoint import Header
    from agentws.formats.journal.event import Event
    from agentws.operations.checkpoint.shelf import Checkpoint
    from agentws.ports import Verbs
    from agentws.storage.workspace.stores import Stores

ROLLED_BACK = "task.rolled_back"
MOST_LISTED = 200


class RolledBack:
    """A task after a rollback: the `checkpoint` that holds again, and what happened after it, the oldest first.

    `events` tell of the task; `actions` are calls of tools by sessions that worked on it, which may have changed things
    outside. Of either the newest 200 are listed; `older` counts the others.
    """

    __slots__ = ("actions", "checkpoint", "events", "notices", "older", "task")

    def __init__(self, task: str, checkpoint: Checkpoint, events: list[Event], actions: list[Event]) -> None:
        self.task = task
        self.checkpoint = checkpoint
        self.events = events[-MOST_LISTED:]
        self.actions = actions[-MOST_LISTED:]
        self.older = len(events) + len(actions) - len(self.events) - len(self.actions)
        self.notices = list(checkpoint.notices)


def rollback(stores: Stores, task: str, to: str) -> RolledBack:
    """Restore a checkpoint of a task, and list what happened since. The task's file, and what tools did, stay.

    MissingFileError, AmbiguousError, DamagedError as for `restore_checkpoint`.
    """
    stores.check_writable()
    found = Shelf(stores, shelf.known_task(stores, task))
    head = found.one(to)
    found.state(head)
    events, actions = _since(stores, found.slug, head)
    verbs: Verbs = stores  # type: ignore[assignment]
    restored = verbs.restore_checkpoint(found.slug, head.id)
    body = {"id": head.id, "digest": head.digest, "events": len(events), "actions": len(actions)}
    happened = record.told(ROLLED_BACK, f"to {head.id} {head.label}".rstrip(), task=found.slug, body=body)
    stores.notices += record.record(stores, [happened])[1]
    done = RolledBack(found.slug, restored, events, actions)
    done.notices = list(dict.fromkeys([*stores.notices, *done.notices]))
    return done


def _since(stores: Stores, slug: str, head: Header) -> tuple[list[Event], list[Event]]:
    """The events of a task after a checkpoint, and the actions of the sessions that worked on it since."""
    names = {slug, head.task}
    events: list[Event] = []
    actions: list[Event] = []
    sessions = {head.session} - {None, ""}
    for one in select.merged([_behind(stores, writer, head) for writer in writer_trust.known(stores)]):
        is_own = (one.body or {}).get("task") in names
        if one.kind == event.ACTION:
            actions.append(one)
        elif is_own:
            events.append(one)
        if is_own and one.session:
            sessions.add(one.session)
    worked = [one for one in actions if one.session in sessions or (one.body or {}).get("task") in names]
    return events, worked


def _behind(stores: Stores, writer: str, head: Header) -> Iterator[Event]:
    """What a writer recorded after a checkpoint: its own by their numbers, those of others by their times."""
    files = stores.heard().files
    saved = listing.told(stores, head) if writer == head.writer else None
    if saved is not None:
        return select.Reader(files, select.Wanted()).behind(writer, saved.seq)
    return select.Reader(files, select.Wanted(since=head.at)).behind(writer, 0)
