"""How the workspace is, verdict first."""

from __future__ import annotations

from pathlib import Path

from agentws.workspace import Environment, Workspace


def test_a_new_workspace_is_well(tmp_path: Path, environment: Environment) -> None:
    found = Workspace.init(str(tmp_path / "a"), environment=environment).status()

    assert found.well
    assert {check.name for check in found.checks} == {"manifest", "documents", "changes", "disk", "history", "journal"}
    assert any("own branch" in check.says for check in found.checks)


def test_days_tasks_and_handoffs_are_counted(workspace: Workspace) -> None:
    root = Path(workspace.root)
    workspace.log("one")
    (root / "tasks").mkdir()
    (root / "tasks/a.md").write_text("---\nstatus: active\n---\n")
    (root / "tasks/b.md").write_text("---\nstatus: done\n---\n")
    (root / "handoffs").mkdir()
    (root / "handoffs/x.md").write_text("---\nsession: x\n---\n- go on\n")

    found = workspace.status()

    assert found.days == ["2026-11-20"]
    assert found.tasks == {"active": 1, "done": 1}
    assert found.handoffs == ["handoffs/x.md"]


def test_a_damaged_document_is_named_with_what_would_help(workspace: Workspace) -> None:
    (Path(workspace.root) / "tasks").mkdir()
    (Path(workspace.root) / "tasks/a.md").write_text("---\na: [\n---\n")

    found = workspace.status()

    bad = [check for check in found.checks if not check.ok]
    assert not found.well
    assert "tasks/a.md" in bad[0].says
    assert bad[0].remedy


def test_an_interrupted_change_is_told(workspace: Workspace) -> None:
    (Path(workspace.root) / ".agentws/undo/000099.pending").mkdir(parents=True)

    assert not workspace.status().well


def test_an_unknown_time_zone_is_told(workspace: Workspace) -> None:
    manifest = Path(workspace.root) / "agentws.toml"
    manifest.write_text(manifest.read_text().replace('"UTC"', '"Mars/Olympus"'))

    found = Workspace.open(workspace.root, environment=workspace.environment).status()

    assert not found.well
    assert "Mars/Olympus" in next(check.says for check in found.checks if not check.ok)
