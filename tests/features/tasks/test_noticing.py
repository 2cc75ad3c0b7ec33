"""What the journal does not know yet of the files: an edit of a person, or a verb that died before it could tell."""

from __future__ import annotations

import json
import shutil
from datetime import timedelta
from pathlib import Path

import pytest

from agentws.workspace import Environment, Workspace
from tests.conftest import NOW
from tests.features.tasks.events import kinds, put, text, told
from tests.hostile import worlds


def test_an_edit_of_a_person_is_honoured_and_recorded_by_the_next_verb(workspace: Workspace) -> None:
    workspace.tasks.add("Roof", start=True)
    workspace.tasks.add("Garden")
    put(workspace, "roof", text(workspace, "roof").replace("status: active", "status: done"))

    done = workspace.tasks.start("garden")

    assert done.noticed == ["roof"]
    assert kinds(workspace)[2:] == ["edited roof: active → done", "started garden: open → active"]
    assert workspace.tasks.start("roof").noticed == []


@pytest.mark.parametrize("words", [["pause", "--state", "-"], ["resume", "--state"], ["pause"], ["resume"]])
def test_a_recorded_edit_is_a_notice_in_json_too(workspace: Workspace, words: list[str]) -> None:
    workspace.tasks.add("Roof", start=True)
    if words[0] == "resume":
        workspace.tasks.pause("roof", {"rows": 7})
    put(workspace, "garden", "# Dig the garden\n")

    done = worlds.run_here("task", words[0], "roof", *words[1:], "--json", cwd=Path(workspace.root), stdin=b"{}")

    assert json.loads(done.out)["notices"] == ["Recorded your manual edit of garden."], done.err


def test_a_task_that_a_person_made_or_removed_is_recorded_once(workspace: Workspace) -> None:
    put(workspace, "roof", "# Mend the roof\n")
    workspace.tasks.due()
    workspace.tasks.add("Garden")
    Path(workspace.root, "tasks", "roof.md").unlink()
    workspace.tasks.due()
    workspace.tasks.due()

    assert kinds(workspace) == [
        "added roof: None → open", "added garden: None → open", "edited roof: open → None",
    ]  # fmt: skip


def test_a_task_that_a_rule_archived_was_neither_deleted_nor_edited_by_hand(workspace: Workspace) -> None:
    for title in ("Roof", "Gate"):
        workspace.tasks.add(title)
        workspace.tasks.done(title.lower())
    workspace.config.set("retention.tasks", "90d")
    later = Workspace.open(workspace.root, environment=Environment(now=NOW + timedelta(days=200), timezone="UTC"))
    Path(workspace.root, "tasks/gate.md").unlink()
    assert later.memory.compact().moved == [("tasks/roof.md", "tasks/archive/2026/roof.md")]

    assert later.tasks.add("Garden").noticed == ["gate"]

    said = [one.body["text"] for one in later.journal.list(kinds=["task.edited"]) if one.body]
    assert said == ["the file was deleted", "archived: tasks/archive/2026/roof.md"]
    assert later.tasks.due().noticed == []
    later.memory.undo()
    assert later.tasks.show("roof").task.status == "done"


def test_notes_in_the_file_are_no_news(workspace: Workspace) -> None:
    workspace.tasks.add("Roof")
    put(workspace, "roof", text(workspace, "roof") + "\nSam called.\n")

    assert workspace.tasks.due().noticed == []


def test_what_closed_segments_say_is_remembered_and_true(workspace: Workspace, tmp_path: Path) -> None:
    cached = Environment(now=NOW, timezone="UTC", cache=str(tmp_path / "cache"))
    here = Workspace.open(workspace.root, environment=cached)
    here.tasks.add("Roof", start=True)
    for _ in range(20):
        here.event("note", body={"much": "x" * 60_000})
    here.tasks.add("Garden")
    here.plumbing.pause_task("roof")
    segments = list(Path(workspace.root, "journal").glob("*/*.jsonl"))
    put(workspace, "garden", text(workspace, "garden").replace("open", "paused"))

    assert len(segments) > 1
    assert Workspace.open(workspace.root, environment=cached).tasks.due().noticed == ["garden"]
    assert Workspace.open(workspace.root, environment=workspace.stores.environment).tasks.due().noticed == []
    assert Workspace.open(workspace.root, environment=cached).tasks.due().noticed == []


def test_of_two_writers_the_one_that_knew_of_the_other_is_believed_whatever_their_clocks_say(
    workspace: Workspace, tmp_path: Path
) -> None:
    workspace.tasks.add("Roof", start=True)
    copy = tmp_path / "copy"
    shutil.copytree(workspace.root, copy)
    early = Environment(now=NOW - timedelta(days=1), timezone="UTC")

    elsewhere = Workspace.open(str(copy), environment=early)
    elsewhere.tasks.done("roof")
    again = Workspace.open(str(copy), environment=early).tasks.due()

    assert len(list(copy.glob("journal/0*"))) == 2
    assert again.noticed == []
    newest = [event for event in told(elsewhere) if event["kind"] == "done"]
    assert [cursor.partition(":")[2] for cursor in newest[0]["knows"]] == ["2"]


def test_a_journal_that_was_put_back_is_read_anew(workspace: Workspace, tmp_path: Path) -> None:
    cached = Environment(now=NOW, timezone="UTC", cache=str(tmp_path / "cache"))
    here = Workspace.open(workspace.root, environment=cached)
    here.tasks.add("Roof", start=True)
    (journal,) = Path(workspace.root, "journal").glob("0*")
    shutil.copytree(journal, tmp_path / "before")
    here.plumbing.pause_task("roof")
    for _ in range(40):
        here.event("note", body={"much": "x" * 60_000})
    here.tasks.due()
    shutil.rmtree(journal)
    shutil.copytree(tmp_path / "before", journal)
    shutil.rmtree(Path(workspace.root, ".agentws"))

    again = Workspace.open(workspace.root, environment=cached)

    assert again.tasks.due().noticed == ["roof"]
    assert "edited roof: active → paused" in kinds(workspace)
