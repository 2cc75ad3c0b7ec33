"""task edit, rename and due: words change, state and history stay."""

from __future__ import annotations

from pathlib import Path

import pytest

from agentws.errors import ChangedUnderneathError, SecretRefusedError, UsageError
from agentws.workspace import Workspace
from tests.features.tasks.events import kinds, later, put, text, told

TOKEN = "ghp_" + "9f3KqLx27VbTn5RzWc8YdHm4PsEj6UaGo1Xi"


def test_edit_changes_what_is_given_and_nothing_else(workspace: Workspace) -> None:
    workspace.tasks.add("Mend the roof", goal="Dry before winter.", steps=["ask", "pay"], start=True)

    done = workspace.tasks.edit("mend", title="Mend the roof and gutter", goal="Dry.\nAnd quiet.", priority="high")

    assert (done.changed, done.slug, done.before, done.task.status) == (True, "mend-the-roof", "active", "active")
    assert text(workspace, "mend-the-roof").endswith(
        "priority: high\n---\n# Mend the roof and gutter\n\nDry.\nAnd quiet.\n\n- [ ] ask\n- [ ] pay\n"
    )
    assert told(workspace)[-1]["text"] == "edited: title, goal, priority"
    assert workspace.tasks.edit("mend", priority="high").changed is False
    workspace.tasks.edit("mend", priority="normal", goal="")
    assert "priority" not in text(workspace, "mend-the-roof")
    assert "gutter\n\n- [ ] ask" in text(workspace, "mend-the-roof")


def test_a_title_stands_where_the_file_has_it(workspace: Workspace) -> None:
    put(workspace, "a", "---\ntitle: One\nclient: mine\n---\nwords\n")
    put(workspace, "b", "words\n")

    workspace.tasks.edit("a", title="Two")
    workspace.tasks.edit("b", title="Three")

    assert text(workspace, "a").startswith("---\ntitle: Two\nclient: mine\n")
    assert text(workspace, "b").endswith("---\n# Three\n\nwords\n")


def test_what_is_due_is_shown_and_sorted(workspace: Workspace) -> None:
    workspace.tasks.add("Paint the door")
    workspace.tasks.add("Mend the roof", due="3d")
    late = workspace.tasks.add("Order firewood", due="2026-11-19")
    workspace.tasks.add("Call Tom", due="2026-11-21T09:00")

    assert late.notices == ["The due date 2026-11-19 is in the past: already overdue."]
    assert [one.due for one in workspace.tasks.list().tasks] == ["2026-11-19", "2026-11-21T09:00", "2026-11-23", ""]
    rows = workspace.todos().rows
    assert [(one.text, one.due, one.is_late) for one in rows[:2]] == [
        ("Order firewood", "2026-11-19", True),
        ("Call Tom", "2026-11-21", False),
    ]
    assert "Mend the roof · open · due 2026-11-23 · tasks/" in workspace.boot().text
    workspace.tasks.edit("order", due="none")
    assert "due" not in text(workspace, "order-firewood")
    with pytest.raises(UsageError):
        workspace.tasks.add("Sweep", due="soonish")


def test_a_due_day_that_a_person_writes_is_told_to_the_journal(workspace: Workspace) -> None:
    workspace.tasks.add("Mend the roof")
    put(workspace, "mend-the-roof", text(workspace, "mend-the-roof").replace("---\n#", "due: 2026-12-01\n---\n#"))

    workspace.tasks.start("mend")

    assert told(workspace)[1]["text"] == "due: none → 2026-12-01"


def test_rename_keeps_the_history(workspace: Workspace) -> None:
    workspace.tasks.add("Mend the roof", steps=["ask"], start=True)
    workspace.tasks.step("mend", "ask Sam")
    workspace.contexts.new("home", text="x")
    context = Path(workspace.root, "contexts/home.md")
    context.write_text(context.read_text().replace("---\n#", "---\n#").replace("files: []", "tasks: [mend-the-roof]"))

    done = workspace.tasks.rename("mend", "Mend the gutter")

    assert (done.slug, done.path) == ("mend-the-gutter", "tasks/mend-the-gutter.md")
    assert not Path(workspace.root, "tasks/mend-the-roof.md").exists()
    assert "was:\n" in text(workspace, "mend-the-gutter") or "was: [" in text(workspace, "mend-the-gutter")
    assert kinds(workspace)[2:] == [
        "renamed mend-the-roof: active → None",
        "renamed mend-the-gutter: active → active",
    ]
    shown = workspace.tasks.show("mend-the-gutter")
    assert [one.kind for one in shown.history] == ["task.added", "task.stepped", "task.renamed", "task.renamed"]
    again = later(workspace, hours=1)
    again.tasks.step("mend", "ask Tom")
    assert kinds(workspace)[4:] == ["stepped mend-the-gutter: active → active"]
    assert again.tasks.rename("mend", "Mend the  gutter").changed is False


