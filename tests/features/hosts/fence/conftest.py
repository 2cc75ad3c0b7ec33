"""Fixtures of the fence's tests."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from agentws.workspace import Workspace
from tests.features.hosts.fence.playing import Host


@pytest.fixture
def root(workspace: Workspace) -> str:
    return workspace.root


@pytest.fixture
def hosts(root: str) -> Iterator[Any]:
    """Start hosts that end with the test."""
    running: list[Host] = []

    def start(host: str = "claude-code", session: str = "later", **more: Any) -> Host:
        running.append(Host(root, host, session, **more).start())
        return running[-1]

    yield start
    for one in running:
        one.kill()
