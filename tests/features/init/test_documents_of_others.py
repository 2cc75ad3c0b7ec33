"""Files of other programs in `tasks/` and `handoffs/` are documents: searched, listed nowhere, broken for nobody."""

from __future__ import annotations

from pathlib import Path

from agentws.workspace import Environment, Workspace, initialise
from tests import table
from tests.features.init.test_names import adopted, written

OURS = "---\nstatus: active\n---\n# Paint the door\n"
THEIRS = {
    "tasks/board.md": "# Board\n\n## Doing\n\n- [ ] harbour crane\n",
    "tasks/todo.txt": "(A) harbour rope\n",
    "tasks/plan.md": "---\nkanban-plugin: board\n---\n## Later\n\n- harbour plan\n",
    "tasks/broken.md": "---\n: [\n---\nharbour broken\n",
    "handoffs/2026-11-18-for-max.md": "# To Max\n\nThe harbour keys are with Ada.\n",
    "handoffs/template.md": "---\nfrom: \nto: \n---\nharbour template\n",
}


def test_they_are_documents_and_what_agentws_writes_beside_them_is_listed(
    tmp_path: Path, environment: Environment
) -> None:
    root = written(tmp_path / "a", {"MEMORY.md": "# Memory\n", **THEIRS, "tasks/door.md": OURS})

    done = initialise(str(root), environment)
    agent = Workspace.open(str(root), environment=environment)
    agent.add_task("Mend the roof")
    agent.handoff(doing="Roof")
    boot = agent.boot()

    assert done.documents == {"handoffs": 2, "tasks": 3}
    assert [task.slug for task in agent.tasks().tasks] == ["door", "mend-the-roof"]
    assert len(agent.handoffs().rows) == 1
    assert {row.slug for row in agent.todos().rows} == {"door", "mend-the-roof"}
    assert "harbour" not in boot.text
    assert not [notice for notice in boot.notices if "handoff" in notice]
    assert sum(agent.status().tasks.values()) == 2
    paths = ("tasks", "handoffs")
    findings = [(each.path, each.says) for each in agent.doctor().findings if (each.path or "").startswith(paths)]
    assert findings == [("tasks/todo.txt", "not versioned: history contains only documents")]
    assert {hit.path for hit in agent.search("harbour", k=20).hits} == {path for path in THEIRS if path[-3:] == ".md"}
    assert {path: (root / path).read_text() for path in THEIRS} == THEIRS


def test_they_become_tasks_where_somebody_says_so(tmp_path: Path, environment: Environment) -> None:
    def check(how: str) -> None:
        agent = adopted(written(tmp_path / how, {"MEMORY.md": "# M\n", "tasks/crane.md": "# Crane\n"}), environment)
        assert not agent.tasks().tasks
        if how == "setting":
            agent.set_setting("adopted.documents", "")
        else:
            written(tmp_path / how, {"tasks/crane.md": "---\nstatus: open\n---\n# Crane\n"})
        assert [task.slug for task in agent.tasks().tasks] == ["crane"]

    table.holds(check, ["setting", "header"])


def test_a_workspace_whose_tasks_were_always_plain_files_keeps_them(workspace: Workspace) -> None:
    written(Path(workspace.root), {"tasks/crane.md": "# Crane\n"})

    assert [task.slug for task in workspace.tasks().tasks] == ["crane"]
