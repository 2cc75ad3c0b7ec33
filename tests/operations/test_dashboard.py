"""The dashboard: what it shows of a workspace, and that it stays at ten lines."""

from __future__ import annotations

from pathlib import Path

from agentws.cli.render import dashboard
from agentws.workspace import Workspace


def test_a_new_workspace_has_nothing_open(workspace: Workspace) -> None:
    found = workspace.dashboard()

    assert (found.name, found.problems, found.open, found.next_item, found.tasks) == ("Robin", [], 0, None, {})
    assert (found.session, found.in_flight, found.handoff, found.log) == (None, [], None, None)
    assert found.next_steps == ["agentws boot"]


def test_it_shows_what_is_open_in_flight_and_handed_over(workspace: Workspace) -> None:
    workspace.start_session(session="s1")
    workspace.todo("Water the herbs")
    ref = workspace.todo("Call Tom", due="2026-11-22").ref
    workspace.add_task("Mend the roof", start=True)
    workspace.event("action", "ask the harbour", tool="mail")
    workspace.handoff(doing="Counting herons")
    workspace.log("Counted nine herons")

    found = workspace.dashboard()

    assert (found.open, found.tasks, found.session) == (2, {"active": 1}, "s1")
    assert found.next_item is not None
    assert (found.next_item.ref, found.next_item.due) == (ref, "2026-11-22")
    assert [one.body["text"] for one in found.in_flight] == ["ask the harbour"]
    assert found.handoff is not None
    assert found.handoff[2]
    assert found.log == ("memory/2026-11-20.md", "07:15 Counted nine herons")
    assert found.next_steps == ["agentws handoff show", f"agentws done {ref}", "agentws task list"]
    lines = list(dashboard.lines(found))
    assert len(lines) <= 10
    assert f"  open      2 items; next: Call Tom (due 2026-11-22) ({ref})" in lines


def test_what_stopped_working_is_the_problem(workspace: Workspace) -> None:
    Path(workspace.root, ".agentws/history-failure").write_text("2026-11-19T07:00:00+00:00: git is locked.\n")
    Path(workspace.root, ".agentws/undo/000099.pending").mkdir(parents=True)

    found = workspace.dashboard()

    assert [one.split(".")[0] for one in found.problems] == [
        "History has not been recorded since 2026-11-19T07:00:00+00:00: git is locked",
        "A change was interrupted, and no data is lost; to complete or revert it: agentws doctor --fix",
    ]
    assert found.next_steps[0] == "agentws doctor"
    assert list(dashboard.lines(found))[1].endswith("(and 1 more)")


def test_a_copy_that_was_left_says_that_it_is_read_only_and_where_the_agent_lives(
    workspace: Workspace, tmp_path: Path
) -> None:
    workspace.todo("Call Tom", due="2026-11-22")
    (tmp_path / "away").mkdir()
    workspace.migrate(str(tmp_path / "away" / "robin"))

    found = Workspace.open(workspace.root, environment=workspace.environment).dashboard()

    assert str(tmp_path / "away" / "robin")[:40] in found.problems[0]
    assert "read-only here" in found.problems[0]
    assert "agentws identity revive" in found.problems[0]
    assert not [step for step in found.next_steps if step.startswith("agentws done")]
    assert "read-only here" in list(dashboard.lines(found))[1]


def test_a_copy_of_a_retired_agent_says_so(workspace: Workspace) -> None:
    workspace.log("Counted nine herons")
    workspace.retire()

    found = Workspace.open(workspace.root, environment=workspace.environment).dashboard()

    assert found.problems[0].startswith("This agent was retired")


def test_it_changes_nothing(workspace: Workspace) -> None:
    workspace.log("Counted nine herons")
    before = {path: path.lstat().st_mtime_ns for path in Path(workspace.root).rglob("*")}

    workspace.dashboard()

    assert {path: path.lstat().st_mtime_ns for path in Path(workspace.root).rglob("*")} == before
