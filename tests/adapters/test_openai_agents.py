"""Sessions of the OpenAI Agents SDK, without the SDK: what was added is there for every other process."""

from __future__ import annotations

import asyncio
import importlib.util
import multiprocessing
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from agentws.adapters.openai_agents import Session
from agentws.adapters.row_index import in_thread
from agentws.errors import UsageError
from agentws.workspace import Workspace


@dataclass
class Settings:
    """What a session uses of `SessionSettings`."""

    limit: int | None


def _items(*numbers: int) -> list[dict[str, object]]:
    return [{"role": "user", "content": f"step {number}"} for number in numbers]


def test_items_are_there_for_another_process(workspace: Workspace) -> None:
    asyncio.run(Session(workspace, "Ann's/1").add_items(_items(1, 2)))

    other = Session(Workspace.open(workspace.root), "Ann's/1")
    assert asyncio.run(other.get_items()) == _items(1, 2)
    assert workspace.data.row_logs("openai-agents/") == ["openai-agents/Ann's/1"]


@pytest.mark.parametrize(
    ("limit", "expected"), [(None, (2, 3)), (0, ()), (1, (3,)), (2, (2, 3)), (9, (1, 2, 3)), (-1, (1, 2, 3))]
)
def test_the_latest_items_are_those_that_are_left(
    workspace: Workspace, limit: int | None, expected: tuple[int, ...]
) -> None:
    session = Session(workspace, "tim", session_settings=Settings(2))
    asyncio.run(session.add_items(_items(1, 2, 4)))

    assert asyncio.run(Session(workspace, "tim").pop_item()) == _items(4)[0]
    asyncio.run(session.add_items(_items(3)))

    assert asyncio.run(session.get_items(limit)) == _items(*expected)


def test_a_session_without_items_has_nothing_to_pop(workspace: Workspace) -> None:
    session = Session(workspace, "tim")

    assert asyncio.run(session.pop_item()) is None
    asyncio.run(session.add_items(_items(1)))
    asyncio.run(session.clear_session())

    assert asyncio.run(session.get_items()) == []
    assert workspace.data.row_logs() == []


def test_of_items_that_are_no_json_none_is_added(workspace: Workspace) -> None:
    session = Session(workspace, "tim")

    with pytest.raises(UsageError):
        asyncio.run(session.add_items([*_items(1), {"content": b"bytes"}]))

    assert asyncio.run(session.get_items()) == []


def _pop_all(root: str, taken: multiprocessing.Queue[object]) -> None:
    session = Session(Workspace.open(root), "tim")
    while (item := asyncio.run(session.pop_item())) is not None:
        taken.put(item["content"])
    taken.put(None)


def test_no_two_processes_pop_the_same_item(workspace: Workspace) -> None:
    asyncio.run(Session(workspace, "tim").add_items(_items(*range(12))))
    context = multiprocessing.get_context("spawn")
    taken = context.Queue()

    processes = [context.Process(target=_pop_all, args=(workspace.root, taken)) for _ in range(2)]
    for process in processes:
        process.start()
    answers = [taken.get() for _ in range(14)]
    for process in processes:
        process.join()

    assert sorted(filter(None, answers)) == sorted(item["content"] for item in _items(*range(12)))


def test_a_cancelled_caller_leaves_no_write_behind(workspace: Workspace) -> None:
    done: list[int] = []

    async def cancelled() -> None:
        task = asyncio.ensure_future(in_thread(done.append, 1))
        await asyncio.sleep(0)
        task.cancel()
        await task

    with pytest.raises(asyncio.CancelledError):
        asyncio.run(cancelled())
    assert done == [1]


@pytest.mark.parametrize(
    ("module", "package"),
    [("eventsourcing", "eventsourcing"), ("google_adk", "google"), ("pydantic_ai", "pydantic_ai")],
)
def test_without_a_framework_the_error_names_the_extra(module: str, package: str) -> None:
    if importlib.util.find_spec(package) is not None:
        pytest.skip(f"{package} is installed here")

    done = subprocess.run(
        [sys.executable, "-c", f"import agentws.adapters.{module}"],
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])},
    )

    assert done.returncode == 1
    assert f"pip install 'agentws[{module.replace('_', '-')}]'" in done.stderr