def test_what_others_listed_is_said(workspace: Workspace) -> None:
    workspace.tasks.add("Mend the roof")
    Path(workspace.root, "contexts").mkdir()
    Path(workspace.root, "contexts/home.md").write_text("---\ntasks: [mend-the-roof]\n---\nx\n")

    done = workspace.tasks.rename("mend", "Mend the gutter")

    assert done.notices == ["These files still use the old name mend-the-roof: contexts/home.md."]


def test_a_rename_is_taken_back(workspace: Workspace) -> None:
    workspace.tasks.add("Mend the roof", start=True)
    workspace.tasks.rename("mend", "Mend the gutter")

    workspace.undo()
    later(workspace, hours=1).plumbing.pause_task("mend-the-roof")

    assert "Mend the roof" in text(workspace, "mend-the-roof")
    assert not Path(workspace.root, "tasks/mend-the-gutter.md").exists()
    assert kinds(workspace)[-1] == "paused mend-the-roof: active → paused"
    assert "undone mend-the-gutter: active → None" in kinds(workspace)


def test_a_name_that_is_taken_gets_a_number(workspace: Workspace) -> None:
    workspace.tasks.add("Mend the roof")
    workspace.tasks.add("Mend the gate")

    assert workspace.tasks.rename("mend-the-gate", "Mend the roof").slug == "mend-the-roof-2"


def test_the_edited_file_replaces_what_was_read(workspace: Workspace) -> None:
    workspace.tasks.add("Mend the roof")
    slug, before = workspace.plumbing.task_text("mend")

    done = workspace.plumbing.rewrite_task(
        slug, before.replace("status: open", "status: active") + "\nSlate.\n", before=before
    )

    assert done.task.status == "active"
    assert told(workspace)[-1]["text"] == "edited: its file"
    with pytest.raises(ChangedUnderneathError):
        workspace.plumbing.rewrite_task(slug, "x", before=before)


def test_nothing_secret_and_nothing_heavy_from_outside(workspace: Workspace) -> None:
    workspace.tasks.add("Mend the roof")

    for given in ({"goal": f"token {TOKEN}"}, {"title": TOKEN}):
        with pytest.raises(SecretRefusedError):
            workspace.tasks.edit("mend", **given)
    for given in ({}, {"priority": "urgent"}, {"priority": "high", "via": "tool:web"}):
        with pytest.raises(UsageError):
            workspace.tasks.edit("mend", **given)
    workspace.tasks.edit("mend", title="Mend [it](http://x)", via="tool:web")
    assert "(via tool:web)" in text(workspace, "mend-the-roof")
    assert "src: tool:web" in text(workspace, "mend-the-roof")


def test_a_name_from_outside_is_marked_as_such(workspace: Workspace) -> None:
    workspace.tasks.add("Mend the roof")
    workspace.tasks.add("Mend the gate")

    workspace.tasks.rename("mend-the-roof", "Pay the roofer", via="net:mail")
    workspace.tasks.rename("mend-the-gate", "Paint the gate")

    assert "src: net:mail" in text(workspace, "pay-the-roofer")
    assert "src:" not in text(workspace, "paint-the-gate")


def test_a_name_that_was_given_away_tells_of_another_task(workspace: Workspace) -> None:
    workspace.tasks.add("Roof", start=True)
    workspace.tasks.step("roof", "slate")
    workspace.tasks.rename("roof", "Gutter")
    workspace.tasks.add("Roof")
    workspace.tasks.step("roof", "tin")
    workspace.tasks.rename("gutter", "Drain")
    workspace.tasks.rename("drain", "Gutter")

    def history(slug: str) -> list[str]:
        return [str((one.body or {})["text"]) for one in workspace.tasks.show(slug).history]

    assert history("gutter") == [
        *("Roof", "now: slate", "renamed to gutter", "renamed from roof"),
        *("renamed to drain", "renamed from gutter", "renamed to gutter", "renamed from drain"),
    ]
    assert history("roof") == ["Roof", "now: tin"]
