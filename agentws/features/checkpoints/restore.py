"""checkpoint restore: returns a saved state, recorded as an event; and checkpoint diff: compares two states."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from agentws.core import Result
from agentws.core.disk import local_dir, lock
from agentws.core.formats.documents.checkpoint import Header
from agentws.core.stores import record
from agentws.core.stores.stores import Stores
from agentws.errors import MissingFileError
from agentws.features.checkpoints import listing, restored_checkpoint as _head, task_checkpoints
from agentws.features.checkpoints.plan import difference
from agentws.features.checkpoints.plan.difference import Difference
from agentws.features.checkpoints.store import folder
from agentws.features.checkpoints.task_checkpoints import Checkpoint, TaskCheckpoints

RESTORED = "checkpoint.restored"


def restore(stores: Stores, task: str, to: str | None = None) -> Checkpoint:
    """Return a checkpoint with its state, and record that it was restored.

    Without `to` it is the one that was restored last, or the newest if a checkpoint was saved since.
    `to` is a number, a label, an id or its beginning. DamagedError if the file is not as it was written.
    """
    stores.check_writable()
    slug = task_checkpoints.known_task(stores, task)
    local_dir.prepare(stores.files)
    with lock.Lock(stores.files, folder.LOCK, note="checkpoint restore"):
        # Without the lock the mark would hide a checkpoint saved meanwhile, and one could be pruned unread.
        checkpoints = TaskCheckpoints(stores, slug)
        head = checkpoints.counting(to)
        state = stores.without_forgotten(checkpoints.state(head))
        _head.write(stores, slug, head.id)  # first, so that a kill in between forgets no rollback
        body = {"id": head.id, "digest": head.digest, "label": head.label}
        happened = record.told(RESTORED, f"{slug}: {head.id} {head.label}".rstrip(), task=slug, body=body)
        stores.notices += record.record(stores, [happened])[1]
    notices = [] if listing.told(stores, head) else [listing.NOT_TOLD]
    if head.redacted:
        notices.append(f"{head.redacted} possible secrets were removed when this was saved.")
    return Checkpoint(head, state=state, notices=[*stores.notices, *checkpoints.notices, *notices])


@dataclass(slots=True, repr=False)
class Compared(Result):
    """The result of `checkpoint diff`: two checkpoints of a task, and the differences of their states."""

    before: Header
    after: Header
    differences: Sequence[Difference]
    notices: list[str]


def diff(stores: Stores, task: str, before: str | None = None, after: str | None = None) -> Compared:
    """Compare the states of two checkpoints of a task.

    The second is the newest by default, the first the parent of the second. MissingFileError if one is missing.
    """
    checkpoints = TaskCheckpoints(stores, task_checkpoints.known_task(stores, task))
    new = checkpoints.one(after)
    if before is None and new.parent is None:
        raise MissingFileError(
            f"{new.id} follows no checkpoint.", hint=f"Name two: agentws checkpoint diff {checkpoints.slug} ID ID"
        )
    old = checkpoints.one(before or new.parent)
    differences = difference.between(checkpoints.state(old), checkpoints.state(new))
    return Compared(old, new, differences, [*stores.notices, *checkpoints.notices])
