"""A workflow for programs: runs steps in a `with` block, and returns recorded results instead of running them again."""

from __future__ import annotations

from agentws.core.disk import named
from agentws.core.formats import layout
from agentws.features.workflow import attempts, questions, reading
from agentws.features.workflow.attempts import Policy
from agentws.features.workflow.block import Block, inside

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from agentws.core.stores.stores import Stores
    from agentws.features.workflow.attempts import Raised
    from agentws.features.workflow.questions import Answer


def workflow(stores: Stores, name: str, *, task: str | None = None, risk: str = "low") -> Workflow:
    """Return a workflow to run in a `with` block; one process at a time can run it, LockHeldError names the other.

    `task` is the slug of the task that it belongs to. `risk` is how much proof an answer needs if it is unknown whether
    a step was done: `low` or `high`.
    """
    if task is not None:
        task = named.whole(stores.heard().files, layout.TASKS, task)
    return Workflow(stores, reading.check_name("workflow name", name), task, risk)


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
            found = attempts.before(self._own, step, policy)
            if found is attempts.VERIFY:
                found = attempts.verified(self._own, step, policy.verify())
            if found is not attempts.RUN:
                return found
            for left in range(retry, -1, -1):
                began = attempts.begin(self._own, step, policy)
                try:
                    with inside(step):
                        value = function(*args, **words)
                except Exception as error:
                    if attempts.is_last(self._own, step, policy, began, error, left):
                        raise
                else:
                    return attempts.end(self._own, step, began, value)
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
            found = await to_thread(attempts.before, self._own, step, policy)
            if found is attempts.VERIFY:
                found = await to_thread(attempts.verified, self._own, step, await _awaited(policy.verify()))
            if found is not attempts.RUN:
                return found
            for left in range(retry, -1, -1):
                began = await to_thread(attempts.begin, self._own, step, policy)
                try:
                    with inside(step):
                        value = await _awaited(function(*args, **words))
                except Exception as error:
                    if await to_thread(attempts.is_last, self._own, step, policy, began, error, left):
                        raise
                else:
                    return await to_thread(attempts.end, self._own, step, began, value)
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
