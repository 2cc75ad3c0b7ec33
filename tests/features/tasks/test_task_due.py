"""task due --run: what a schedule is told by the exit code."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from agentws.workspace import Workspace
from tests import forked


@pytest.mark.parametrize(("ends", "code"), [(0, 0), (7, 20)])
def test_an_agent_that_fails_is_told_by_the_exit_code_however_quiet(
    workspace: Workspace, tmp_path: Path, ends: int, code: int
) -> None:
    workspace.tasks.add("Roof")
    workspace.tasks.wait("roof", path="here")
    Path(workspace.root, "here").touch()
    settings = tmp_path / "config" / "agentws" / "config.toml"
    settings.parent.mkdir(parents=True)
    settings.write_text(f"[agent]\ncommand = 'sh -c \"exit {ends}\"'\nboot = false\n")
    surrounded = {**os.environ, "XDG_CONFIG_HOME": str(tmp_path / "config")}

    done = forked.run_text("-C", workspace.root, "-q", "task", "due", "--run", env=surrounded)

    assert done.returncode == code, done.stderr
    assert ("The agent failed: roof (.agentws/task-run-" in done.stderr) is (code == 20)
