"""Steps of a workflow: a recorded result is returned and not made again; what nobody knows is never repeated."""

from __future__ import annotations

import dataclasses
import multiprocessing
import os
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from agentws.errors import ApprovalRefusedError, LockHeldError, MissingFileError, NeedsYouError, UsageError
from agentws.features.workflow import step_events
from agentws.workspace import Environment, Workspace
from tests.core.journal import journals
from tests.features.approvals import people


class Died(BaseException):
    """The process ends here, as far as the journal is concerned."""


class Effects:
    """Effects outside, counted; `dies` says at which call the process ends, once its effect is there."""

    def __init__(self) -> None:
        self.done: list[str] = []
        self.dies = ""

    def __call__(self, what: str) -> dict[str, int]:
        self.done.append(what)
        if self.dies == what:
            raise Died(what)
        return {"count": len(self.done)}


@pytest.fixture
def effects() -> Effects:
    return Effects()


def opened(workspace: Workspace) -> Workspace:
    """The workspace as the next process finds it."""
    return people.at(workspace)


def run(workspace: Workspace, effects: Effects, *names: str, **policy: Any) -> tuple[list[Any], Any]:
    """What a workflow of these steps returns, and the workflow."""
    found: list[Any] = []
    with opened(workspace).workflow("loan-7") as flow:
        for name in names:
            found.append(flow.step(name, effects, name, **policy))
    return found, flow


def dies(workspace: Workspace, effects: Effects, *names: str) -> None:
    """The same, in a process that dies within the last of these steps."""
    effects.dies = names[-1]
    with pytest.raises(Died):
        run(workspace, effects, *names)
    effects.dies = ""


def kinds(workspace: Workspace) -> list[str]:
    return [one.kind.removeprefix("step.") for one in workspace.journal.list(kinds=("step.*",))]


# A recorded result


def test_a_second_run_returns_what_the_first_one_did_and_does_nothing(workspace: Workspace, effects: Effects) -> None:
    first, _ = run(workspace, effects, "assess", "pay")
    events = len(list(workspace.journal.list()))
    second, flow = run(workspace, effects, "assess", "pay")

    assert first == second == [{"count": 1}, {"count": 2}]
    assert effects.done == ["assess", "pay"]
    assert len(list(workspace.journal.list())) == events
    assert (flow.notices, flow.is_paused, flow.exit_code) == ([], False, 0)


def test_the_intent_is_recorded_before_the_step_and_the_result_after_it(workspace: Workspace) -> None:
    seen: list[list[str]] = []
    with workspace.workflow("loan-7") as flow:
        flow.step("assess", lambda: seen.append(kinds(workspace)))

    assert seen == [["began"]]
    assert kinds(workspace) == ["began", "finished", "left"]


@dataclasses.dataclass
class Offer:
    euros: int


def test_a_result_is_the_same_json_in_the_first_run_and_in_every_later_one(workspace: Workspace) -> None:
    def both(value: Callable[[], Any]) -> list[Any]:
        found = []
        for _ in range(2):
            with opened(workspace).workflow("loan-7") as flow:
                found.append(flow.step("offer", value, key=value.__name__))
        return found

    def large() -> str:
        return "x" * 100_000

    for value, told in ((lambda: Offer(250), {"euros": 250}), (lambda: None, None), (large, "x" * 100_000)):
        value.__name__ = repr(told)[:20]
        assert both(value) == [told, told]


def test_a_result_that_json_does_not_know_is_an_error_and_the_step_is_not_repeated(
    workspace: Workspace, effects: Effects
) -> None:
    def pay() -> Any:
        effects("pay")
        return object()

    with pytest.raises(UsageError, match=r"pay\.result is of type"), workspace.workflow("loan-7") as flow:
        flow.step("pay", pay)
    with opened(workspace).workflow("loan-7") as flow:
        flow.step("pay", pay)

    assert flow.is_paused
    assert effects.done == ["pay"]


