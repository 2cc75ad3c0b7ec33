"""task due: what has become possible is woken, once, and nothing else."""

from __future__ import annotations

from pathlib import Path

import pytest

from agentws.errors import UsageError
from agentws.workspace import Workspace
from tests.features.tasks.events import kinds, later, put, text, told


def test_due_wakes_what_has_become_possible_and_nothing_else(workspace: Workspace) -> None:
    for title in ("Mail", "Roof", "Report", "Talk"):
        workspace.tasks.add(title, start=True)
    workspace.tasks.wait("mail", until="2h")
    workspace.tasks.wait("roof", until="2026-11-23")
    workspace.tasks.wait("report", path=f"{workspace.root}/inbox/report.csv")
    workspace.tasks.wait("talk", on="Sam")

    assert workspace.tasks.due().woken == []
    Path(workspace.root, "inbox").mkdir()
    Path(workspace.root, "inbox", "report.csv").touch()
    soon = later(workspace, hours=3)
    told_only = soon.tasks.due(dry_run=True)
    assert [one.slug for one in soon.tasks.list().tasks if one.status == "waiting"] == [
        "mail",
        "report",
        "roof",
        "talk",
    ]
    woken = soon.tasks.due()

    assert [one.slug for one in woken.woken] == [one.slug for one in told_only.woken] == ["mail", "report"]
    assert kinds(workspace)[-2:] == ["woken mail: waiting → active", "woken report: waiting → active"]
    assert told(workspace)[-1]["text"] == "it waited for inbox/report.csv"
    assert "waiting_on" not in text(workspace, "mail")
    assert later(workspace, hours=3).tasks.due().woken == []
    assert soon.undo().verb == "task due mail, report"


def test_due_with_nothing_to_do_writes_nothing(workspace: Workspace) -> None:
    before = {str(path) for path in Path(workspace.root).rglob("*")}

    workspace.tasks.due()

    now = {str(path) for path in Path(workspace.root).rglob("*")}
    assert {path for path in now - before if not path.endswith("tasks.lock")} == set()


def test_a_paused_task_is_not_woken_and_resumes_at_once_when_its_time_has_come(workspace: Workspace) -> None:
    workspace.tasks.add("Roof")
    workspace.tasks.wait("roof", until="2h")
    workspace.plumbing.pause_task("roof")
    soon = later(workspace, hours=3)

    assert soon.tasks.due().woken == []
    assert soon.plumbing.resume_task("roof").task.status == "active"


def test_a_path_that_a_person_wrote_leads_nowhere_outside(workspace: Workspace, tmp_path: Path) -> None:
    (tmp_path / "secret").touch()
    put(workspace, "roof", "---\nstatus: waiting\nwaiting_on:\n  path: ../secret\n---\n")
    put(workspace, "wall", "---\nstatus: waiting\nwaiting_on:\n  path: /etc/passwd\n---\n")

    assert workspace.tasks.due().woken == []
    assert workspace.tasks.list().ready == set()


def test_a_pattern_is_no_file_to_wait_for(workspace: Workspace) -> None:
    """It would be waited for in these letters, and no file that it means would ever wake the task."""
    workspace.tasks.add("Roof", start=True)

    with pytest.raises(UsageError, match="pattern"):
        workspace.tasks.wait("roof", path="inbox/*.pdf")

    assert workspace.tasks.show("roof").task.status == "active"
