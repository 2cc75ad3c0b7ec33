"""task due: one shot, for cron: tasks whose time has come, or whose file is there, go on."""

from __future__ import annotations

from agentws.errors import UsageError
from agentws.formats.text import names
from agentws.operations.task.change import Bench
from agentws.operations.task.shelf import Shelf
from agentws.planning.tasks import schedule, transitions
from agentws.storage.disk import files

TYPE_CHECKING = False
if TYPE_CHECKING:
    from agentws.formats.documents.task import Task
    from agentws.operations.task.shelf import Found
    from agentws.planning.tasks.transitions import Change
    from agentws.storage.workspace.stores import Stores


class Due:
    """The tasks that were woken, or would be: each as it was, with what it waited for; `noticed` as in Changed."""

    __slots__ = ("dry_run", "noticed", "notices", "woken")

    def __init__(self, woken: list[Task], *, noticed: list[str], notices: list[str], dry_run: bool) -> None:
        self.woken = woken
        self.noticed = noticed
        self.notices = notices
        self.dry_run = dry_run


def due(stores: Stores, *, dry_run: bool = False) -> Due:
    """Wake every task whose time has come or whose file is there, all in one change; none is fine too."""
    if dry_run:
        shelf, now = Shelf(stores), stores.clock.now()
        woken = [one for _, one in shelf if schedule.is_ready(one, now, stores.files.exists)]
        return Due(woken, noticed=[], notices=[*stores.notices, *shelf.notices], dry_run=True)
    with Bench(stores, transitions.WAKE) as bench:
        changes: list[tuple[Found, Found, Change]] = []
        for found, one in bench.shelf:
            change = (
                transitions.move(one, transitions.WAKE)
                if schedule.is_ready(one, bench.now, stores.files.exists)
                else None
            )
            if change is not None:
                changes.append((found, bench.changed(found, change), change))
        if changes:
            bench.apply(changes, f"task due {names.some(old.slug for old, _, _ in changes)}")
        notices = [*stores.notices, *bench.shelf.notices]
        return Due([old.task for old, _, _ in changes], noticed=bench.noticed, notices=notices, dry_run=False)


def within(stores: Stores, path: str) -> str:
    """The RelPath of a place in the workspace, named by it or by its whole path; UsageError where it lies outside."""
    root = stores.root.rstrip("/") + "/"
    if "*" in path:
        raise UsageError(
            f"{path!r} is a pattern: a task waits for one file, by its name.",
            hint="Say which file, or what it waits for in words: --on TEXT.",
        )
    found = path.strip().removeprefix(root).removeprefix("./").rstrip("/")
    try:
        files.names_of(found)
    except UsageError:
        raise UsageError(
            f"{path!r} does not lie in the workspace.",
            hint="agentws looks at nothing outside. Wait on it in words: --on TEXT.",
        ) from None
    return found