def test_a_secret_is_taken_out_of_a_result_in_the_first_run_too(workspace: Workspace) -> None:
    token = "ghp_" + "R8kLm2Qx7VbN4sT9wYcZ1dFgH3jKpA5eU6oi"
    found, notices = [], []
    for _ in range(2):
        with opened(workspace).workflow("loan-7") as flow:
            found.append(flow.step("login", lambda: {"answer": f"token {token}"}))
        notices.append(flow.notices)

    assert found[0] == found[1]
    assert "redacted" in found[0]["answer"]
    assert any("secrets were taken out" in note for note in notices[0])
    with pytest.raises(Exception, match="secret"), workspace.workflow("loan-7") as flow:
        flow.step(token, lambda: None)


def test_steps_of_one_name_have_keys(workspace: Workspace, effects: Effects) -> None:
    for _ in range(2):
        with opened(workspace).workflow("loan-7") as flow:
            told = [flow.step("mail", effects, f"to {name}", key=name) for name in ("Lena", "Sam", 3)]
    assert told == [{"count": 1}, {"count": 2}, {"count": 3}]
    assert len(effects.done) == 3

    with opened(workspace).workflow("loan-7") as flow:
        flow.step("mail", effects, "again", key="Lena")
        with pytest.raises(UsageError, match="called twice"):
            flow.step("mail", effects, "again", key="Lena")


def test_workflows_know_nothing_of_each_other(workspace: Workspace, effects: Effects) -> None:
    for name in ("loan-7", "loan-8"):
        with workspace.workflow(name) as flow:
            flow.step("pay", effects, name)

    assert effects.done == ["loan-7", "loan-8"]
    assert {one.name: one.status for one in workspace.workflow.list()} == {"loan-7": "finished", "loan-8": "finished"}


def test_a_result_that_was_purged_is_known_to_nobody_and_not_made_again(workspace: Workspace, effects: Effects) -> None:
    run(workspace, effects, "pay")
    (cursor,) = (one.cursor for one in workspace.journal.list() if one.kind == "step.finished")
    workspace.journal.purge([cursor], reason="asked")

    assert run(workspace, effects, "pay")[1].is_paused
    workspace.workflow.resolve("loan-7", "pay", result={"paid": 250})

    assert run(workspace, effects, "pay")[0] == [{"paid": 250}]
    assert effects.done == ["pay"]


# A failure


def test_a_failure_is_recorded_and_raised_and_the_next_run_tries_again(workspace: Workspace) -> None:
    tries: list[int] = []

    def pay() -> int:
        tries.append(1)
        if len(tries) < 3:
            raise ValueError("no money")
        return len(tries)

    for _ in range(2):
        with pytest.raises(ValueError, match="no money"), opened(workspace).workflow("loan-7") as flow:
            flow.step("pay", pay)
        (row,) = workspace.workflow.list()
        assert (row.status, [one.status for one in row.steps.values()]) == ("failed", ["failed"])
        assert workspace.workflow.show("loan-7").flow.steps["pay", ""].error == "ValueError: no money"
    with opened(workspace).workflow("loan-7") as flow:
        assert flow.step("pay", pay) == 3


def test_a_failure_is_tried_again_at_once_where_that_is_asked_for(workspace: Workspace) -> None:
    tries: list[int] = []

    def pay() -> int:
        tries.append(1)
        if len(tries) < 3:
            raise ValueError("no money")
        return len(tries)

    with workspace.workflow("loan-7") as flow:
        assert flow.step("pay", pay, retry=2) == 3
    assert kinds(workspace) == ["began", "failed"] * 2 + ["began", "finished", "left"]


def test_an_uncertain_failure_leaves_the_step_unknown(workspace: Workspace, effects: Effects) -> None:
    def pay() -> None:
        effects("pay")
        raise TimeoutError

    with pytest.raises(TimeoutError), workspace.workflow("loan-7") as flow:
        flow.step("pay", pay, retry=3, uncertain=TimeoutError)
    with opened(workspace).workflow("loan-7") as flow:
        flow.step("pay", pay)

    assert flow.is_paused
    assert effects.done == ["pay"]


# What nobody knows


