"""workflow list and show: the workflows in the journal, with their steps and results. Reads only."""

from __future__ import annotations

from collections.abc import Iterator

from agentws.core import Result
from agentws.core.stores.stores import Stores
from agentws.errors import MissingFileError
from agentws.features.workflow import block, step_events
from agentws.features.workflow.plan import state
from agentws.features.workflow.plan.state import Flow, Step

__all__ = ["Flow", "ShownWorkflow", "Step", "WorkflowList", "list_workflows", "show", "steps_begun"]


class WorkflowList(list[Flow]):
    """The list of workflows, the one with the newest event first."""

    def __init__(self, flows: list[Flow], notices: list[str]) -> None:
        super().__init__(flows)
        self.notices = notices


class ShownWorkflow(Result):
    """A workflow with the `results` of its steps by name and key, as far as they are still in the journal."""

    __slots__ = ("flow", "notices", "results")

    def __init__(self, flow: Flow, results: dict[tuple[str, str], object], notices: list[str]) -> None:
        self.flow = flow
        self.results = results
        self.notices = notices

    def resolve(self, step: Step) -> str:
        """Return the `workflow resolve` command for a step, without its outcome option."""
        return state.resolve(self.flow.name, step)


def list_workflows(stores: Stores) -> WorkflowList:
    """Return all workflows, the one with the newest event first."""
    notices = list(stores.notices)
    flows = [*step_events.workflows(stores, notices).by_name.values()][::-1]
    for flow in flows:
        flow.is_running = block.is_running(stores, flow.name)
    return WorkflowList(sorted(flows, key=lambda flow: flow.at, reverse=True), notices)


def steps_begun(stores: Stores) -> list[tuple[str, str, list[tuple[str, int]]]]:
    """Return each workflow's name, the time of its newest event, and the (writer, number) with which steps began."""
    flows = step_events.workflows(stores, []).by_name.values()
    return [(flow.name, flow.at, [*_begun(flow)]) for flow in sorted(flows, key=lambda flow: flow.at, reverse=True)]


def _begun(flow: Flow) -> Iterator[tuple[str, int]]:
    for step in flow.steps.values():
        for cursor in (*step.ended, *step.attempts):
            writer, _, number = cursor.rpartition(":")
            if number.isdigit():
                yield writer, int(number)


def show(stores: Stores, name: str) -> ShownWorkflow:
    """Return one workflow with its steps and their results; MissingFileError."""
    notices = list(stores.notices)
    known = step_events.workflows(stores, notices).by_name
    if name not in known:
        raise MissingFileError(f"No workflow {name!r}.", hint="To list all: agentws workflow list")
    known[name].is_running = block.is_running(stores, name)
    results = {id: step_events.result(stores, step.done) for id, step in known[name].steps.items() if step.done}
    return ShownWorkflow(known[name], {id: result for id, (is_there, result) in results.items() if is_there}, notices)
