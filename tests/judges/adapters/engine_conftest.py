"""The conftest.py of LangGraph's engine tests, with Saver and Store of agentws in all fixtures that hold something."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from langgraph.cache.memory import InMemoryCache

from agentws import Workspace
from agentws.adapters.langgraph import Saver, Store

_COUNTS = Path(os.environ["SAVER_COUNTS"])
counts = {"put": 0, "put_writes": 0, "get_tuple": 0}


class Counted(Saver):
    """Counts its calls; those for event loops end in the same ones."""

    def _put(self, *arguments: Any) -> Any:
        counts["put"] += 1
        return super()._put(*arguments)

    def _put_writes(self, *arguments: Any) -> Any:
        counts["put_writes"] += 1
        return super()._put_writes(*arguments)

    def get_tuple(self, config: Any) -> Any:
        counts["get_tuple"] += 1
        return super().get_tuple(config)


def pytest_sessionfinish() -> None:
    """Add the counts of this process to the file."""
    with _COUNTS.open("a") as file:
        file.write(" ".join(map(str, counts.values())) + "\n")


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture(scope="session")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An empty workspace; tests that count random numbers must not see one being made."""
    return Path(Workspace.init(str(tmp_path_factory.mktemp("template") / "robin"), git=False).root)


@pytest.fixture
def workspace(template: Path, tmp_path: Path) -> Workspace:
    opened = Workspace.open(str(shutil.copytree(template, tmp_path / "robin")))
    opened.data.rows("first").append(
        {"note": "The first write makes this machine a writer, which takes longer than tests wait."}
    )
    return opened


@pytest.fixture
def deterministic_uuids(mocker: Any) -> Any:
    return mocker.patch(
        "uuid.uuid4", side_effect=(UUID(f"00000000-0000-4000-8000-{n:012}", version=4) for n in range(10000))
    )


@pytest.fixture(params=["sync", "async", "exit"])
def durability(request: pytest.FixtureRequest) -> Any:
    return request.param


@pytest.fixture(params=["memory"])
def cache(request: pytest.FixtureRequest) -> InMemoryCache:
    return InMemoryCache()


@pytest.fixture(params=["agentws"])
def sync_store(request: pytest.FixtureRequest, workspace: Workspace) -> Store:
    return Store(workspace)


@pytest.fixture(params=["agentws"])
def async_store(request: pytest.FixtureRequest, workspace: Workspace) -> Store:
    return Store(workspace)


@pytest.fixture(params=["agentws"])
def sync_checkpointer(request: pytest.FixtureRequest, workspace: Workspace) -> Saver:
    return Counted(workspace)


@pytest.fixture(params=["agentws"])
def async_checkpointer(request: pytest.FixtureRequest, workspace: Workspace) -> Saver:
    return Counted(workspace)
