"""task list and show: what the files say, and nothing written."""

from __future__ import annotations

from pathlib import Path

import pytest

from agentws.errors import AgentwsError, NoWorkspaceError
from agentws.features.tasks import render as task
from agentws.workspace import Environment, Workspace
from tests.conftest import NOW
from tests.features.tasks.events import kinds, later


def test_a_list_shows_what_is_ready_before_what_waits_and_hides_what_is_over(workspace: Workspace) -> None:
    for title, priority in (("Mail", None), ("Roof", "high"), ("Garden", "low"), ("Old", None), ("Wait", None)):
        workspace.tasks.add(title, priority=priority)
    workspace.tasks.start("garden")
    workspace.tasks.wait("mail", until="2h")
    workspace.tasks.wait("wait", on="Sam")
    workspace.tasks.done("old")

    found = later(workspace, hours=3).tasks.list()

    assert [one.slug for one in found.tasks] == ["garden", "mail", "wait", "roof"]
    assert (found.ready, found.over) == ({"mail"}, 1)
    assert "old" in [one.slug for one in workspace.tasks.list(all=True).tasks]
    assert kinds(workspace)[-1] == "done old: open → done", "a list writes nothing"


def test_a_task_is_shown_with_its_history(workspace: Workspace) -> None:
    workspace.tasks.add("Roof", start=True)
    workspace.tasks.add("Garden")
    workspace.plumbing.pause_task("roof", "rain")

    found = workspace.tasks.show("roof")

    assert [(event.kind, (event.body or {})["text"]) for event in found.history] == [
        ("task.added", "Roof"), ("task.paused", "rain"),
    ]  # fmt: skip


def test_a_task_that_is_over_waits_for_nothing_any_more(workspace: Workspace) -> None:
    workspace.tasks.add("Roof")
    workspace.tasks.wait("roof", on="Sam")
    file = Path(workspace.root, "tasks/roof.md")
    file.write_text(file.read_text().replace("status: waiting", "status: done"))

    shown = list(task.show_lines(workspace.tasks.show("roof")))
    listed = list(task.list_lines(workspace.tasks.list(all=True)))

    assert not [line for line in shown if "waits" in line]
    assert not [line for line in listed if "Sam" in line]


def test_tasks_of_a_folder_that_was_not_adopted_can_be_read_and_not_changed(tmp_path: Path) -> None:
    (tmp_path / "tasks").mkdir()
    (tmp_path / "SOUL.md").write_text("# Robin\n")
    (tmp_path / "tasks" / "roof.md").write_text("# Roof\n")
    here = Workspace.open(str(tmp_path), environment=Environment(now=NOW))

    assert [one.slug for one in here.tasks.list().tasks] == ["roof"]
    with pytest.raises(NoWorkspaceError):
        here.tasks.start("roof")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["SOUL.md", "tasks"]


def test_a_task_whose_file_is_no_file_is_refused_with_why(workspace: Workspace) -> None:
    Path(workspace.root, "tasks", "roof.md").mkdir(parents=True)

    with pytest.raises(AgentwsError, match="a folder, not a regular file"):
        workspace.tasks.show("roof")
    with pytest.raises(AgentwsError, match="a folder, not a regular file"):
        workspace.tasks.start("roof")


def test_a_list_fits_a_terminal_and_still_says_what_is_waited_for(workspace: Workspace) -> None:
    long = "Move the whole address book of the choir to the new machine"
    workspace.tasks.add(long, steps=["export the contacts from the old machine first"])
    slug = workspace.tasks.list().tasks[0].slug
    workspace.tasks.start(slug)
    workspace.tasks.wait(slug, on="Sam, for the list")

    wide, narrow = list(task.list_lines(workspace.tasks.list())), list(task.list_lines(workspace.tasks.list(), 80))

    assert max(map(len, wide)) > 80
    assert max(map(len, narrow)) <= 80
    assert "for Sam, for the list" in narrow[1]
    assert narrow[1].split()[1].rstrip("…") in slug
