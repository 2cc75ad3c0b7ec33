"""The verbs `agentws workflow list|show|resolve`: their options and calls."""

from __future__ import annotations

from agentws.core.formats.json import plainjson
from agentws.core.terminal import invocation
from agentws.core.terminal.invocation import Run
from agentws.core.terminal.options import Verb, flag, text, word
from agentws.errors import UsageError
from agentws.features.workflow import render

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def list_workflows(run: Run) -> None:
    """List workflows: how each was left, and which steps nobody knows of."""
    workspace = run.workspace()
    found = workspace.workflows()
    run.done("workflow-list", render.list_fields(found), render.list_lines(found, workspace.clock.now()), found.notices)


def show(run: Run, *, name: str) -> None:
    """Show the steps of a workflow and their results."""
    workspace = run.workspace()
    found = workspace.show_workflow(name)
    run.done("workflow-show", render.show_fields(found), render.show_lines(found, workspace.clock.now()), found.notices)


def resolve(run: Run, *, name: str, step: str, key: str, result: str | None, not_done: bool) -> None:
    """Record what became of a step that was interrupted. Only a person may."""
    given: dict[str, Any] = {} if result is None else {"result": _json(result)}
    done = run.workspace().resolve_step(name, step, key=key, not_done=not_done, **given)
    run.done("workflow-resolve", render.resolved_fields(done), render.resolved_lines(done), done.notices)


def _json(text: str) -> Any:
    try:
        return plainjson.loads(invocation.argument(text))
    except (ValueError, RecursionError) as error:
        raise UsageError(f"--result is not JSON: {error}.", hint="""For example: --result '{"paid": 250}'""") from error


_NAME = word("name", "NAME", "Name of the workflow.")
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
            flag("--not-done", "It was not done: the next run runs it."),
        ),
        "agentws workflow resolve loan-7 pay --result '{\"paid\": 250}'",
        "agentws workflow resolve loan-7 pay --not-done",
    ),
)
