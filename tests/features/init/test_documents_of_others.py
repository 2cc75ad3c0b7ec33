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
    agent.tasks.add("Mend the roof")
    agent.handoff(doing="Roof")
    boot = agent.boot()

    assert done.documents == {"handoffs": 2, "tasks": 3}
    assert [task.slug for task in agent.tasks.list().tasks] == ["door", "mend-the-roof"]
    assert len(agent.handoff.list().rows) == 1
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
        assert not agent.tasks.list().tasks
        if how == "setting":
            agent.config.set("adopted.documents", "")
        else:
            written(tmp_path / how, {"tasks/crane.md": "---\nstatus: open\n---\n# Crane\n"})
        assert [task.slug for task in agent.tasks.list().tasks] == ["crane"]

    table.holds(check, ["setting", "header"])


def test_a_workspace_whose_tasks_were_always_plain_files_keeps_them(workspace: Workspace) -> None:
    written(Path(workspace.root), {"tasks/crane.md": "# Crane\n"})

    assert [task.slug for task in workspace.tasks.list().tasks] == ["crane"]


def test_files_that_count_as_tasks_or_handoffs_for_their_front_matter_are_named(
    tmp_path: Path, environment: Environment
) -> None:
    def check(files: dict[str, str]) -> None:
        root = written(tmp_path / str(len(list(tmp_path.iterdir()))), {"MEMORY.md": "# M\n", **files})
        paths = [path for path, text in files.items() if text.startswith("---")]

        notices = initialise(str(root), environment).notices

        agent = Workspace.open(str(root), environment=environment)
        assert [f"tasks/{task.slug}.md" for task in agent.tasks.list(all=True).tasks] == [
            path for path in paths if path.startswith("tasks/")
        ]
        for path in files:
            assert any(path in notice for notice in notices) == (path in paths), path

    table.holds(
        check,
        [
            {"tasks/door.md": OURS},
            {"tasks/door.md": OURS, "tasks/board.md": "# Board\n"},
            {"tasks/door.md": "---\nstatus: backlog\n---\n# Door\n"},
            {"handoffs/2026-11-18-for-max.md": "---\nsession: s1\n---\n# To Max\n"},
            {"tasks/board.md": "# Board\n"},
        ],
    )


def test_a_long_front_matter_of_a_task_is_read_to_its_end(tmp_path: Path, environment: Environment) -> None:
    def check(size: int) -> None:
        long = f"---\nnote: {'x' * size}\nstatus: active\n---\n# Door\n"
        root = written(
            tmp_path / str(size), {"MEMORY.md": "# M\n", "tasks/board.md": "# Board\n", "tasks/door.md": long}
        )

        agent = adopted(root, environment)

        assert [task.slug for task in agent.tasks.list().tasks] == ["door"]
        assert "door" in {row.slug for row in agent.todos().rows}

    table.holds(check, [100, 4_060, 4_096, 9_000])
