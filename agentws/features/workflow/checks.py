"""Checks of workflows for `status` and `doctor`: those that wait, and those with a step of unknown result."""

from __future__ import annotations

from collections.abc import Iterator

from agentws.core.findings import Check
from agentws.core.stores.seen import Seen
from agentws.core.text import names
from agentws.errors import AgentwsError


def checks(seen: Seen) -> Iterator[Check]:
    """Yield the check on workflows that wait for a person, or have a step of unknown result."""
    stores = seen.stores
    if stores.visible_to() is not stores:
        return  # workflows are not shown to a shared audience
    from agentws.features.workflow import listing
    from agentws.features.workflow.plan import state

    try:
        workflow_list = listing.list_workflows(stores)
    except AgentwsError:
        return  # the check of the journal reports the reason
    current = seen.stores.installation()
    own = f"{current.writer}:" if current is not None else ""
    unknown, waiting = [], []
    for flow in workflow_list:
        if flow.status == state.PAUSED:
            waiting.append(flow.name)
        elif flow.status == state.OPEN:
            steps = [step for step in flow.steps.values() if step.status == state.OPEN]
            # A step that another machine began may still be running there.
            if own and any(cursor.startswith(own) for step in steps for cursor in step.attempts):
                unknown.append(f"{flow.name}: {names.some(step.shown for step in steps)}")
    if unknown:
        says = f"nobody knows whether a step was done ({names.some(unknown)})"
        yield Check(
            "workflows", ok=False, says=says, remedy="Run the program again: it asks. Or: agentws workflow list"
        )
    elif waiting:
        count = "1 waits" if len(waiting) == 1 else f"{len(waiting)} wait"
        says = f"{count} for a person, then for another run ({names.some(waiting)})"
        yield Check("workflows", ok=True, says=says, remedy="agentws workflow list")
