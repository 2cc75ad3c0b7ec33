"""An agent with a few files of its own, and a place for its backups."""

from __future__ import annotations

from pathlib import Path

import pytest

from agentws.workspace import Environment, Workspace
from tests.conftest import NOW


@pytest.fixture
def environment(tmp_path: Path) -> Environment:
    return Environment(now=NOW, timezone="UTC", state=(None, str(tmp_path / "state")))


@pytest.fixture
def robin(tmp_path: Path, environment: Environment) -> Workspace:
    return _made(tmp_path, environment, git=False)


@pytest.fixture
def versioned(tmp_path: Path, environment: Environment) -> Workspace:
    """The same with a history of its own."""
    return _made(tmp_path, environment, git=True)


def _made(tmp_path: Path, environment: Environment, *, git: bool) -> Workspace:
    made = Workspace.init(str(tmp_path / "robin"), environment=environment, name="Robin", git=git)
    made.log("The roof has 300 tiles")
    made.event("note", "rang the office")
    (tmp_path / "robin" / "plans").mkdir(mode=0o750)
    (tmp_path / "robin" / "plans" / "draw.sh").write_bytes(b"#!/bin/sh\n\xff\n")
    (tmp_path / "robin" / "plans" / "draw.sh").chmod(0o755)
    (tmp_path / "robin" / "plans" / "latest").symlink_to("../nowhere")
    return made


@pytest.fixture
def stick(tmp_path: Path) -> Path:
    (tmp_path / "media").mkdir()
    return tmp_path / "media" / "stick"


@pytest.fixture(autouse=True)
def _settled(monkeypatch: pytest.MonkeyPatch) -> None:
    """No test waits until a change is so old that the times of the file tell the next one."""
    monkeypatch.setattr("agentws.features.copies.transfer.tree._TICK_NS", 0)
