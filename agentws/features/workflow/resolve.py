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
        known_step = flow.steps.get((step, key))
        _check(stores, name, step, known_step)
        assert known_step is not None
        if not_done and known_step.risk == approval.HIGH:
            raise ApprovalRefusedError(
                f"Step {known_step.shown!r} has a high risk: it runs again after a signed answer alone.",
                hint=f"agentws ask approve {known_step.asked}"
                if known_step.asked
                else "Start the program again: it asks.",
            )
        own = Recorder(stores, flow, flow.task or None, notices)
        value = None if not_done else own.told(known_step, result)
        answer = {"not_done": True} if not_done else {"result": value}
        words, asked = "not done, by a person" if not_done else "done, by a person", known_step.asked
        own.note(_state.RESOLVED, known_step, words, how="person", began=list(known_step.attempts), **answer)
        questions.withdraw(own, asked)
        return ResolvedStep(name, known_step, value, not_done=not_done, notices=notices)


_LIST = "To list workflows: agentws workflow list. Their steps: agentws workflow show NAME"


def _check(stores: Stores, name: str, step: str, known_step: Step | None) -> None:
    see = f"agentws workflow show {sh.quote(name)}"
    if known_step is None:
        raise MissingFileError(f"No workflow {name!r} with a step {step!r} that began.", hint=_LIST)
    if known_step.is_approval:
        raise UsageError(f"{step!r} is a question to a person.", hint=f"agentws ask approve {known_step.asked}")
    if known_step.done and reading.result(stores, known_step.done)[0]:
        raise UsageError(f"The result of step {known_step.shown!r} is recorded.", hint=f"To see it: {see}")
    if not known_step.done and not known_step.attempts:
        raise UsageError(f"Step {known_step.shown!r} failed; the next run runs it again.", hint=f"To see it: {see}")
