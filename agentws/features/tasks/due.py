"""task due: wakes the tasks that no longer have to wait."""

from __future__ import annotations

from agentws.core import Record, Result
from agentws.core.formats.documents import task
from agentws.core.notes import schedule, transitions
from agentws.core.text import names
from agentws.features.approvals import expiry
from agentws.features.tasks import conditions
from agentws.features.tasks.change import Bench
from agentws.features.tasks.store import TaskFile, TaskStore

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from agentws.core.formats.documents.task import Task
    from agentws.core.notes.transitions import TaskChange
    from agentws.core.stores.stores import Stores


class TaskRun(Record, Result):
    """A run of the agent for the task `slug` by `task due --run`: exit code, number of attempts, path of its output."""

    slug: str
    attempt: int
    log: str
    code: int | None
    failure: str

    @property
    def is_done(self) -> bool:
        """Return whether the agent's run for the task ended by itself, with exit code 0."""
        return self.code == 0 and not self.failure


class Due(Record, Result):
    """The result of `task due`: the tasks that were woken, or would be, as they were; `noticed` as in TaskChanged.

    `runs` are those of the user's agent, if it was to be started.
    """

    woken: list[Task]
    runs: list[TaskRun]
    noticed: list[str]
    notices: list[str]
    dry_run: bool


def due(stores: Stores, *, dry_run: bool = False, noted: Callable[[list[Task]], None] | None = None) -> Due:
    """Wake every task that no longer has to wait, all in one change; there may be none.

    `noted` is called with the tasks before any of them wakes.
    """
    look = conditions.Conditions(stores)
    if dry_run:
        store, now = TaskStore(stores), stores.clock.now()
        woken = [plan for _, plan in store if schedule.is_ready(plan, now, stores.files.exists, look.holds)]
        return Due(woken, [], [], [*stores.notices, *store.notices, *look.notices], dry_run=True)
    stores.check_writable()
    expired = expiry.expire(stores)
    for _, plan in TaskStore(stores, over=False):  # before the tasks are locked: a command may be slow
        if plan.state == task.WAITING and plan.condition:
            look.holds(plan.condition)
    with Bench(stores, transitions.WAKE) as bench:
        changes: list[tuple[TaskFile, TaskFile, TaskChange]] = []
        for task_file, plan in bench.store:
            if not schedule.is_ready(plan, bench.now, stores.files.exists, look.holds):
                continue
            if (change := transitions.move(plan, transitions.WAKE)) is not None:
                changes.append((task_file, bench.changed(task_file, change), change))
        if changes:
            if noted is not None:
                noted([old.task for old, _, _ in changes])
            bench.apply(changes, f"task due {names.some(old.slug for old, _, _ in changes)}")
        notices = [*dict.fromkeys([*expired, *stores.notices, *bench.store.notices, *look.notices])]
        return Due([old.task for old, _, _ in changes], [], bench.noticed, notices, dry_run=False)
