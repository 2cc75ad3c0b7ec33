"""task start, step, wait, pause, resume, done, cancel: one task moves on. `via` is whose words were given with it."""

from __future__ import annotations

from agentws.errors import UsageError
from agentws.formats import origin
from agentws.formats.documents import task
from agentws.formats.markdown import escape
from agentws.formats.secrets import secrets
from agentws.formats.text import names
from agentws.operations.task.change import Bench, TaskChanged, carry_out, one_line
from agentws.operations.task.shelf import Shelf
from agentws.planning.tasks import schedule, transitions
from agentws.storage.disk import files

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from agentws.formats.documents.document import Value
    from agentws.formats.documents.task import Task
    from agentws.operations.task.shelf import TaskFile
    from agentws.planning.tasks.transitions import TaskChange
    from agentws.storage.workspace.stores import Stores


def start(stores: Stores, slug: str, reason: str = "", *, via: str | None = None) -> TaskChanged:
    """Work on the task from now on, whatever it was before; also one that was over begins again."""
    return _move(stores, transitions.START, slug, reason, via)


def pause(stores: Stores, slug: str, reason: str = "", *, via: str | None = None) -> TaskChanged:
    """Put the task aside; what it waits for is kept. UsageError where it is over."""
    return _move(stores, transitions.PAUSE, slug, reason, via)


def resume(stores: Stores, slug: str, reason: str = "", *, via: str | None = None) -> TaskChanged:
    """Go on with a task that was paused or waits. A paused one that still waits, waits again. UsageError."""
    return _move(stores, transitions.RESUME, slug, reason, via)


def finish(stores: Stores, slug: str, reason: str = "", *, via: str | None = None) -> TaskChanged:
    """The task is done; boxes that are not checked are a notice. UsageError where it was cancelled."""
    done = _move(stores, transitions.FINISH, slug, reason, via)
    checked, boxes = done.task.steps
    if done.changed and checked < boxes:
        done.notices.append(f"{boxes - checked} of {boxes} boxes of {done.path} are not checked.")
    return done


def cancel(stores: Stores, slug: str, reason: str = "", *, via: str | None = None) -> TaskChanged:
    """The task is given up. UsageError where it is done."""
    return _move(stores, transitions.CANCEL, slug, reason, via)


def step(stores: Stores, slug: str, text: str = "", *, done: Sequence[int] = (), via: str | None = None) -> TaskChanged:
    """Say where the task stands, and check the boxes with these numbers (from 1). UsageError where it is over."""
    src = origin.given(via)
    said = escape.signed(src, one_line(text))
    with Bench(stores, transitions.STEP, src) as bench:
        found = bench.shelf.get(slug)
        if not said and not done:
            hint = f"To list the steps: agentws task show {found.task.slug}"
            raise UsageError("Give the text of the step, or --done N.", hint=hint)
        again = [number for number in done if number in transitions.ticked(found.task)]
        made = carry_out(bench, found, transitions.step(found.task, said, checked=done))
        made.notices += [f"Step {number} is ticked already." for number in dict.fromkeys(again)]
        return made


def wait(
    stores: Stores,
    slug: str,
    *,
    until: str | None = None,
    path: str | None = None,
    on: str | None = None,
    via: str | None = None,
) -> TaskChanged:
    """Make the task wait until a time, for a file of the workspace, or on anything that can be said; one of the three.

    A time is in the future: ISO 8601, `tomorrow`, `monday`, `in 3d`, `in 2h`. UsageError.
    """
    if sum(one is not None for one in (until, path, on)) != 1:
        raise UsageError("Give one of --until TIME, --for PATH or --on TEXT.")
    with Bench(stores, transitions.WAIT, origin.given(via)) as bench:
        found = bench.shelf.get(slug)
        transitions.check(found.task, transitions.WAIT)
        done = carry_out(bench, found, transitions.wait(found.task, _awaited(bench, until, path, on)))
        if done.task.path and stores.files.exists(done.task.path):
            done.notices.append(f"{done.task.path} already exists, so the task is ready. To wake it: agentws task due")
        return done


def _awaited(bench: Bench, until: str | None, path: str | None, on: str | None) -> Value:
    if until is not None:
        return schedule.moment(until, now=bench.now).isoformat()
    if path is not None:
        secrets.refuse(path)
        return task.for_path(_within(bench.stores, path))
    said = one_line(on or "")
    if not said or task.is_time(said):
        raise UsageError(
            f"{said!r} does not describe what to wait for.", hint="For a time: --until TIME. For a file: --for PATH."
        )
    return escape.signed(bench.src, said)


def _move(stores: Stores, verb: str, slug: str, reason: str, via: str | None) -> TaskChanged:
    with Bench(stores, verb, origin.given(via)) as bench:
        found = bench.shelf.get(slug)
        possible = schedule.is_there(found.task, bench.now, stores.files.exists)
        return carry_out(bench, found, transitions.move(found.task, verb, reason=reason.strip(), possible=possible))


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
        changes: list[tuple[TaskFile, TaskFile, TaskChange]] = []
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


def _within(stores: Stores, path: str) -> str:
    """The RelPath of a place in the workspace, named by it or by its whole path; UsageError where it lies outside."""
    root = stores.root.rstrip("/") + "/"
    if "*" in path:
        raise UsageError(
            f"{path!r} is a pattern: --for takes one file name.",
            hint="Name one file, or describe what to wait for: --on TEXT",
        )
    found = path.strip().removeprefix(root).removeprefix("./").rstrip("/")
    try:
        files.names_of(found)
    except UsageError:
        raise UsageError(
            f"{path!r} is outside the workspace.",
            hint="agentws checks only files inside. Describe the file instead: --on TEXT",
        ) from None
    return found
