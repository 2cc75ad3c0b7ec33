"""A workflow for programs: runs steps in a `with` block, and returns recorded results instead of running them again."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from agentws.core.disk import named
from agentws.core.formats import digest, layout
from agentws.core.formats.documents import approval
from agentws.core.stores.stores import Stores
from agentws.errors import UsageError
from agentws.features.workflow import questions, step_events
from agentws.features.workflow.block import NOT_DONE, Block, Recorder, inside
from agentws.features.workflow.plan import state as _state
from agentws.features.workflow.plan.state import Step
from agentws.features.workflow.questions import Answer

Raised = type[BaseException] | tuple[type[BaseException], ...]


def workflow(stores: Stores, name: str, *, task: str | None = None, risk: str = "low") -> Workflow:
    """Return a workflow to run in a `with` block; one process at a time can run it, LockHeldError names the other.

    `task` is the slug of the task that it belongs to. `risk` is how much proof an answer needs if it is unknown whether
    a step was done: `low` or `high`.
    """
    if task is not None:
        task = named.whole(stores.visible_to().files, layout.TASKS, task)
    return Workflow(stores, step_events.check_name("workflow name", name), task, risk)


class Workflow(Block):
    """A run of a workflow. Several threads may use one object, and so may asyncio tasks (`astep`, `aapproval`)."""

    def step(
        self,
        name: str,
        function: Callable[..., Any],
        *args: Any,
        key: object = None,
        idempotent: bool = False,
        verify: Callable[[], Any] | None = None,
        retry: int = 0,
        uncertain: Raised = (),
        **words: Any,
    ) -> Any:
        """Run a step of the workflow: return the result of `function(*args, **words)`, without a run if it is recorded.

        The result is JSON, as recorded. `key` distinguishes steps of one name, as in a loop. If the step began before
        and it is unknown whether it was done, it runs again only with `idempotent`; `verify` may decide by returning
        the result, or `NOT_DONE`; else a person is asked, and the block ends here. An exception is a known failure:
        it is recorded and raised, after `retry` more attempts, and the next run tries again; but an `uncertain` one (a
        timeout, say) leaves it unknown whether the step was done.
        """
        policy = Policy(function, idempotent=idempotent, verify=verify, risk=self._risk, uncertain=uncertain)
        with self._call(name, key) as step:
            result = before(self._own, step, policy)
            if result is VERIFY:
                result = verified(self._own, step, policy.verify())
            if result is not RUN:
                return result
            for left in range(retry, -1, -1):
                began = begin(self._own, step, policy)
                try:
                    with inside(step):
                        value = function(*args, **words)
                except Exception as error:
                    if is_last(self._own, step, policy, began, error, left):
                        raise
                else:
                    return end(self._own, step, began, value)
        raise AssertionError  # the last attempt returns or raises

    async def astep(
        self,
        name: str,
        function: Callable[..., Any],
        *args: Any,
        key: object = None,
        idempotent: bool = False,
        verify: Callable[[], Any] | None = None,
        retry: int = 0,
        uncertain: Raised = (),
        **words: Any,
    ) -> Any:
        """Run a step of the workflow like `step`, for functions to await. A cancelled step is one of unknown result."""
        from asyncio import to_thread

        policy = Policy(function, idempotent=idempotent, verify=verify, risk=self._risk, uncertain=uncertain)
        with self._call(name, key) as step:
            outcome = await to_thread(before, self._own, step, policy)
            if outcome is VERIFY:
                outcome = await to_thread(verified, self._own, step, await _awaited(policy.verify()))
            if outcome is not RUN:
                return outcome
            for left in range(retry, -1, -1):
                began = await to_thread(begin, self._own, step, policy)
                try:
                    with inside(step):
                        value = await _awaited(function(*args, **words))
                except Exception as error:
                    if await to_thread(is_last, self._own, step, policy, began, error, left):
                        raise
                else:
                    return await to_thread(end, self._own, step, began, value)
        raise AssertionError  # the last attempt returns or raises

    def approval(
        self,
        question: str,
        *,
        action: Any = None,
        key: object = None,
        risk: str = "low",
        expires: str | None = None,
    ) -> Answer:
        """Return a person's answer to the workflow's `question` about an action: asked once, used once, true for a yes.

        Without an answer yet the block ends here, and the next run does not ask again. If the action differs from the
        one that was asked about, a person is asked again. ApprovalRefusedError if the answer was used elsewhere.
        """
        with self._call(question, key) as step:
            return questions.answered(self._own, step, question, action, risk=risk, expires=expires)

    async def aapproval(self, question: str, **words: Any) -> Answer:
        """Return a person's answer like `approval`, to await."""
        from asyncio import to_thread

        return await to_thread(self.approval, question, **words)


