"""Boot shows what a waiting task no longer waits for, also from a remembered answer, and writes nothing."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

from agentws.workspace import Environment, Workspace
from tests.conftest import NOW


def test_boot_says_which_tasks_are_ready_and_writes_nothing(workspace: Workspace, tmp_path: Path) -> None:
    def at(minutes: int) -> Workspace:
        here = Environment(now=NOW + timedelta(minutes=minutes), timezone="UTC", cache=str(tmp_path / "cache"))
        return Workspace.open(workspace.root, environment=here)

    workspace.add_task("Roof", steps=["ask"])
    workspace.wait_task("roof", until="2h")
    workspace.add_task("Wall")
    workspace.wait_task("wall", path="inbox.txt")
    before = {path: path.read_bytes() for path in Path(workspace.root).rglob("*") if path.is_file()}

    assert "## Task: Roof · waiting · waiting until 2026-11-20 09:15 · 0 of 1 done" in at(0).boot().text
    assert "## Task: Roof · waiting" in at(119).boot().text
    assert "## Task: Roof · ready · waited until 2026-11-20 09:15 · 0 of 1 done" in at(120).boot().text
    assert "## Task: Wall · waiting · waiting for inbox.txt" in at(120).boot().text
    assert before == {path: path.read_bytes() for path in Path(workspace.root).rglob("*") if path.is_file()}
    Path(workspace.root, "inbox.txt").touch()
    assert "## Task: Wall · ready · waited for inbox.txt" in at(120).boot().text
