"""The verbs `agentws workflow list|show|resolve`: their options and calls."""

from __future__ import annotations

from datetime import datetime

from agentws.core.formats.journal import summary
from agentws.core.formats.json import plainjson, values
from agentws.core.terminal import invocation, output
from agentws.core.terminal.invocation import Run
from agentws.core.terminal.options import Verb, flag, text, word
from agentws.core.text.sanitize import one_line
from agentws.errors import UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from agentws.features.workflow.listing import Flow, ShownWorkflow, Step, WorkflowList
    from agentws.features.workflow.questions import ResolvedStep


def list_workflows(run: Run) -> None:
    """List workflows with their state."""
    workspace = run.workspace()
    result = workspace.workflow.list()
    workflows = [output.fields(flow, f"{_FLOW} steps", steps=_counts(flow)) for flow in result]
    lines = list_lines(result, workspace.stores.clock.now())
    run.result("workflow-list", result, "workflows notices", lines, workflows=workflows)


def show(run: Run, *, name: str) -> None:
    """Show the steps of a workflow and their results."""
    workspace = run.workspace()
    result = workspace.workflow.show(name)
    steps = [
        output.fields(
            step,
            "step=name key? status at result error? approval=asked? attempts code?",
            status=result.flow.status_of(step),
            result=result.results.get((step.name, step.key)),
        )
        for step in result.flow.steps.values()
    ]
    lines = show_lines(result, workspace.stores.clock.now())
    run.result("workflow-show", result, f"*flow[{_FLOW}] steps notices", lines, steps=steps)


def resolve(run: Run, *, name: str, step: str, key: str, result: str | None, not_done: bool) -> None:
    """Record the result of an interrupted step. Only a person may."""
    given: dict[str, Any] = {} if result is None else {"result": _json(result)}
    done = run.workspace().workflow.resolve(name, step, key=key, not_done=not_done, **given)
    run.result("workflow-resolve", done, "workflow=name key? step not_done result notices", resolved_lines(done))


def _json(text: str) -> Any:
    try:
        return plainjson.loads(invocation.argument(text))
    except ValueError as error:
        raise UsageError(f"--result is not JSON: {error}.", hint="""For example: --result '{"paid": 250}'""") from error


_NAME = word("name", "NAME", "Name of the workflow.")
_FLOW = "workflow=name status at? task?"
VERBS = (
    Verb("workflow list", list_workflows, (), "agentws workflow list", "agentws workflow list --json"),
    Verb("workflow show", show, (_NAME,), "agentws workflow show loan-7"),
    Verb(
        "workflow resolve",
        resolve,
        (
            _NAME,
            word("step", "STEP", "Name of the step."),
            text("--key", "KEY", "Key of the step, where it has one.", default=""),
            text("--result", "JSON", "It was done, with this result; `-` reads standard input."),
            flag("--not-done", "It was not done: the next run does it."),
        ),
        "agentws workflow resolve loan-7 pay --result '{\"paid\": 250}'",
        "agentws workflow resolve loan-7 pay --not-done",
    ),
)


_LONGEST = 60


def list_lines(workflow_list: WorkflowList, now: datetime) -> Iterator[str]:
    """Yield a line for each workflow."""
    if not workflow_list:
        yield "No workflows. To begin one, in Python: with workspace.workflow(NAME) as flow: …"
    for flow in workflow_list:
        counts = ", ".join(f"{count} {status}" for status, count in _counts(flow).items())
        yield f"{one_line(flow.name)}  {one_line(flow.status)}  {_moment(flow.at, now)}  {counts or 'no steps'}"


def show_lines(workflow: ShownWorkflow, now: datetime) -> Iterator[str]:
    """Yield a line for each step of a workflow, and the commands for open questions."""
    yield one_line(f"{workflow.flow.name}: {workflow.flow.status}, {_moment(workflow.flow.at, now)}")
    for step in workflow.flow.steps.values():
        status = workflow.flow.status_of(step)
        yield f"  {_moment(step.at, now)}  {status:<7}  {one_line(step.shown)}{_result_text(step, workflow)}"
    for step in workflow.flow.steps.values():
        if step.asked and not step.done:
            yield f"To answer, a person runs: agentws ask show {step.asked}"
            if not step.is_approval:
                yield one_line(f"If it did happen: {workflow.resolve(step)} --result JSON")


def resolved_lines(done: ResolvedStep) -> Iterator[str]:
    """Yield the line that `workflow resolve` prints: the outcome recorded for a step."""
    shown = f"{done.step} [{done.key}]" if done.key else done.step
    if done.not_done:
        yield one_line(f"{done.name}: {shown} was not done. The next run runs it.")
    else:
        yield one_line(f"{done.name}: {shown} was done. The next run uses its result.")


def _counts(flow: Flow) -> dict[str, int]:
    counts: dict[str, int] = {}
    for step in flow.steps.values():
        status = flow.status_of(step)
        counts[status] = counts.get(status, 0) + 1
    return counts


def _result_text(step: Step, workflow: ShownWorkflow) -> str:
    id = (step.name, step.key)
    if id in workflow.results and not step.is_approval:
        return f"  → {one_line(summary.cut(values.dumps(workflow.results[id]), _LONGEST))}"
    if id in workflow.results:
        answer = workflow.results[id]
        status = answer.get("status") if isinstance(answer, dict) else ""
        return f"  → {one_line(str(status))} ({step.asked})" if status else ""
    if step.done:
        return "  → its result is no longer in the journal"
    return f"  {one_line(summary.cut(step.error, _LONGEST))}" if step.error else ""


def _moment(at: str, now: datetime) -> str:
    try:
        return datetime.fromisoformat(at).astimezone(now.tzinfo).strftime("%Y-%m-%d %H:%M")
    except ValueError:
        return "(no time)"
