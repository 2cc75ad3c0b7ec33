"""A machine that is no container, with no crontab and no systemd unless a test puts them there."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from agentws.core.installation import state_dir
from tests.features.automation.schedule.programs import Machine

TOOLS = ("sh", "cat", "mv", "rm", "cp", "ln", "mkdir", "tail")


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Machine:
    folder = tmp_path / "machine"
    (folder / "bin").mkdir(parents=True)
    tools = tmp_path / "tools"
    tools.mkdir()
    for name in TOOLS:
        found = shutil.which(name)
        assert found, name
        (tools / name).symlink_to(found)
    monkeypatch.setenv("PATH", os.pathsep.join((str(folder / "bin"), str(tools))))
    monkeypatch.setattr(state_dir, "_CONTAINER", ())
    return Machine(folder)