def test_a_step_that_began_and_did_not_end_is_not_run_again_and_a_person_is_asked_once(
    workspace: Workspace, effects: Effects
) -> None:
    dies(workspace, effects, "assess", "pay")
    asked = []
    for _ in range(3):
        found, flow = run(workspace, effects, "assess", "pay", "tell")
        assert found == [{"count": 1}]
        assert (flow.is_paused, flow.exit_code) == (True, 3)
        asked.append(flow.waits)

    assert effects.done == ["assess", "pay"]
    (request,) = workspace.approvals.list()
    assert asked[0] == asked[1] == asked[2] == [text for text in asked[0] if request.id in text]
    assert "agentws workflow resolve loan-7 pay --result JSON" in asked[0][0]
    assert request.question.endswith("May it run again? Only if it did not happen.")
    (row,) = workspace.workflow.list()
    assert row.status == "unknown"


def test_it_runs_again_once_a_person_says_that_it_did_not_happen(workspace: Workspace, effects: Effects) -> None:
    dies(workspace, effects, "pay")
    run(workspace, effects, "pay")
    (request,) = workspace.approvals.list()
    opened(workspace).approvals.decide(request.id, approve=True, typed=True)

    found, flow = run(workspace, effects, "pay")

    assert (found, flow.is_paused) == ([{"count": 2}], False)
    assert workspace.approvals.show(request.id).status == "used"
    dies(workspace, effects, "pay", "tell")
    run(workspace, effects, "pay", "tell")
    assert len(workspace.approvals.list()) == 2  # the first answer does not count again


def test_a_no_of_the_person_keeps_it_from_running(workspace: Workspace, effects: Effects) -> None:
    dies(workspace, effects, "pay")
    run(workspace, effects, "pay")
    (request,) = workspace.approvals.list()
    opened(workspace).approvals.decide(request.id, approve=False)

    for _ in range(2):
        _, flow = run(workspace, effects, "pay")
        assert flow.is_paused
        assert "rejected" in flow.waits[0]
    assert effects.done == ["pay"]
    assert len(workspace.approvals.list()) == 1


def test_a_person_says_what_became_of_it(workspace: Workspace, effects: Effects) -> None:
    dies(workspace, effects, "pay")
    opened(workspace).workflow.resolve("loan-7", "pay", result={"paid": 250})
    assert run(workspace, effects, "pay")[0] == [{"paid": 250}]

    dies(workspace, effects, "pay", "tell")
    opened(workspace).workflow.resolve("loan-7", "tell", not_done=True)
    assert run(workspace, effects, "pay", "tell")[0] == [{"paid": 250}, {"count": 3}]
    assert effects.done == ["pay", "tell", "tell"]


@pytest.mark.parametrize("how", ["person", "verify", "idempotent"])
def test_a_question_is_withdrawn_once_the_answer_is_known(workspace: Workspace, effects: Effects, how: str) -> None:
    dies(workspace, effects, "pay")
    run(workspace, effects, "pay")
    if how == "person":
        opened(workspace).workflow.resolve("loan-7", "pay", not_done=True)
    elif how == "verify":
        run(workspace, effects, "pay", verify=lambda: 1)
    else:
        run(workspace, effects, "pay", idempotent=True)

    assert [one.status for one in workspace.approvals.list()] == ["rejected"]
    assert not run(workspace, effects, "pay")[1].is_paused


def test_an_agent_may_not_say_it_and_what_is_known_is_not_said_again(workspace: Workspace, effects: Effects) -> None:
    dies(workspace, effects, "assess", "pay")

    with pytest.raises(ApprovalRefusedError, match="An agent"):
        people.at(workspace, by_agent=True).workflow.resolve("loan-7", "pay", not_done=True)
    with pytest.raises(UsageError, match="is recorded"):
        workspace.workflow.resolve("loan-7", "assess", not_done=True)
    for flow, step in (("loan-7", "nothing"), ("loan-9", "pay")):
        with pytest.raises(MissingFileError, match=f"No workflow '{flow}' with a step '{step}'"):
            workspace.workflow.resolve(flow, step, not_done=True)
    for words in ({}, {"result": 1, "not_done": True}):
        with pytest.raises(UsageError, match="either"):
            workspace.workflow.resolve("loan-7", "pay", **words)
    assert "resolved" not in kinds(workspace)


def test_what_may_be_done_twice_is_run_again(workspace: Workspace, effects: Effects) -> None:
    dies(workspace, effects, "pay")

    found, flow = run(workspace, effects, "pay", idempotent=True)

    assert (found, effects.done, flow.is_paused) == ([{"count": 2}], ["pay", "pay"], False)
    assert workspace.approvals.list() == []


