"""Tasks in boot: the unfinished ones."""

from __future__ import annotations

from agentws.core.formats import layout
from agentws.core.formats.documents import task
from agentws.core.notes import sources
from agentws.core.notes.request import Omission

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from agentws.core.formats.documents.task import Task
    from agentws.core.stores.boot_inputs import BootInputs

_MOST_TASKS = 40


def boot_sources(reading: BootInputs) -> None:
    """Add to boot the tasks that are not finished, those that the context names first."""
    paths = reading.reader.markdown(layout.TASKS)
    if not paths:
        return
    from agentws.core.notes import schedule

    read = _few(reading, paths) if len(paths) <= _MOST_TASKS else _heads(reading, paths)
    ready = schedule.ready(read, reading.moment, reading.exists)
    live = sources.live_tasks(read, wanted=reading.wanted_tasks, ready=ready)
    # A task that is not shown may wake too, and be shown then.
    reading.turn(schedule.next_time(live, reading.moment))
    shown = live[:_MOST_TASKS]
    if len(paths) > _MOST_TASKS:
        shown = _few(reading, [f"{layout.TASKS}/{plan.slug}.md" for plan in shown])
    if shown:
        reading.sources.append(sources.of_tasks(shown, ready=ready, today=reading.today))
    if len(live) > _MOST_TASKS:
        more = f"{len(live) - _MOST_TASKS} more open tasks"
        reading.unread.append(Omission(f"{layout.TASKS}/", None, more, "agentws task list"))


def _few(reading: BootInputs, paths: Sequence[str]) -> list[Task]:
    read = ((path, reading.reader.document(path)) for path in paths)
    return [
        task.Task(path.rpartition("/")[2].removesuffix(".md"), document)
        for path, document in read
        if document is not None
    ]


def _heads(reading: BootInputs, paths: Sequence[str]) -> list[Task]:
    """Return the unfinished tasks of many, without their bodies; those that the context names in any case."""
    from agentws.core.disk import task_heads

    wanted = {f"{layout.TASKS}/{slug}.md" for slug in reading.wanted_tasks}
    paths = sorted(paths, key=lambda path: path not in wanted)
    if len(paths) > task_heads.MOST_FILES:
        more = f"{len(paths) - task_heads.MOST_FILES} more tasks"
        reading.unread.append(Omission(f"{layout.TASKS}/", None, more, f"ls {layout.TASKS}"))
    return task_heads.live(reading.stores.files, reading.reader, sorted(paths[: task_heads.MOST_FILES]))
