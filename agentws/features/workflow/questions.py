"""Questions of a workflow to a person: may an action be done, and was a step of unknown result done (`resolve`)."""

from __future__ import annotations

from typing import Any

from agentws.core import Result
from agentws.core.formats.documents import approval
from agentws.core.formats.json import values
from agentws.core.stores.stores import Stores
from agentws.core.text import sh
from agentws.errors import AgentwsError, ApprovalRefusedError, MissingFileError, NeedsYouError, UsageError
from agentws.features.approvals import ask as _ask, decide, store
from agentws.features.approvals.approval import Approval
from agentws.features.workflow import block, step_events
from agentws.features.workflow.block import Paused, Recorder
from agentws.features.workflow.plan import state as _state
from agentws.features.workflow.plan.state import Step


class Answer:
    """A person's answer to a question of a workflow; true for a yes.

    Fields:
        approval: the id of the request. status: approved, rejected or expired.
        action: the approved action, as edited by the person.
        message, decided_by, proof: as given with the answer.
    """

    __slots__ = ("action", "approval", "decided_by", "message", "proof", "status")

    def __init__(self, fields: dict[str, Any]) -> None:
        self.approval = str(fields.get("approval"))
        self.status = str(fields.get("status"))
        self.action = fields.get("action")
        self.message = str(fields.get("message") or "")
        self.decided_by = str(fields.get("decided_by") or "")
        self.proof = str(fields.get("proof") or "")

    def __bool__(self) -> bool:
        return bool(self.status == approval.APPROVED)

    def __repr__(self) -> str:
        return f"Answer({self.approval} {self.status})"


def recorded(own: Recorder, step: Step) -> Any:
    """Return the recorded result of a step or question. NeedsYouError if it was purged or retired from the journal."""
    is_recorded, result = step_events.result(own.stores, step.done)
    if not is_recorded:
        raise NeedsYouError(
            f"The result of step {step.shown} is no longer in the journal.",
            hint=_resolve(own, step, "--result JSON"),
        )
    return result


def answered(own: Recorder, step: Step, question: str, action: Any, *, risk: str, expires: str | None) -> Answer:
    """Return the answer to a question of a workflow; Paused while there is none."""
    _check_kind(step)
    action = values.plain(action, name="action")
    digest = approval.digest_of(action)
    if step.done and step.digest == digest:
        return Answer(recorded(own, step))
    if not step.attempts:
        own.note(_state.BEGAN, step, question, approval=True)
    request = _look(own, step.asked) if step.asked and step.digest == digest else None
    if request is None:
        # The question names the workflow, to distinguish its request from another workflow's about the same action.
        whole = f"{question} (workflow {own.flow.name}{f', {step.key}' if step.key else ''})"
        request = _asked_before(own, step, whole, digest) or _ask.ask(
            own.stores, whole, action=action, task=own.task, expires=expires, risk=risk, again=True
        )
        own.note(_state.ASKED, step, f"asked as {request.id}", approval=request.id, action_digest=digest)
    if request.status == approval.PENDING:
        raise Paused(f"{request.id}: {request.question}", request.id)
    if request.status == approval.APPROVED and request.is_usable:
        _use(own, step, request, request.action, risk)
        request.status = approval.APPROVED
    elif _is_used_here(step, request):
        request.status = approval.APPROVED  # this workflow used it, and died before it could record that
    elif request.status not in (approval.REJECTED, approval.EXPIRED):
        raise ApprovalRefusedError(f"{request.id}: {request.reason}", hint=f"To see it: agentws ask show {request.id}")
    fields = {"approval": request.id, "status": request.status, "action": request.action, "message": request.message}
    fields |= {"decided_by": request.decided_by, "proof": request.proof}
    return Answer(own.finished(step, step.attempts[-1], fields))


def _check_kind(step: Step) -> None:
    if (step.done or step.attempts) and not step.is_approval:
        raise UsageError(f"{step.shown!r} is a step that began before, and no question.", hint="Name one otherwise.")