@pytest.mark.parametrize("is_done", [True, False])
def test_a_function_verifies_whether_it_was_done(workspace: Workspace, effects: Effects, is_done: bool) -> None:
    dies(workspace, effects, "pay")
    asked: list[int] = []

    with opened(workspace).workflow("loan-7") as flow:

        def verify() -> Any:
            asked.append(1)
            return {"paid": 250} if is_done else flow.NOT_DONE

        found = flow.step("pay", effects, "pay", verify=verify)

    assert found == ({"paid": 250} if is_done else {"count": 2})
    assert effects.done == ["pay"] * (1 if is_done else 2)
    assert run(workspace, effects, "pay", verify=verify)[0] == [found]
    assert asked == [1]


def test_ctrl_c_within_a_step_leaves_it_unknown(workspace: Workspace) -> None:
    def interrupted() -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt), workspace.workflow("loan-7") as flow:
        flow.step("pay", interrupted)

    (row,) = workspace.workflow.list()
    assert row.status == "unknown"


# Code that has changed


def test_a_change_of_the_code_is_told(workspace: Workspace) -> None:
    def first() -> int:
        return 1

    def second() -> int:
        return 2

    for function, notices in ((first, 0), (first, 0), (second, 1)):
        with opened(workspace).workflow("loan-7") as flow:
            assert flow.step("assess", function) == 1
        assert len(flow.notices) == notices
    assert "its code has changed since its result was recorded" in flow.notices[0]
    (finished,) = (one for one in workspace.journal.list() if one.kind == "step.finished")
    assert finished.body
    assert finished.body["code"] == workspace.workflow.show("loan-7").flow.steps["assess", ""].code


def test_a_step_that_is_run_again_with_other_code_says_so_in_its_event(workspace: Workspace) -> None:
    def fails() -> int:
        raise ValueError("no")

    with pytest.raises(ValueError, match="no"), workspace.workflow("loan-7") as flow:
        flow.step("assess", fails)
    with opened(workspace).workflow("loan-7") as flow:
        flow.step("assess", lambda: 2)

    began = [one.body.get("code_changed") for one in workspace.journal.list() if one.kind == "step.began" and one.body]
    assert began == [None, True]


# Who may be in it


def test_one_process_at_a_time_has_a_workflow(workspace: Workspace) -> None:
    with (
        workspace.workflow("loan-7"),
        pytest.raises(LockHeldError, match=f"Workflow loan-7 is running: process {os.getpid()}"),
        workspace.workflow("loan-7"),
    ):
        pass
    with workspace.workflow("loan-7"), workspace.workflow("loan-8"):
        pass
    with workspace.workflow("loan-7"), pytest.raises(LockHeldError):
        workspace.workflow.resolve("loan-7", "pay", not_done=True)


def test_a_step_outside_of_the_block_or_within_another_one_is_refused(workspace: Workspace) -> None:
    flow = workspace.workflow("loan-7")
    with pytest.raises(UsageError, match="needs its `with` block"):
        flow.step("pay", lambda: None)
    with pytest.raises(UsageError, match="called another step"), flow:
        flow.step("outer", lambda: flow.step("inner", lambda: None))
    with pytest.raises(UsageError, match="needs its `with` block"):
        flow.step("pay", lambda: None)


@pytest.mark.parametrize("name", ["", " pay", "a\nb", "x" * 201, 3])
def test_a_name_that_is_none_is_refused(workspace: Workspace, name: Any) -> None:
    with pytest.raises(UsageError):
        workspace.workflow(name)
    with pytest.raises(UsageError), workspace.workflow("loan-7") as flow:
        flow.step(name, lambda: None)


def test_threads_do_steps_at_once(workspace: Workspace) -> None:
    gate = threading.Barrier(8, timeout=60)

    def work(number: int) -> int:
        gate.wait()  # all eight run at the same time
        return number

    with workspace.workflow("loan-7") as flow, ThreadPoolExecutor(8) as pool:
        told = [pool.submit(flow.step, "work", work, number, key=number) for number in range(8)]
        assert [one.result() for one in told] == list(range(8))
    with opened(workspace).workflow("loan-7") as flow, ThreadPoolExecutor(8) as pool:
        told = [pool.submit(flow.step, "work", work, -1, key=number) for number in range(8)]
        assert [one.result() for one in told] == list(range(8))
    assert sorted(kinds(workspace)) == ["began"] * 8 + ["finished"] * 8 + ["left"]


