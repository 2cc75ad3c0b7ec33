"""Check of tasks for `status`: tasks whose agent was given up."""

from __future__ import annotations

from collections.abc import Iterator

from agentws.core.disk import local_dir, task_heads
from agentws.core.findings import Check
from agentws.core.formats import layout
from agentws.core.formats.documents import task
from agentws.core.formats.json import plainjson
from agentws.core.stores.seen import Seen
from agentws.core.text import names
from agentws.errors import AgentwsError


def checks(seen: Seen) -> Iterator[Check]:
    """Yield the check of tasks whose agent failed so often that `task due --run` does not start it again."""
    files = seen.stores.files
    try:
        notes = plainjson.loads(files.read(layout.TASK_RUNS).decode())
    except (AgentwsError, ValueError):
        return  # the next run replaces the file, and reports that
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