def again(own: Recorder, step: Step, *, risk: str) -> None:
    """Ask a person whether an interrupted step may run again; return once they said yes.

    Paused until then. A person who says no has to resolve the step.
    """
    action = {"workflow": own.flow.name, "step": step.name, "run_again": True, "began": sorted(step.attempts)}
    if step.key:
        action["key"] = step.key
    digest, request = approval.digest_of(action), None
    question = (
        f"Step {step.shown} of workflow {own.flow.name} was interrupted. May it run again? Only if it did not happen."
    )
    if step.asked and step.digest == digest:
        request = _look(own, step.asked)
    if request is None or request.status in (approval.EXPIRED, approval.DISPUTED):
        known = _asked_before(own, step, question, digest) if request is None else None
        request = known or _ask.ask(own.stores, question, action=action, task=own.task, risk=risk, again=True)
        own.note(
            _state.UNKNOWN, step, f"result unknown, asked as {request.id}", approval=request.id, action_digest=digest
        )
    done = _resolve(own, step, "--result JSON")
    if _is_used_here(step, request):
        pass  # this workflow used it, and died before it could record that
    elif request.is_usable:
        _use(own, step, request, action, risk)
    elif request.status == approval.PENDING:
        raise Paused(f"{request.id}: {question} If it did happen: {done}", request.id)
    else:
        raise Paused(f"{request.id}: {request.reason} Say what became of the step: {done}", request.id)
    own.note(
        _state.RESOLVED, step, "not done, by a person", how="approval", approval=request.id,
        began=list(step.attempts), not_done=True,
    )  # fmt: skip


def _use(own: Recorder, step: Step, request: Approval, action: Any, risk: str) -> None:
    """Use an approval for a step, naming the event recorded before, so that no other use is mistaken for this one."""
    at = own.note(_state.USING, step, f"{request.id} approved", approval=request.id)
    decide.use(own.stores, request.id, action, risk=risk, by=at)


def _is_used_here(step: Step, request: Approval) -> bool:
    """Return whether this step used the approval, not another user of the same action."""
    return bool(request.status == approval.USED and step.using == request.id and request.used_by == step.using_at)


def withdraw(own: Recorder, asked: str) -> None:
    """Withdraw the question about a step once its result is known; a failure becomes a notice."""
    request = _look(own, asked) if asked else None
    if request is None or request.status != approval.PENDING:
        return
    try:
        decide.decide(own.stores, asked, approve=False, message="The fate of the step is known.")
    except AgentwsError as error:
        own.notices.append(f"The request {asked} was not withdrawn: {error.message}")


def _asked_before(own: Recorder, step: Step, question: str, digest: str) -> Approval | None:
    """Return a request of this workflow whose id it had no time to record, or None."""
    alike = [
        request
        for request in store.list_approvals(own.stores.visible_to())
        if request.action_digest == digest
        and request.question.endswith(question)
        and request.asked[:19] >= _local(own, step)
    ]
    waiting = [
        request for request in alike if request.status in (approval.PENDING, approval.APPROVED, approval.REJECTED)
    ]
    return waiting[0] if waiting else None


def _local(own: Recorder, step: Step) -> str:
    """Return when the step began last, in the time format of approvals; empty if unknown."""
    from datetime import datetime

    if not step.at:
        return ""
    zone = own.stores.clock.now().tzinfo
    return datetime.fromisoformat(step.at).astimezone(zone).isoformat(timespec="seconds")[:19]


def _look(own: Recorder, id: str) -> Approval | None:
    """Return the request with this id; None if its file is gone."""
    try:
        return store.show(own.stores.visible_to(), id)
    except MissingFileError:
        return None


def _resolve(own: Recorder, step: Step, how: str) -> str:
    return f"{_state.resolve(own.flow.name, step)} {how}"


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
        flow = step_events.named(stores, name, notices)
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
        withdraw(own, asked)
        return ResolvedStep(name, known_step, value, not_done=not_done, notices=notices)


_LIST = "To list workflows: agentws workflow list. Their steps: agentws workflow show NAME"


def _check(stores: Stores, name: str, step: str, known_step: Step | None) -> None:
    see = f"agentws workflow show {sh.quote(name)}"
    if known_step is None:
        raise MissingFileError(f"No workflow {name!r} with a step {step!r} that began.", hint=_LIST)
    if known_step.is_approval:
        raise UsageError(f"{step!r} is a question to a person.", hint=f"agentws ask approve {known_step.asked}")
    if known_step.done and step_events.result(stores, known_step.done)[0]:
        raise UsageError(f"The result of step {known_step.shown!r} is recorded.", hint=f"To see it: {see}")
    if not known_step.done and not known_step.attempts:
        raise UsageError(f"Step {known_step.shown!r} failed; the next run runs it again.", hint=f"To see it: {see}")