def test_the_lock_is_held_until_the_last_thread_is_done(workspace: Workspace) -> None:
    began, goes_on = threading.Event(), threading.Event()

    def work() -> int:
        began.set()
        goes_on.wait(60)
        return 1

    with ThreadPoolExecutor(1) as pool:
        with workspace.workflow("loan-7") as flow:
            told = pool.submit(flow.step, "work", work)
            began.wait(60)
        with pytest.raises(LockHeldError), opened(workspace).workflow("loan-7"):
            pass
        goes_on.set()
        assert told.result() == 1
    with opened(workspace).workflow("loan-7") as flow:
        assert flow.step("work", work) == 1


def test_a_workflow_that_runs_is_not_told_as_one_that_nobody_knows_of(workspace: Workspace) -> None:
    seen: list[Any] = []

    def look() -> None:
        (row,) = workspace.workflow.list()
        seen.append((row.status, row.status_of(row.steps["look", ""])))
        seen.append(workspace.workflow.show("loan-7").flow.status)

    with workspace.workflow("loan-7") as flow:
        flow.step("look", look)

    assert seen == [("running", "running"), "running"]
    assert [one.status for one in workspace.workflow.list()] == ["finished"]


def _tries(root: str, environment: Environment, name: str, out: str, most: int) -> None:
    """Begin the workflow until it was done, whoever else does; say what was done, a line each."""
    for _ in range(most):
        try:
            with Workspace.open(root, environment=environment).workflow(name) as flow:
                for number in range(5):
                    flow.step("work", _says, out, f"{name} {number}", key=number)
            return
        except LockHeldError:
            time.sleep(0.01)
    raise AssertionError("it was never free")


def _says(out: str, words: str) -> None:
    with open(out, "a") as file:
        file.write(f"{words}\n")


def test_processes_that_want_the_same_workflow_do_each_step_once(workspace: Workspace, tmp_path: Path) -> None:
    out = tmp_path / "out"
    spawned = multiprocessing.get_context("spawn")
    names = [f"loan-{number % 2}" for number in range(6)]
    several = [
        spawned.Process(target=_tries, args=(workspace.root, workspace.stores.environment, name, str(out), 5_000))
        for name in names
    ]
    for process in several:
        process.start()
    for process in several:
        process.join()

    assert [process.exitcode for process in several] == [0] * 6
    assert sorted(out.read_text().splitlines()) == sorted(f"{name} {n}" for name in set(names) for n in range(5))
    assert workspace.journal.verify().sound


def test_a_forked_child_has_no_part_in_it(workspace: Workspace) -> None:
    with workspace.workflow("loan-7") as flow:
        child = os.fork()
        if not child:
            try:
                flow.step("pay", lambda: None)
            except UsageError:
                os._exit(7)
            os._exit(0)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7
        assert flow.step("pay", lambda: 1) == 1


# Another machine, and what was read before


def test_another_machine_goes_on(workspace: Workspace, effects: Effects, tmp_path: Path) -> None:
    run(workspace, effects, "assess")
    other = journals.another(workspace, tmp_path)
    other.event("note", "here")
    journals.knows(other, workspace)
    with other.workflow("loan-7") as flow:
        assert flow.step("assess", effects, "assess") == {"count": 1}
        flow.step("pay", effects, "pay")
    with opened(workspace).workflow("loan-7") as flow:
        assert "not vouched for" in flow.notices[0]  # whose word is not known counts for nothing
    journals.knows(workspace, other)

    assert run(workspace, effects, "assess", "pay")[0] == [{"count": 1}, {"count": 2}]
    assert effects.done == ["assess", "pay"]


def cached(workspace: Workspace, tmp_path: Path) -> Workspace:
    surroundings = Environment(now=workspace.stores.environment.now, timezone="UTC", cache=str(tmp_path / "cache"))
    return Workspace.open(workspace.root, environment=surroundings)


