"""flow.approval: a person is asked once, the answer is used once, and whoever dies in between asks nobody again."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import pytest

from agentws.errors import ApprovalRefusedError, UsageError
from agentws.features.approvals import decide as decisions
from agentws.features.workflow.block import Recorder
from agentws.features.workflow.plan import state
from agentws.workspace import Workspace
from tests.features.approvals import people

QUESTION = "Pay the deposit?"
ACTION = {"tool": "pay", "to": "Lena", "amount": 250}


class Died(BaseException):
    """The process ends here."""


def opened(workspace: Workspace, **later: float) -> Workspace:
    return people.at(workspace, **later)


def run(workspace: Workspace, paid: list[Any], action: Any = ACTION, **words: Any) -> Any:
    """A loan: pay where a person says so."""
    with opened(workspace, **words.pop("later", {})).workflow("loan-7") as flow:
        answer = flow.approval(QUESTION, action=action, **words)
        if answer:
            flow.step("pay", paid.append, answer.action)
    return flow


def decide(workspace: Workspace, **words: Any) -> None:
    (request,) = opened(workspace).approvals.list(pending=True)
    opened(workspace).approvals.decide(request.id, typed=True, **words)


def test_it_pauses_until_a_person_has_answered_and_goes_on_once(workspace: Workspace) -> None:
    paid: list[Any] = []
    for _ in range(2):
        flow = run(workspace, paid)
        assert (flow.is_paused, flow.exit_code, paid) == (True, 3, [])
    (row,) = workspace.workflow.list()
    assert (row.status, row.steps[QUESTION, ""].status) == ("paused", "waiting")
    decide(workspace, approve=True)

    for _ in range(2):
        assert not run(workspace, paid).is_paused
    assert paid == [ACTION]
    (request,) = workspace.approvals.list()
    assert request.status == "used"


def test_a_no_is_an_answer(workspace: Workspace) -> None:
    paid: list[Any] = []
    run(workspace, paid)
    decide(workspace, approve=False, message="not this month")

    for _ in range(2):
        with opened(workspace).workflow("loan-7") as flow:
            answer = flow.approval(QUESTION, action=ACTION)
        assert (bool(answer), answer.status, answer.message) == (False, "rejected", "not this month")
    assert paid == []


def test_the_action_is_the_one_that_the_person_approved(workspace: Workspace) -> None:
    paid: list[Any] = []
    run(workspace, paid)
    decide(workspace, approve=True, edit={**ACTION, "amount": 200})

    run(workspace, paid)
    assert paid == [{**ACTION, "amount": 200}]


def test_another_action_is_asked_for_anew(workspace: Workspace) -> None:
    paid: list[Any] = []
    run(workspace, paid)
    decide(workspace, approve=True)
    other = {**ACTION, "amount": 2_500}

    assert run(workspace, paid, other).is_paused
    assert len(workspace.approvals.list()) == 2
    decide(workspace, approve=True)
    run(workspace, paid, other)
    assert paid == [other]


@pytest.mark.parametrize("approve", [True, False])
def test_a_recorded_answer_is_none_to_another_action(workspace: Workspace, approve: bool) -> None:
    paid: list[Any] = []
    other = {**ACTION, "amount": 2_500}
    run(workspace, paid)
    decide(workspace, approve=approve)
    with opened(workspace).workflow("loan-7") as flow:
        assert bool(flow.approval(QUESTION, action=ACTION)) is approve

    for _ in range(2):
        assert run(workspace, paid, other).is_paused
    (request,) = workspace.approvals.list(pending=True)
    assert request.action == other
    decide(workspace, approve=True)
    for _ in range(2):
        assert not run(workspace, paid, other).is_paused
    assert paid == [other]


def test_an_answer_that_came_too_late_is_none(workspace: Workspace) -> None:
    paid: list[Any] = []
    run(workspace, paid, expires="2d")

    flow = run(workspace, paid, expires="2d", later={"days": 3})

    assert not flow.is_paused
    assert paid == []
    assert workspace.workflow.show("loan-7").results[QUESTION, ""]["status"] == "expired"  # type: ignore[index]


def test_an_answer_that_somebody_else_used_is_refused(workspace: Workspace) -> None:
    paid: list[Any] = []
    run(workspace, paid)
    decide(workspace, approve=True)
    opened(workspace).approvals.use("", ACTION)

    with pytest.raises(ApprovalRefusedError):
        run(workspace, paid)
    assert paid == []


def test_what_needs_a_high_proof_is_not_approved_by_what_was_typed(workspace: Workspace) -> None:
    paid: list[Any] = []
    run(workspace, paid, risk="high")
    with pytest.raises(ApprovalRefusedError):
        decide(workspace, approve=True)

    assert run(workspace, paid, risk="high").is_paused
    assert paid == []


def test_the_same_question_has_keys(workspace: Workspace) -> None:
    for _ in range(2):
        for key in ("may", "june"):
            with opened(workspace).workflow("loan-7") as flow:
                flow.approval(QUESTION, action={"month": key}, key=key)
    assert len(workspace.approvals.list()) == 2


def test_workflows_that_ask_the_same_have_a_request_each(workspace: Workspace) -> None:
    for name in ("loan-7", "loan-8"):
        with opened(workspace).workflow(name) as flow:
            flow.approval(QUESTION, action=ACTION)
    first, second = opened(workspace).approvals.list(pending=True)
    assert {first.question, second.question} == {f"{QUESTION} (workflow {name})" for name in ("loan-7", "loan-8")}
    for one in (first, second):
        opened(workspace).approvals.decide(one.id, approve=True, typed=True)
    for name in ("loan-7", "loan-8"):
        with opened(workspace).workflow(name) as flow:
            assert flow.approval(QUESTION, action=ACTION)


def test_a_question_is_no_step_and_a_step_no_question(workspace: Workspace) -> None:
    with opened(workspace).workflow("loan-7") as flow:
        flow.step("pay", lambda: 1)
        flow.approval(QUESTION)
    with opened(workspace).workflow("loan-7") as flow:
        with pytest.raises(UsageError, match="no question"):
            flow.approval("pay")
        with pytest.raises(UsageError, match="no step"):
            flow.step(QUESTION, lambda: 1)


def test_the_request_names_the_task(workspace: Workspace) -> None:
    workspace.tasks.add("Buy the flat")
    with opened(workspace).workflow("loan-7", task="buy") as flow:
        flow.approval(QUESTION)
    assert opened(workspace).approvals.list()[0].task == "buy-the-flat"
    with opened(workspace).workflow("loan-7") as flow:  # it is known from now on
        flow.approval("And the garden?")
    assert [one.task for one in opened(workspace).approvals.list()] == ["buy-the-flat"] * 2


def points(monkeypatch: pytest.MonkeyPatch, at: int, act: Callable[[], None]) -> bool:
    """The act, in a process that dies before its event number `at`, or behind it; whether it got that far."""
    note, count = Recorder.note, [0]

    def dying(self: Recorder, *args: Any, **named: Any) -> str:
        count[0] += 1
        if count[0] == at:
            raise Died
        found = note(self, *args, **named)
        count[0] += 1
        if count[0] == at:
            raise Died
        return found

    with monkeypatch.context() as patch:
        patch.setattr(Recorder, "note", dying)
        try:
            act()
        except Died:
            return True
    return False


def pays(workspace: Workspace, at: int, paid: list[Any]) -> None:
    """A loan of its own, which pays where a person says so."""
    with opened(workspace).workflow(f"loan-{at}") as flow:
        if flow.approval(QUESTION, action={"number": at}):
            flow.step("pay", paid.append, at, verify=lambda: at in paid or flow.NOT_DONE)


def test_killed_anywhere_it_asks_once_and_pays_once(workspace: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    paid: list[Any] = []
    for at in range(1, 40):
        act = functools.partial(pays, workspace, at, paid)
        died = points(monkeypatch, at, act)
        if opened(workspace).approvals.list(pending=True):
            decide(workspace, approve=True)
            died = points(monkeypatch, at, act) or died
        act()
        if opened(workspace).approvals.list(pending=True):
            decide(workspace, approve=True)
            act()
        act()
        assert paid.count(at) == 1, at
        assert len(workspace.approvals.list()) == at, at
        if not died:
            return
    raise AssertionError("it never ran to its end")


def test_a_process_that_died_while_it_used_the_answer_goes_on_with_it(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    paid: list[Any] = []
    run(workspace, paid)
    decide(workspace, approve=True)
    with monkeypatch.context() as patch:
        finished = Recorder.finished
        patch.setattr(Recorder, "finished", lambda *args: (_ for _ in ()).throw(Died()))
        with pytest.raises(Died):
            run(workspace, paid)
        patch.setattr(Recorder, "finished", finished)
    assert [one.status for one in workspace.approvals.list()] == ["used"]

    run(workspace, paid)

    assert paid == [ACTION]
    kinds = [one.kind for one in workspace.journal.list(kinds=(state.FAMILY,))]
    assert kinds.count(state.USING) == 1


def dies_before_its_use(workspace: Workspace, monkeypatch: pytest.MonkeyPatch, paid: list[Any]) -> None:
    """A run that dies between saying that it uses the answer and using it."""
    with monkeypatch.context() as patch:
        patch.setattr(decisions, "use", lambda *_args, **_words: (_ for _ in ()).throw(Died()))
        with pytest.raises(Died):
            run(workspace, paid)


def test_an_approval_that_somebody_else_used_meanwhile_is_not_its_own(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    paid: list[Any] = []
    run(workspace, paid)
    decide(workspace, approve=True)
    dies_before_its_use(workspace, monkeypatch, paid)
    opened(workspace).approvals.use("", ACTION)

    for _ in range(2):
        with pytest.raises(ApprovalRefusedError, match="used already"):
            run(workspace, paid)
    assert paid == []


def test_an_approval_that_expired_before_it_was_used_is_no_yes(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    paid: list[Any] = []
    run(workspace, paid, expires="1h")
    decide(workspace, approve=True)
    dies_before_its_use(workspace, monkeypatch, paid)

    run(workspace, paid, expires="1h", later={"hours": 2})
    assert paid == []
