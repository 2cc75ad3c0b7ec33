"""task list and task show: tasks from their files, with the journal's history of one. Reads only."""

from __future__ import annotations

from datetime import datetime
from operator import attrgetter

from agentws.core import Record, Result
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
_seq = attrgetter("seq")
_MOST_NAMES = 8
"""The most earlier names of a task that are searched for its history."""


class TaskList(Record, Result):
    """The result of `task list`: the `tasks` in order of importance, the slugs of those that are `ready`, and `over`.

    A ready task's wait has ended; `over` counts the finished tasks that are not shown.
    `unread` says of each file that cannot be read why; the notices do so too.
    """

    tasks: list[Task]
    ready: set[str]
    over: int
    now: datetime
    unread: list[str]
    notices: list[str]


class ShownTask(Record, Result):
    """The result of `task show`: a task, its progress and its newest events.

    Fields:
        task: `task.slug` is the name of its file, `task.steps` the (done, all) of its check boxes. path: its file.
        ready: whether its wait has ended at the moment `now`.
        history: its newest events, the oldest first.
        checkpoints: ids of those saved under its present name, the oldest first; none for a shared audience.
        restored: id of the checkpoint restored last; empty if one was saved since.
    """

    task: Task
    path: str
    ready: bool
    history: list[Event]
    checkpoints: list[str]
    restored: str
    now: datetime
    notices: list[str]


def list_tasks(stores: Stores, *, all: bool = False) -> TaskList:
    """Return the open tasks, with `all` the finished ones too."""
    store, now = TaskStore(stores, over=all), stores.clock.now()
    tasks = [task for _, task in store]
    shown = [task for task in tasks if all or not task.is_over]
    ready = schedule.ready(shown, now, stores.files.exists)
    shown.sort(key=lambda task: (*transitions.order(task, ready=task.slug in ready), task.slug))
    over = len(tasks) - len(shown) + store.left_out
    return TaskList(shown, ready, over, now, store.notices, [*stores.notices, *store.notices])


def show(stores: Stores, slug: str) -> ShownTask:
    """Return a task and its history; MissingFileError if it is missing."""
    store, now = TaskStore(stores), stores.clock.now()
    task_file = store.get(slug)
    task = task_file.task
    wanted = [
        select.Wanted(kinds=[journal_state.FAMILY], task=name)
        for name in dict.fromkeys([*task.was[-_MOST_NAMES:], task.slug])
    ]
    readers = [select.Reader(stores.files, each) for each in wanted]
    newest = [
        sorted((event for reader in readers for event in reader.newest(writer, _MOST_HISTORY)), key=_seq)
        for writer in writer_trust.known(stores)
    ]
    history = transitions.of_task(list(select.merged(newest)), task.slug)[-_MOST_HISTORY:]
    notices = [*stores.notices, *store.notices, *(notice for reader in readers for notice in reader.notices)]
    ready = schedule.is_ready(task, now, stores.files.exists)
    saved = [] if stores.files.is_view else stores.files.listing(f"{layout.CHECKPOINTS}/{task.slug}")
    checkpoints = [id for name in saved if (id := layout.checkpoint_id(name))]
    restored = _restored(stores, task) if checkpoints else ""
    return ShownTask(task, task_file.path, ready, history, checkpoints, restored, now, notices)


def _restored(stores: Stores, task: Task) -> str:
    from agentws.features.checkpoints import restored_checkpoint
    from agentws.features.checkpoints.store import folder

    files = stores.whole.files
    names = [task.slug, *(name for name in task.was if not files.exists(f"{layout.TASKS}/{name}.md"))]
    return restored_checkpoint.restored(
        stores, names, lambda: [head for name in names for head in folder.headers(files, name, [])]
    )
