"""Steps that are awaited: at once, cancelled, paused."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from agentws.errors import UsageError
from agentws.workspace import Workspace
from tests.features.approvals import people


def test_steps_run_at_once_and_are_not_repeated(workspace: Workspace) -> None:
    done: list[int] = []

    async def work(number: int, gate: asyncio.Barrier) -> int:
        await asyncio.wait_for(gate.wait(), 60)
        done.append(number)
        return number

    async def run() -> list[int]:
        gate = asyncio.Barrier(8)
        async with people.at(workspace).workflow("loan-7") as flow:
            return list(await asyncio.gather(*(flow.astep("work", work, n, gate, key=n) for n in range(8))))

    assert asyncio.run(run()) == asyncio.run(run()) == list(range(8))
    assert sorted(done) == list(range(8))


def test_a_plain_function_is_called_too(workspace: Workspace) -> None:
    async def run() -> Any:
        async with workspace.workflow("loan-7") as flow:
            return await flow.astep("assess", lambda: 5)

    assert asyncio.run(run()) == 5


def test_a_cancelled_step_is_unknown_and_verified_by_what_is_awaited(workspace: Workspace) -> None:
    began: list[int] = []

    async def slow() -> None:
        began.append(1)
        await asyncio.sleep(60)

    async def cancelled() -> None:
        async with workspace.workflow("loan-7") as flow:
            task = asyncio.create_task(flow.astep("pay", slow))
            while not began:
                await asyncio.sleep(0)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task

    async def again() -> Any:
        async def verify() -> dict[str, int]:
            return {"paid": 250}

        async with people.at(workspace).workflow("loan-7") as flow:
            return await flow.astep("pay", slow, verify=verify)

    asyncio.run(cancelled())
    (row,) = workspace.workflow.list()
    assert row.status == "unknown"
    assert asyncio.run(again()) == {"paid": 250}
    assert len(began) == 1


def test_a_failure_is_recorded_and_tried_again(workspace: Workspace) -> None:
    tries: list[int] = []

    async def pay() -> int:
        tries.append(1)
        if len(tries) < 3:
            raise ValueError("no money")
        return len(tries)

    async def run(retry: int) -> int:
        async with people.at(workspace).workflow("loan-7") as flow:
            return int(await flow.astep("pay", pay, retry=retry))

    with pytest.raises(ValueError, match="no money"):
        asyncio.run(run(0))
    assert asyncio.run(run(1)) == 3


def test_an_unanswered_question_leaves_the_block_also_out_of_a_group_of_tasks(workspace: Workspace) -> None:
    async def run(done: list[str]) -> Any:
        async with people.at(workspace).workflow("loan-7") as flow:
            async with asyncio.TaskGroup() as group:
                group.create_task(flow.aapproval("Pay?", action=1))
                group.create_task(flow.aapproval("Send?", action=2))
            done.append("all")
        return flow

    done: list[str] = []
    flow = asyncio.run(run(done))
    assert flow.is_paused
    assert done == []
    for request in workspace.approvals.list(pending=True):
        people.at(workspace).approvals.decide(request.id, approve=True, typed=True)
    for _ in range(2):  # the group may have been cancelled before it asked the second one
        asyncio.run(run(done))
        for request in workspace.approvals.list(pending=True):
            people.at(workspace).approvals.decide(request.id, approve=True, typed=True)
    assert done
    assert len(workspace.approvals.list()) == 2


def test_a_step_within_a_step_is_refused(workspace: Workspace) -> None:
    async def run() -> None:
        async with workspace.workflow("loan-7") as flow:
            await flow.astep("outer", lambda: flow.astep("inner", lambda: None))

    with pytest.raises(UsageError, match="called another step"):
        asyncio.run(run())
