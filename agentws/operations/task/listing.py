"""task list and show: tasks as their files say, and what the journal tells of one. Reads only."""

from __future__ import annotations

from agentws.operations.task import knowing
from agentws.operations.task.shelf import Shelf
from agentws.planning import tasks, waiting
from agentws.storage import writer_trust
from agentws.storage.journal import selecting

TYPE_CHECKING = False
if TYPE_CHECKING:
    from datetime import datetime

    from agentws.formats.event import Event
    from agentws.formats.task import Task
    from agentws.storage.stores import Stores

_MOST_HISTORY = 20


class Listed:
    """The `tasks` in the order in which they matter, the slugs of those that are `ready` (their wait is over), and how
    many are over and not shown."""

    __slots__ = ("notices", "now", "over", "ready", "tasks")

    def __init__(self, found: list[Task], ready: set[str], over: int, now: datetime, notices: list[str]) -> None:
        self.tasks = found
        self.ready = ready
        self.over = over
        self.now = now
        self.notices = notices


class Shown:
    """One task with its file's `path`, whether its wait is over (`ready`), and its newest events, oldest first."""

    __slots__ = ("history", "notices", "now", "path", "ready", "task")

    def __init__(
        self, one: Task, path: str, history: list[Event], *, ready: bool, now: datetime, notices: list[str]
    ) -> None:
        self.task = one
        self.path = path
        self.history = history
        self.ready = ready
        self.now = now
        self.notices = notices


def list_tasks(stores: Stores, *, all: bool = False) -> Listed:
    """The tasks that are not over, with `all` those that are too."""
    shelf, now = Shelf(stores, over=all), stores.clock.now()
    found = [one for _, one in shelf]
    shown = [one for one in found if all or not one.is_over]
    ready = waiting.ready(shown, now, stores.files.exists)
    shown.sort(key=lambda one: (*tasks.order(one, ready=one.slug in ready), one.slug))
    return Listed(shown, ready, len(found) - len(shown) + shelf.left_out, now, [*stores.notices, *shelf.notices])


def show(stores: Stores, slug: str) -> Shown:
    """One task and its history; MissingFileError where there is none."""
    shelf, now = Shelf(stores), stores.clock.now()
    found = shelf.get(slug)
    one = found.task
    reader = selecting.Reader(stores.files, selecting.Wanted(kinds=[knowing.FAMILY], task=found.slug))
    newest = [reader.newest(writer, _MOST_HISTORY) for writer in writer_trust.known(stores)]
    history = list(selecting.merged(newest))[-_MOST_HISTORY:]
    notices = [*stores.notices, *shelf.notices, *reader.notices]
    ready = waiting.is_ready(one, now, stores.files.exists)
    return Shown(one, found.path, history, ready=ready, now=now, notices=notices)
