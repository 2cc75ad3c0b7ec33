"""checkpoint prune: removes the checkpoints that retention does not keep, after recording them in the journal."""

from __future__ import annotations

from dataclasses import dataclass, field

from agentws.core import Result
from agentws.core.disk import local_dir, lock
from agentws.core.formats.documents.checkpoint import Header
from agentws.core.stores import record
from agentws.core.stores.stores import Stores
from agentws.features.checkpoints import restored_checkpoint, task_checkpoints
from agentws.features.checkpoints.plan import retention
from agentws.features.checkpoints.store import folder
from agentws.features.checkpoints.task_checkpoints import TaskCheckpoints


@dataclass(slots=True, repr=False)
class Pruned(Result):
    """The result of a prune: (task, header) of each removed checkpoint in `gone`, the number `kept`, `freed` bytes."""

    gone: list[tuple[str, Header]]
    kept: int
    freed: int
    dry_run: bool
    notices: list[str] = field(default_factory=list)


def prune(stores: Stores, task: str | None = None, *, dry_run: bool = False) -> Pruned:
    """Remove the checkpoints of a task, else of all, that `checkpoint.keep` and `checkpoint.keep_days` do not keep.

    Those with a label stay, and the one that was restored last. Long texts that no checkpoint needs are removed, too.
    """
    if dry_run:
        return _planned(stores, task, dry_run=True)
    stores.check_writable()
    local_dir.prepare(stores.files)
    with lock.Lock(stores.files, folder.LOCK, note="checkpoint prune"):
        done = _planned(stores, task, dry_run=False)
        by_task: dict[str, list[Header]] = {}
        for slug, head in done.gone:
            by_task.setdefault(slug, []).append(head)
        if by_task:
            stores.notices += record.record(
                stores, [restored_checkpoint.pruned(slug, [head.id for head in gone]) for slug, gone in by_task.items()]
            )[1]
        for gone in by_task.values():
            for name in {head.task for head in gone}:
                folder.remove(stores.files, name, [head.id for head in gone if head.task == name])
        folder.remove_leftovers(stores.files, folder.others(stores.files)[0])
        folder.remove_unused_blobs(stores.files)
    done.notices += [notice for notice in stores.notices if notice not in done.notices]
    return done


def _planned(stores: Stores, task: str | None, *, dry_run: bool) -> Pruned:
    keep, days = (int(stores.manifest.setting(f"checkpoint.{key}")) for key in ("keep", "keep_days"))
    gone: list[tuple[str, Header]] = []
    kept = 0
    notices = list(stores.notices)
    for slug in task_checkpoints.every_task(stores) if task is None else [task_checkpoints.known_task(stores, task)]:
        checkpoints = TaskCheckpoints(stores, slug)
        used = {checkpoints.restored}
        over = retention.surplus(checkpoints.headers, keep=keep, days=days, now=stores.clock.now(), used=used)
        gone += [(slug, head) for head in over]
        kept += len(checkpoints.headers) - len(over)
        notices += checkpoints.notices
    sizes = [stores.files.size(task_checkpoints.Checkpoint(head).path) for _, head in gone]
    blobs = folder.unused_blobs(stores.files, without=[(head.task, head.id) for _, head in gone])
    done = Pruned(gone, kept, sum(sizes) + sum(blobs.values()), dry_run=dry_run)
    done.notices = notices
    return done
