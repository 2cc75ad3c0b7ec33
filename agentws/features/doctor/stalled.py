"""Work that stands still in `status` and `doctor`: workflows that are not finished, tasks whose agent was given up."""

from __future__ import annotations

from agentws.core.disk import local_dir, task_heads
from agentws.core.formats import layout
from agentws.core.formats.documents import task
from agentws.core.formats.json import plainjson
from agentws.core.text import names
from agentws.errors import AgentwsError
from agentws.features.doctor.plan.verdict import Check
from agentws.features.workflow.plan import state

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterator
    from typing import Any

    from agentws.features.doctor.report import Seen


def checks(seen: Seen, local: Collection[str]) -> Iterator[Check]:
    """Yield the checks of what ran on this machine; `local` are the names in its `.agentws/`."""
    if seen.stores.heard() is not seen.stores:
        return  # a shared audience hears of no workflow
    if any(name.startswith(local_dir.WORKFLOW) for name in local):
        yield from _workflows(seen)
    if local_dir.TASK_RUNS.rpartition("/")[2] in local:
        yield from _given_up(seen)


def _workflows(seen: Seen) -> Iterator[Check]:
    """Yield the check of the workflows that wait for a person, or of which nobody knows whether a step was done."""
    workspace: Any = seen.stores  # no verb imports another
    try:
        found = workspace.workflows()
    except AgentwsError:
        return  # the check of the journal says why
    here = seen.installation()
    own = f"{here.writer}:" if here is not None else ""
    unknown, waiting = [], []
    for flow in found:
        if flow.status == state.PAUSED:
            waiting.append(flow.name)
        elif flow.status == state.OPEN:
            steps = [one for one in flow.steps.values() if one.status == state.OPEN]
            # One that another machine began may be running there.
            if own and any(cursor.startswith(own) for one in steps for cursor in one.attempts):
                unknown.append(f"{flow.name}: {names.some(one.shown for one in steps)}")
    if unknown:
        says = f"nobody knows whether a step was done ({names.some(unknown)})"
        yield Check(
            "workflows", ok=False, says=says, remedy="Run the program again: it asks. Or: agentws workflow list"
        )
    elif waiting:
        count = "1 waits" if len(waiting) == 1 else f"{len(waiting)} wait"
        says = f"{count} for a person, then for another run ({names.some(waiting)})"
        yield Check("workflows", ok=True, says=says, remedy="agentws workflow list")


def _given_up(seen: Seen) -> Iterator[Check]:
    """Yield the check of the tasks whose agent failed so often that it is not started again."""
    files = seen.stores.files
    try:
        notes = plainjson.loads(files.read(local_dir.TASK_RUNS).decode())
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