async def _awaited(value: Any) -> Any:
    return await value if hasattr(value, "__await__") else value


RUN: Any = object()
VERIFY: Any = object()
"""The step has to be run; or its `verify` has to say first whether it was done."""


class Policy:
    """The policy of a workflow step after attempts of unknown result; and the digest of its `code`."""

    __slots__ = ("code", "idempotent", "is_verified", "risk", "uncertain", "verify")

    def __init__(
        self,
        function: Callable[..., Any],
        *,
        idempotent: bool,
        verify: Callable[[], Any] | None,
        risk: str,
        uncertain: Raised,
    ) -> None:
        self.code = digest_of(function)
        self.idempotent = idempotent
        self.is_verified = verify is not None
        self.verify = verify or (lambda: NOT_DONE)
        self.risk = risk
        self.uncertain = uncertain


def before(own: Recorder, step: Step, policy: Policy) -> Any:
    """Decide before an attempt: the recorded result, RUN or VERIFY; Paused if a person has to allow another run."""
    if step.is_approval:
        raise UsageError(
            f"{step.shown!r} is a question that was asked before, and no step.", hint="Name one otherwise."
        )
    own.flow.doubt(step)
    if _has_changed(step, policy):
        what = "its result was recorded" if step.done else "it was begun"
        own.notices.append(f"Step {step.shown}: its code has changed since {what}.")
    if step.done:
        return questions.recorded(own, step)
    if not step.attempts or policy.idempotent:
        return RUN
    if policy.is_verified:
        return VERIFY
    # The recorded risk counts too: a program that was edited since cannot lower it.
    questions.again(own, step, risk=approval.HIGH if step.risk == approval.HIGH else policy.risk)
    return RUN


def verified(own: Recorder, step: Step, value: object) -> Any:
    """Record and return the result that verifying an earlier attempt gave; RUN if the step was not done."""
    began = list(step.attempts)
    if value is NOT_DONE:
        asked = step.asked
        own.note(_state.RESOLVED, step, "verified: not done", how="verify", began=began, not_done=True)
        questions.withdraw(own, asked)
        return RUN
    result, asked = own.told(step, value), step.asked
    own.note(_state.RESOLVED, step, "verified: done", how="verify", began=began, result=result)
    questions.withdraw(own, asked)
    return result


def begin(own: Recorder, step: Step, policy: Policy) -> str:
    """Record that an attempt begins, before the step does anything; return the cursor of the event."""
    risk = policy.risk if policy.risk == approval.HIGH else None
    return own.note(_state.BEGAN, step, code=policy.code, code_changed=_has_changed(step, policy) or None, risk=risk)


def end(own: Recorder, step: Step, began: str, value: object) -> Any:
    """Record the result of an attempt at a step; return it as recorded."""
    result = own.finished(step, began, value)
    questions.withdraw(own, step.asked)
    return result


def is_last(own: Recorder, step: Step, policy: Policy, began: str, error: Exception, left: int) -> bool:
    """Record a failed attempt, and return whether it was the last: an uncertain failure ends the step as unknown."""
    if isinstance(error, policy.uncertain):
        own.note(_state.UNKNOWN, step, f"{type(error).__name__}: result unknown", began=[began])
        return True
    own.failed(step, began, error)
    return not left


def _has_changed(step: Step, policy: Policy) -> bool:
    return bool(step.code and policy.code and step.code != policy.code)


_DIGITS = 16


def digest_of(function: Any) -> str:
    """Return the digest of a step function's source; empty if it has none, like built-in functions."""
    import inspect

    while hasattr(function, "func"):  # functools.partial
        function = function.func
    function = inspect.unwrap(getattr(function, "__func__", function))
    if not hasattr(function, "__code__"):
        function = vars(type(function)).get("__call__", function)  # an object that is called
    try:
        source = inspect.getsource(function)
    except (OSError, TypeError):
        code = getattr(function, "__code__", None)
        source = repr((code.co_code, code.co_names, code.co_consts)) if code is not None and not _nested(code) else ""
    return digest.of(source.encode("utf-8", "surrogatepass"))[:_DIGITS] if source else ""


def _nested(code: Any) -> bool:
    """Return whether a code object has nested code, whose repr has an address that differs in each process."""
    return any(hasattr(item, "co_code") for item in code.co_consts)
