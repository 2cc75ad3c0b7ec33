"""Open items and tasks in `status`: how many are open, and the tasks whose agent was given up."""

from __future__ import annotations

from agentws.core.disk import local_dir, task_heads
from agentws.core.findings import Check
from agentws.core.formats import layout
from agentws.core.formats.documents import task
from agentws.core.formats.json import plainjson
from agentws.core.text import names
from agentws.errors import AgentwsError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from agentws.core.stores.seen import Seen


_MOST_LOGS, _MOST_BYTES = 60, 4 << 20


def checks(seen: Seen) -> Iterator[Check]:
    """Yield the check of the open items of the notes, and that of the tasks whose agent is not started again."""
    yield _open(seen)
    yield from _given_up(seen)


def _open(seen: Seen) -> Check:
    from agentws.core.stores import open_items

    stores = seen.stores
    logs = seen.look.files(layout.DAYS)[-_MOST_LOGS:]
    try:
        if sum(map(stores.files.size, logs)) > _MOST_BYTES:
            return Check("todo", ok=True, says="the logs are too large to be read here", remedy="agentws todo")
        found = open_items.read(stores.heard(), (), newest=_MOST_LOGS)
    except AgentwsError as error:
        return Check("todo", ok=True, says=f"unknown: {error.message}")
    count, late = len(found.rows), sum(row.is_late for row in found.rows)
    says = f"{'at least ' * bool(found.notices)}{count} open{f', {late} overdue' if late else ''}"
    return Check("todo", ok=True, says=says if count else "nothing open", remedy="agentws todo" if count else "")


def _given_up(seen: Seen) -> Iterator[Check]:
    files = seen.stores.files
    try:
        notes = plainjson.loads(files.read(layout.TASK_RUNS).decode())
    except (AgentwsError, ValueError, RecursionError):
        return  # the next run replaces it, and says so
    given_up = {
        slug: str(note[local_dir.GIVEN_UP])
        for slug, note in (notes.items() if isinstance(notes, dict) else ())
        if isinstance(note, dict) and local_dir.GIVEN_UP in note
    }
    stuck = [slug for slug in given_up if task_heads.status(files, f"{layout.TASKS}/{slug}.md") in (None, task.ACTIVE)]
    if stuck:
        says = f"the agent of a task failed too often, and is not started again ({names.some(stuck)})"
        remedy = f"Read {given_up[stuck[0]]}. To start it again: agentws task wait {stuck[0]} --until 1m"
        yield Check("agent", ok=False, says=says, remedy=remedy)