def test_what_was_read_before_is_not_read_again(
    workspace: Workspace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, effects: Effects
) -> None:
    monkeypatch.setattr(step_events, "_WORTH_KEEPING", 1)
    journals.small(monkeypatch)
    read: list[str] = []
    whole = step_events.whole
    monkeypatch.setattr(step_events, "whole", lambda *args: read.append(args[1].cursor) or whole(*args))
    for number in range(3):
        with cached(workspace, tmp_path).workflow("loan-7") as flow:
            told = [flow.step(name, effects, name) for name in ("assess", "pay", "tell")[: number + 1]]
    assert told == [{"count": 1}, {"count": 2}, {"count": 3}]
    assert len(read) == len(set(read)) == 6  # began, finished, left of two runs
    read.clear()
    assert cached(workspace, tmp_path).workflow.show("loan-7").flow.steps.keys() == {
        ("assess", ""), ("pay", ""), ("tell", "")
    }  # fmt: skip
    assert len(read) == 3


def test_a_result_that_was_purged_after_it_was_read_is_not_given(
    workspace: Workspace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, effects: Effects
) -> None:
    monkeypatch.setattr(step_events, "_WORTH_KEEPING", 1)
    run(workspace, effects, "pay")
    cached(workspace, tmp_path).workflow.list()
    (cursor,) = (one.cursor for one in workspace.journal.list() if one.kind == "step.finished")
    workspace.journal.purge([cursor], reason="asked")

    with (
        pytest.raises(NeedsYouError, match="no longer in the journal"),
        cached(workspace, tmp_path).workflow("loan-7") as flow,
    ):
        flow.step("pay", effects, "pay")
    cached(workspace, tmp_path).workflow.resolve("loan-7", "pay", result={"paid": 250})
    with cached(workspace, tmp_path).workflow("loan-7") as flow:
        assert flow.step("pay", effects, "pay") == {"paid": 250}
    assert effects.done == ["pay"]


def test_what_was_read_before_counts_for_nothing_where_the_journal_is_another_one(
    workspace: Workspace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, effects: Effects
) -> None:
    monkeypatch.setattr(step_events, "_WORTH_KEEPING", 1)
    with cached(workspace, tmp_path).workflow("loan-7") as flow:
        flow.step("assess", effects, "assess")
    list(cached(workspace, tmp_path).workflow.list())
    told = workspace.stores.cache, cached(workspace, tmp_path).stores.cache
    value = told[1].get("workflows")
    assert value is not None
    value[0][0][2] = "0" * 64
    told[1].put("workflows", [value[0], [], []], made_by=step_events._MADE_BY)

    with cached(workspace, tmp_path).workflow("loan-7") as flow:
        flow.step("assess", effects, "assess")
    assert effects.done == ["assess"]


def test_an_altered_result_is_not_believed(workspace: Workspace, effects: Effects) -> None:
    run(workspace, effects, "pay")
    workspace.event("note", "after")
    path = journals.folder(workspace) / "000001.jsonl"
    path.write_bytes(path.read_bytes().replace(b'"result":{"count":1}', b'"result":{"count":9}'))

    found, flow = run(workspace, effects, "pay")

    assert (found, flow.is_paused, effects.done) == ([], True, ["pay"])


def test_a_step_of_high_risk_runs_again_by_no_word_alone(workspace: Workspace, effects: Effects) -> None:
    effects.dies = "pay"
    with pytest.raises(Died), opened(workspace).workflow("loan-7", risk="high") as flow:
        flow.step("pay", effects, "pay")

    with pytest.raises(ApprovalRefusedError, match="high risk"):
        opened(workspace).workflow.resolve("loan-7", "pay", not_done=True)
    opened(workspace).workflow.resolve("loan-7", "pay", result="paid")
    assert run(workspace, effects, "pay")[0] == ["paid"]


def test_a_program_that_was_edited_since_lowers_the_risk_of_no_step(workspace: Workspace, effects: Effects) -> None:
    effects.dies = "pay"
    with pytest.raises(Died), opened(workspace).workflow("loan-7", risk="high") as flow:
        flow.step("pay", effects, "pay")
    effects.dies = ""

    assert run(workspace, effects, "pay")[1].is_paused
    (request,) = opened(workspace).approvals.list()
    assert request.risk == "high"
    with pytest.raises(ApprovalRefusedError, match="high risk"):
        opened(workspace).approvals.decide(request.id, approve=True, typed=True)
