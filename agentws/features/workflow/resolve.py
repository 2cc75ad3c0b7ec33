"""workflow resolve: records a person's statement whether a step of unknown result was done."""

from __future__ import annotations

from agentws.core import Result
from agentws.core.formats.documents import approval
from agentws.core.text import sh
from agentws.errors import ApprovalRefusedError, MissingFileError, UsageError
from agentws.features.workflow import block, questions, reading
from agentws.features.workflow.plan import state as _state
from agentws.features.workflow.recorder import Recorder

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from agentws.core.stores.stores import Stores
    from agentws.features.workflow.plan.state import Step

NO_RESULT: Any = object()
"""Stands for no result, since None is a result."""


class ResolvedStep(Result):
    """The result of `workflow resolve`: a step, and whether it was done."""

    __slots__ = ("key", "name", "not_done", "notices", "result", "step")

    def __init__(self, name: str, step: Step, result: object, *, not_done: bool, notices: list[str]) -> None:
        self.name = name
        self.step = step.name
        self.key = step.key
        self.not_done = not_done
        self.result = result
        self.notices = notices


def resolve(
    stores: Stores, name: str, step: str, *, key: str = "", result: Any = NO_RESULT, not_done: bool = False
) -> ResolvedStep:
    """Record that a step of unknown result was done, with this `result`, or was not done: then the next run runs it.

    Only a person may do so. LockHeldError while the workflow runs, MissingFileError for a step that never began,
    UsageError for one whose result is recorded.
    """
    if not_done == (result is not NO_RESULT):
        raise UsageError("Say either the result or that it was not done.", hint="--result JSON, or --not-done")
    stores.check_writable()
    if stores.environment.is_agent:
        raise ApprovalRefusedError(
            "An agent cannot say what became of a step.",
            hint=f"A person runs, in their own terminal: agentws workflow resolve {name} {step}",
        )
    with block.locked(stores, name):
        notices = list(stores.notices)
        flow = reading.named(stores, name, notices)
        found = flow.steps.get((step, key))
        _check(stores, name, step, found)
        assert found is not None
        if not_done and found.risk == approval.HIGH:
            raise ApprovalRefusedError(
                f"Step {found.shown!r} has a high risk: it runs again after a signed answer alone.",
                hint=f"agentws ask approve {found.asked}" if found.asked else "Start the program again: it asks.",
            )
        own = Recorder(stores, flow, flow.task or None, notices)
        value = None if not_done else own.told(found, result)
        said = {"not_done": True} if not_done else {"result": value}
        words, asked = "not done, by a person" if not_done else "done, by a person", found.asked
        own.note(_state.RESOLVED, found, words, how="person", began=list(found.attempts), **said)
        questions.withdraw(own, asked)
        return ResolvedStep(name, found, value, not_done=not_done, notices=notices)


_LIST = "To list workflows: agentws workflow list. Their steps: agentws workflow show NAME"


def _check(stores: Stores, name: str, step: str, found: Step | None) -> None:
    see = f"agentws workflow show {sh.quote(name)}"
    if found is None:
        raise MissingFileError(f"No workflow {name!r} with a step {step!r} that began.", hint=_LIST)
    if found.is_approval:
        raise UsageError(f"{step!r} is a question to a person.", hint=f"agentws ask approve {found.asked}")
    if found.done and reading.result(stores, found.done)[0]:
        raise UsageError(f"The result of step {found.shown!r} is recorded.", hint=f"To see it: {see}")
    if not found.done and not found.attempts:
        raise UsageError(f"Step {found.shown!r} failed; the next run runs it again.", hint=f"To see it: {see}")
