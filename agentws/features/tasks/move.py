"""task start, step, wait, pause, resume, done, cancel: moves a task to another status or step.

`via` is whose words were given with it.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date

from agentws.core.disk import files
from agentws.core.formats.documents import task
from agentws.core.formats.documents.document import Value
from agentws.core.formats.journal import event as _event
from agentws.core.formats.secrets import secrets
from agentws.core.markdown import escape
from agentws.core.notes import schedule, transitions, vocabulary
from agentws.core.stores.stores import Stores
from agentws.core.text import origin
from agentws.errors import UsageError
from agentws.features.tasks import conditions
from agentws.features.tasks.change import Bench, TaskChanged, carry_out, one_line


def start(stores: Stores, slug: str, reason: str = "", *, via: str | None = None) -> TaskChanged:
    """Make a task active, whatever its status was; a finished one is reopened."""
    return _move(stores, transitions.START, slug, reason, via)


def pause(stores: Stores, slug: str, reason: str = "", *, via: str | None = None) -> TaskChanged:
    """Pause a task; what it waits for is kept. UsageError if it is finished."""
    return _move(stores, transitions.PAUSE, slug, reason, via)


def resume(stores: Stores, slug: str, reason: str = "", *, via: str | None = None) -> TaskChanged:
    """Resume a task that is paused or waits; a paused one whose wait is not over waits again. UsageError."""
    return _move(stores, transitions.RESUME, slug, reason, via)


def finish(stores: Stores, slug: str, reason: str = "", *, via: str | None = None) -> TaskChanged:
    """Mark a task as done; boxes that are not checked are a notice. UsageError if it was cancelled."""
    done = _move(stores, transitions.FINISH, slug, reason, via)
    checked, boxes = done.task.steps
    if done.changed and checked < boxes:
        done.notices.append(f"{boxes - checked} of {boxes} boxes of {done.path} are not checked.")
    return done


def cancel(stores: Stores, slug: str, reason: str = "", *, via: str | None = None) -> TaskChanged:
    """Cancel a task. UsageError if it is done."""
    return _move(stores, transitions.CANCEL, slug, reason, via)


def step(
    stores: Stores, slug: str, text: str | int = "", *, done: int | Sequence[int] = (), via: str | None = None
) -> TaskChanged:
    """Set the current step of a task, and check the boxes with these numbers (from 1). UsageError if it is finished.

    A number, or a text of numbers, only checks these boxes.
    """
    src = origin.given(via)
    text, done = str(text), [done] if isinstance(done, int) else done
    numbers = text.split()
    if numbers and all(number.isascii() and number.isdigit() for number in numbers):
        text, done = "", [*done, *map(int, numbers)]
    message = escape.signed(src, one_line(text))
    with Bench(stores, transitions.STEP, src) as bench:
        task_file = bench.store.get(slug)
        if not message and not done:
            hint = f"To list the steps: agentws task show {task_file.task.slug}"
            raise UsageError("Give the text of the step, or --done N.", hint=hint)
        again = [number for number in done if number in transitions.ticked(task_file.task)]
        made = carry_out(bench, task_file, transitions.step(task_file.task, message, checked=done))
        made.notices += [f"Step {number} is ticked already." for number in dict.fromkeys(again)]
        return made


def wait(
    stores: Stores,
    slug: str,
    *,
    until: str | date | None = None,
    path: str | None = None,
    on: str | None = None,
    approval: str | None = None,
    command: str | None = None,
    url: str | None = None,
    process: int | None = None,
    event: str | None = None,
    writer: str | None = None,
    via: str | None = None,
) -> TaskChanged:
    """Make the task wait for one thing; `task due` wakes it once that has happened.

    Until a time (in the future: ISO 8601, `tomorrow`, `monday`, `in 3d`, `in 2h`); for the file at a `path` of the
    workspace; `on` anything that is described; for the answer to a request (`approval`); for a `command` or `url` that
    the user's settings name; for the end of a `process` of this machine; for an `event` of that kind, by any writer or
    by the one that is named. UsageError, MissingFileError.
    """
    if sum(way is not None for way in (until, path, on, approval, command, url, process, event)) != 1:
        raise UsageError(
            "Give one thing to wait for.",
            hint="One of --until, --for, --on, --approval, --command, --url, --process, --event.",
        )
    if writer is not None and event is None:
        raise UsageError("--by names the writer of an event.", hint="Give --event KIND too.")
    if event is not None:
        _event.check_kind(event.removesuffix(".*"))
    with Bench(stores, transitions.WAIT, origin.given(via)) as bench:
        task_file = bench.store.get(slug)
        transitions.check(task_file.task, transitions.WAIT)
        names = (approval, command, url, event)
        condition = conditions.asked(stores, names, process=process, writer=writer)
        awaited: Value = dict(condition) or _awaited(bench, until, path, on)
        done = carry_out(bench, task_file, transitions.wait(task_file.task, awaited))
        if done.task.path and stores.files.exists(done.task.path):
            done.notices.append(f"{done.task.path} already exists, so the task is ready. To wake it: agentws task due")
        return done


def _awaited(bench: Bench, until: str | date | None, path: str | None, on: str | None) -> Value:
    if until is not None:
        return schedule.moment(until, now=bench.now, day_name=vocabulary.day).isoformat()
    if path is not None:
        secrets.refuse(path)
        return task.for_path(_within(bench.stores, path))
    condition = one_line(on or "")
    if not condition or task.is_time(condition):
        raise UsageError(
            f"{condition!r} does not describe what to wait for.",
            hint="For a time: --until TIME. For a file: --for PATH.",
        )
    return escape.signed(bench.src, condition)


def _move(stores: Stores, verb: str, slug: str, reason: str, via: str | None) -> TaskChanged:
    with Bench(stores, verb, origin.given(via)) as bench:
        task_file = bench.store.get(slug)
        look = conditions.Conditions(stores)
        possible = verb == transitions.RESUME and schedule.is_there(
            task_file.task, bench.now, stores.files.exists, look.holds
        )
        done = carry_out(
            bench, task_file, transitions.move(task_file.task, verb, reason=reason.strip(), possible=possible)
        )
        done.notices += look.notices
        return done


def _within(stores: Stores, path: str) -> str:
    """Return the RelPath of a relative or absolute path in the workspace; UsageError if it is outside."""
    root = stores.root.rstrip("/") + "/"
    if "*" in path:
        raise UsageError(
            f"{path!r} is a pattern: --for takes one file name.",
            hint="Name one file, or describe what to wait for: --on TEXT",
        )
    result = path.strip().removeprefix(root).removeprefix("./").rstrip("/")
    try:
        files.names_of(result)
    except UsageError:
        raise UsageError(
            f"{path!r} is outside the workspace.",
            hint="agentws checks only files inside. Describe the file instead: --on TEXT",
        ) from None
    return result
