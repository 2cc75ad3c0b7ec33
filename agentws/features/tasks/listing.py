"""task list and task show: tasks from their files, with the journal's history of one. Reads only."""

from __future__ import annotations

from datetime import datetime

from agentws.core import Result
from agentws.core.formats import layout
from agentws.core.formats.documents.task import Task
from agentws.core.formats.journal.event import Event
from agentws.core.journal import select
from agentws.core.notes import schedule, transitions
from agentws.core.stores import writer_trust
from agentws.core.stores.stores import Stores
from agentws.features.tasks import journal_state
from agentws.features.tasks.store import TaskStore

_MOST_HISTORY = 20
_MOST_NAMES = 8
"""The most earlier names of a task that are searched for its history."""


class TaskList(Result):
    """The result of `task list`: the `tasks` in order of importance, the slugs of those that are `ready`, and `over`.

    A ready task's wait has ended; `over` counts the finished tasks that are not shown.
    `unread` says of each file that cannot be read why; the notices do so too.
    """

    __slots__ = ("notices", "now", "over", "ready", "tasks", "unread")

    def __init__(
        self, tasks: list[Task], ready: set[str], over: int, now: datetime, notices: list[str], unread: list[str]
    ) -> None:
        self.tasks = tasks
        self.ready = ready
        self.over = over
        self.now = now
        self.notices = [*notices, *unread]
        self.unread = unread


class ShownTask(Result):
    """The result of `task show`: a task, its progress and its newest events."""

    __slots__ = {  # noqa: RUF023 - in the order of interest; `help(ShownTask)` prints the texts
        "task": "The task: `task.slug` is the name of its file, `task.steps` the (done, all) of its check boxes.",
        "path": "The task's file, in the workspace.",
        "ready": "Whether its wait has ended.",
        "history": "Its newest events, the oldest first.",
        "checkpoints": "Ids of checkpoints saved under its present name, the oldest first; none for a shared audience.",
        "restored": "Id of the checkpoint restored last; empty if one was saved since.",
        "now": "The moment to which `ready` refers.",
        "notices": "Warnings for people.",
    }

    def __init__(
        self, task: Task, path: str, history: list[Event], *, ready: bool, now: datetime, notices: list[str]
    ) -> None:
        self.task = task
        self.path = path
        self.history = history
        self.ready = ready
        self.now = now
        self.notices = notices
        self.checkpoints: list[str] = []
        self.restored = ""


def list_tasks(stores: Stores, *, all: bool = False) -> TaskList:
    """Return the open tasks, with `all` the finished ones too."""
    store, now = TaskStore(stores, over=all), stores.clock.now()
    tasks = [task for _, task in store]
    shown = [task for task in tasks if all or not task.is_over]
    ready = schedule.ready(shown, now, stores.files.exists)
    shown.sort(key=lambda task: (*transitions.order(task, ready=task.slug in ready), task.slug))
    over = len(tasks) - len(shown) + store.left_out
    return TaskList(shown, ready, over, now, list(stores.notices), store.notices)


def show(stores: Stores, slug: str) -> ShownTask:
    """Return a task and its history; MissingFileError if it is missing."""
    store, now = TaskStore(stores), stores.clock.now()
    task_file = store.get(slug)
    task = task_file.task
    names = [*task.was[-_MOST_NAMES:], task_file.slug]
    readers = [
        select.Reader(stores.files, select.Wanted(kinds=[journal_state.FAMILY], task=name))
        for name in dict.fromkeys(names)
    ]
    newest = [
        sorted(
            (event for reader in readers for event in reader.newest(writer, _MOST_HISTORY)), key=lambda entry: entry.seq
        )
        for writer in writer_trust.known(stores)
    ]
    history = transitions.of_task(list(select.merged(newest)), task_file.slug)[-_MOST_HISTORY:]
    notices = [*stores.notices, *store.notices, *(notice for reader in readers for notice in reader.notices)]
    ready = schedule.is_ready(task, now, stores.files.exists)
    shown = ShownTask(task, task_file.path, history, ready=ready, now=now, notices=notices)
    shown.checkpoints = _checkpoints(stores, task_file.slug)
    if shown.checkpoints:
        shown.restored = _restored(stores, task_file.task)
    return shown


def _checkpoints(stores: Stores, slug: str) -> list[str]:
    if stores.files.is_view:
        return []
    names = stores.files.listing(f"{layout.CHECKPOINTS}/{slug}")
    return [id for name in names if (id := layout.checkpoint_id(name))]


def _restored(stores: Stores, task: Task) -> str:
    from agentws.features.checkpoints import restored_checkpoint
    from agentws.features.checkpoints.store import folder

    files = stores.whole.files
    names = [task.slug, *(name for name in task.was if not files.exists(f"{layout.TASKS}/{name}.md"))]
    return restored_checkpoint.restored(
        stores, names, lambda: [head for name in names for head in folder.headers(files, name, [])]
    )
