"""task add: writes the file of a new task."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date

from agentws.core import several
from agentws.core.formats import audience
from agentws.core.formats.documents import task
from agentws.core.formats.documents.document import Value
from agentws.core.formats.secrets import secrets
from agentws.core.markdown import escape
from agentws.core.notes import transitions
from agentws.core.notes.transitions import TaskChange
from agentws.core.stores.stores import Stores
from agentws.core.text import origin, sanitize, utf8
from agentws.errors import UsageError
from agentws.features.tasks.change import Bench, TaskChanged, check_priority, one_line
from agentws.features.tasks.store import TaskFile


def add(
    stores: Stores,
    title: str,
    *,
    goal: str = "",
    steps: str | Sequence[str] = (),
    priority: str | None = None,
    due: str | date | None = None,
    start: bool = False,
    via: str | None = None,
) -> TaskChanged:
    """Add a task; its file is named after its title. With `start` it is active at once.

    `due` is a time as `todo` takes it, `via` is whose words it is. UsageError for an empty title, an unknown priority
    and a high one from outside, SecretRefusedError if a text looks like a secret.
    """
    secrets.refuse(goal)
    utf8.check(goal)
    src = origin.given(via)
    name, boxes = one_line(title), [escape.signed(src, one_line(step)) for step in several(steps)]
    if not name or not all(boxes):
        raise UsageError(
            "The title of a task and the text of a step must not be empty.",
            hint='agentws task add "Move the address book"',
        )
    escape.check_heading(" ".join(title.split()), what="The title")
    check_priority(priority, src)
    with Bench(stores, transitions.ADD, src) as bench:
        slug = transitions.slug(name, bench.store.taken, prefix=transitions.SHARED if bench.is_for_others else "")
        now, status = bench.now.isoformat(timespec="seconds"), task.ACTIVE if start else task.OPEN
        state: dict[str, Value | None] = {"status": status, "created": now, "updated": now, "priority": priority}
        if due is not None:
            state["due"] = bench.due(due)
        if mark := origin.mark(src):
            state["src"] = mark
        if stores.made_for() == audience.SHARED:
            state[audience.KEY] = audience.SHARED
        if start:
            state["session"] = bench.session()
        message = escape.signed(src, name)
        new = TaskFile(
            slug, task.new(message, goal=escape.quoted(src, sanitize.written(goal.strip())), steps=boxes, state=state)
        )
        bench.apply([(None, new, TaskChange(transitions.ADDED, status, text=message))], f"task add {slug}")
        return bench.done(new, None, changed=True)
