"""How the workspace is, verdict first."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from agentws.core.installation import host_info
from agentws.core.stores import record, writer_trust
from agentws.features.doctor import command_status, render_verdict
from agentws.workspace import Environment, Workspace


def test_a_new_workspace_is_well(tmp_path: Path, environment: Environment) -> None:
    found = Workspace.init(str(tmp_path / "a"), environment=environment).status()

    assert found.well
    assert {check.name for check in found.checks} == {
        *("manifest", "documents", "changes", "disk", "history", "journal", "identity", "compaction"),
    }
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


def test_a_session_that_broke_off_works_no_more_and_its_handoff_is_open(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun = {"host": host_info.name(), "boot": "an earlier one", "process": 1}
    for session, body in (("gone", begun), ("runs", {"host": host_info.name(), "boot": host_info.boot_id()})):
        record.record(workspace.stores, [record.told("session.started", session=session, body=body)])
        record.record(workspace.stores, [record.told("note", "x", session=session)])
    workspace.stores.environment.session = "runs"

    found = workspace.status()

    layers = dict(found.layers)
    assert found.broken == [row.name for row in workspace.handoff.list().rows] == ["gone"]
    assert (layers["working"], layers["session"]) == ("runs", "no log yet, 1 handoff open")
    writers = [*writer_trust.known(workspace.stores), *(f"w{number:025}" for number in range(40))]
    monkeypatch.setattr(writer_trust, "known", lambda _: writers)
    assert workspace.status().broken == ["gone"]


def test_unnamed_action_in_flight_of_a_crashed_session_is_named_and_others_are_not(workspace: Workspace) -> None:
    begun = {"host": host_info.name(), "boot": "an earlier one", "process": 1}
    here = {"host": host_info.name(), "boot": host_info.boot_id()}
    for session, body in (("gone", begun), ("runs", here)):
        told = [record.told("session.started", session=session, body=body)]
        for call in ("a", "b"):
            told.append(record.told("action", session=session, tool="ferry", call=f"{session}-{call}"))
        told.append(record.told("result", session=session, tool="ferry", call=f"{session}-a"))
        record.record(workspace.stores, told)
    workspace.stores.environment.session = "runs"

    found = workspace.status()

    assert found.in_flight == [("ferry", "gone-b")]
    assert "in flight when a session crashed: ferry (gone-b): agentws boot" in render_verdict.of_workspace(found)


def test_an_action_of_a_crashed_session_that_was_checked_since_is_not_in_flight(workspace: Workspace) -> None:
    begun = {"host": host_info.name(), "boot": "an earlier one", "process": 1}
    told = [record.told("session.started", session="gone", body=begun)]
    told += [record.told("action", session="gone", tool="ferry", call=call) for call in ("a", "b")]
    record.record(workspace.stores, told)

    workspace.done(call="a", note="It sailed")

    assert workspace.status().in_flight == [("ferry", "b")]


def test_a_session_that_only_began_is_no_open_handoff(workspace: Workspace) -> None:
    begun = {"host": host_info.name(), "boot": "an earlier one", "process": 1}
    record.record(workspace.stores, [record.told("session.started", session="gone", body=begun)])

    assert workspace.status().broken == workspace.handoff.list().rows == []


def test_a_handoff_whose_front_matter_cannot_be_read_is_open_as_it_is_to_boot(workspace: Workspace) -> None:
    (Path(workspace.root) / "handoffs").mkdir()
    (Path(workspace.root) / "handoffs/x.md").write_text("---\nsession: [\n---\n- go on\n")

    assert workspace.status().handoffs == [row.path for row in workspace.handoff.list().rows] == ["handoffs/x.md"]
    assert "- go on\n" in workspace.boot().text


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

    found = Workspace.open(workspace.root, environment=workspace.stores.environment).status()

    assert not found.well
    assert "Mars/Olympus" in next(check.says for check in found.checks if not check.ok)


def test_what_an_earlier_verb_met_and_mended_is_no_trouble_of_the_manifest(workspace: Workspace) -> None:
    workspace.event("note", text="the first")
    (segment,) = Path(workspace.root, "journal").glob("*/000001.jsonl")
    with segment.open("ab") as file:
        file.write(b'{"torn')

    task = Workspace.open(workspace.root, environment=workspace.stores.environment)

    assert any("data that a crash left incomplete" in notice for notice in task.tasks.add("Next").notices)
    assert [check.says for check in task.status().checks if not check.ok] == []


def test_a_folder_that_may_not_be_written_is_named_though_the_root_may(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    workspace.log("Counted nine herons")
    asked = os.access
    denied = [f"{workspace.root}/{path}" for path in ("memory", "memory/2026-11-20.md")]
    monkeypatch.setattr(
        "agentws.core.disk.permissions.os.access",
        lambda path, mode, **more: asked(path, mode, **more) and not (mode & os.W_OK and path in denied),
    )

    found = workspace.status()
    (check,) = [check for check in found.checks if check.name == "disk"]
    findings = [one for one in workspace.doctor().findings if one.needs_you]

    assert not found.well
    assert check.says.startswith("memory is not writable for this user")
    assert "memory/2026-11-20.md" in check.says
    assert check.remedy.startswith("chmod u+rwX memory memory/2026-11-20.md.")
    assert [(one.name, one.path) for one in findings] == [("not-writable", "memory")]


def test_where_all_logs_are_archived_the_day_of_the_last_is_named(workspace: Workspace) -> None:
    for day in ("2025-12-30", "2026-11-03", "2026-11-09"):
        archived = Path(workspace.root, f"memory/archive/{day[:4]}/{day}.md")
        archived.parent.mkdir(parents=True, exist_ok=True)
        archived.write_text("- 09:00 Oiled the gate\n")

    status = workspace.status()

    says = "no log in memory/, the last (2026-11-09) is archived"
    assert says in render_verdict.of_workspace(status)
    assert says in command_status.status_line(status)
