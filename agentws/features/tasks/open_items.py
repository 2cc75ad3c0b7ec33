"""Tasks as open items: those that are not finished."""

from __future__ import annotations

from agentws.core.disk import task_heads
from agentws.core.formats import layout
from agentws.core.formats.documents import document, fields, task
from agentws.core.notes import closure, reference
from agentws.core.notes.closure import Row
from agentws.core.text import origin
from agentws.errors import AgentwsError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from agentws.core.stores.open_items import OpenItemsReader


def open_items(reader: OpenItemsReader) -> Iterator[Row]:
    """Yield each unfinished task as an open item; its steps are read with the notes."""
    for path in reader.markdown(layout.TASKS):
        try:
            data = task_heads.unless_over(reader.files, path)
            read = document.decode(data, where=path) if data is not None else None
        except AgentwsError as error:
            reader.cannot(error)
            continue
        if read is None or (plan := task.Task(task_heads.slug(path), read)).is_over:
            continue
        title = plan.title.rpartition(" (via ")[0] if origin.of_line(plan.title) else plan.title
        made = Row(reference.computed(path, "", ""), title, path, 1, form=closure.TASK, state=plan.status)
        made.slug, made.src = plan.slug, plan.src
        made.due = plan.due[:10]
        made.is_late = bool(made.due) and made.due < reader.today
        made.since, made.last = plan.created[:10], (plan.updated or plan.created)[:10]
        made.tags = tuple(fields.labels(read))
        if not made.src:
            reader.entries(read, path)
        yield made
