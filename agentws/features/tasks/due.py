"""task due: wakes the tasks that no longer have to wait."""

from __future__ import annotations

from agentws.core import Result
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

    from agentws.core.disk.system.user_programs import Outcome
    from agentws.core.formats.documents.task import Task
    from agentws.core.notes.transitions import TaskChange
    from agentws.core.stores.stores import Stores


class TaskRun(Result):
    """A run of the agent for the task `slug` by `task due --run`: exit code, number of attempts, path of its output."""

    __slots__ = ("attempt", "code", "failure", "log", "slug")

    def __init__(self, slug: str, attempt: int, log: str, outcome: Outcome) -> None:
        self.slug = slug
        self.attempt = attempt
        self.log = log
        self.code = outcome.code
        self.failure = outcome.failure

    @property
    def is_done(self) -> bool:
        """Return whether the agent's run for the task ended by itself, with exit code 0."""
        return self.code == 0 and not self.failure


class Due(Result):
    """The result of `task due`: the tasks that were woken, or would be, as they were; `noticed` as in TaskChanged.

    `runs` are those of the user's agent, if it was to be started.
    """

    __slots__ = ("dry_run", "noticed", "notices", "runs", "woken")

    def __init__(self, woken: list[Task], *, noticed: list[str], notices: list[str], dry_run: bool) -> None:
        self.woken = woken
        self.noticed = noticed
        self.notices = notices
        self.dry_run = dry_run
        self.runs: list[TaskRun] = []


def due(stores: Stores, *, dry_run: bool = False, noted: Callable[[list[Task]], None] | None = None) -> Due:
    """Wake every task that no longer has to wait, all in one change; there may be none.

    `noted` is called with the tasks before any of them wakes.
    """
    look = conditions.Conditions(stores)
    if dry_run:
        store, now = TaskStore(stores), stores.clock.now()
        woken = [plan for _, plan in store if schedule.is_ready(plan, now, stores.files.exists, look.holds)]
        return Due(woken, noticed=[], notices=[*stores.notices, *store.notices, *look.notices], dry_run=True)
    stores.check_writable()
    expired = expiry.expire(stores)
    _look_ahead(stores, look)
    with Bench(stores, transitions.WAKE) as bench:
        changes: list[tuple[TaskFile, TaskFile, TaskChange]] = []
        for task_file, plan in bench.store:
            change = (
                transitions.move(plan, transitions.WAKE)
                if schedule.is_ready(plan, bench.now, stores.files.exists, look.holds)
                else None
            )
            if change is not None:
                changes.append((task_file, bench.changed(task_file, change), change))
        if changes:
            if noted is not None:
                noted([old.task for old, _, _ in changes])
            bench.apply(changes, f"task due {names.some(old.slug for old, _, _ in changes)}")
        notices = [*dict.fromkeys([*expired, *stores.notices, *bench.store.notices, *look.notices])]
        return Due([old.task for old, _, _ in changes], noticed=bench.noticed, notices=notices, dry_run=False)


def _look_ahead(stores: Stores, look: conditions.Conditions) -> None:
    """Check every condition that tasks wait for before the tasks are locked: a command may be slow."""
    for _, plan in TaskStore(stores, over=False):
        if plan.state == task.WAITING and plan.condition:
            look.holds(plan.condition)
