"""What somebody works on in a workspace is in history, or `status` and `doctor` say that it is not."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from agentws.core.formats import layout
from agentws.core.states import past as _past, versions
from agentws.workspace import Environment, Workspace


@pytest.fixture
def robin(tmp_path: Path, environment: Environment) -> Workspace:
    return Workspace.init(str(tmp_path / "robin"), environment=environment, name="Robin")


def put(workspace: Workspace, path: str, text: str = "a draft\n") -> None:
    target = Path(workspace.root) / path
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(text)


def history(workspace: Workspace) -> str:
    return next(check.says for check in workspace.status().checks if check.name == "history")


@pytest.mark.parametrize(
    "path",
    [
        "notes.txt",
        "drafts/plan.md",
        "drafts/a/b/c.md",
        "memory/roof.png",
        "memory/2026-11-19/heron.txt",
        "MEMORY.txt",
        "ideen für später.org",
    ],
)
def test_a_file_is_in_a_state_or_said_to_be_in_none(path: str, robin: Workspace) -> None:
    put(robin, path)
    robin.remember("Ada likes herons")  # which records a state

    past = versions.open_past(robin.stores.files, robin.stores.manifest)
    assert past is not None
    assert path not in past.tree(past.states()[0][0])
    assert path in history(robin)
    assert [one.path for one in robin.doctor().findings if one.name == "not-in-history"] == [path]
    assert [one.says.count(path) for one in robin.doctor().findings if one.name == "not-in-history"] == [0]
    assert robin.status().well


def test_each_of_several_files_is_named_once(robin: Workspace) -> None:
    paths = ["drafts/a.md", "drafts/b.md", "drafts/c.md"]
    for path in paths:
        put(robin, path)

    (found,) = (one for one in robin.doctor().findings if one.name == "not-in-history")

    assert [f"{found.path}: {found.says}".count(path) for path in paths] == [1, 1, 1]


@pytest.mark.parametrize("path", ["MEMORY.md", "memory/2026-11-20.md", "notes.md", "tasks/roof.md"])
def test_a_document_edited_since_is_said_until_the_next_state_holds_it(path: str, robin: Workspace) -> None:
    assert "edited since" not in history(robin)
    put(robin, path, "# Edited\n")

    assert path in history(robin)
    robin.contexts.new("blog")

    assert "edited since" not in history(robin)


def test_a_document_edited_in_a_clone_is_said_however_many_files_are_newer_than_its_state(robin: Workspace) -> None:
    for number in range(101):
        put(robin, f"tasks/{number:03}.md")
    robin.contexts.new("blog")
    put(robin, "tasks/100.md", "# Edited\n")
    later = 4_000_000_000
    for number in range(101):
        os.utime(Path(robin.root, f"tasks/{number:03}.md"), (later, later + number))

    assert "tasks/100.md" in history(robin)


def test_what_git_tracks_or_ignores_is_the_users_to_keep(robin: Workspace) -> None:
    put(robin, "script.sh")
    put(robin, "big/data.bin")
    put(robin, ".gitignore", "/journal/\n/big/\n")
    subprocess.run(["git", "-C", robin.root, "add", "script.sh"], check=True)

    assert _past.others(robin.root) == []


def test_hidden_nested_and_linked_files_are_nobodys_draft(robin: Workspace) -> None:
    put(robin, ".cache/x.txt")
    put(robin, "node_modules/x/index.js")
    put(robin, "vendor/.git/HEAD")
    put(robin, "vendor/x.txt")
    (Path(robin.root) / "link.txt").symlink_to("/etc/hosts")

    assert _past.others(robin.root) == []


def test_names_are_names_and_no_patterns(robin: Workspace) -> None:
    for name in ("a*.txt", ":(top)x.txt", "-z", "ab.txt"):
        put(robin, name)
    subprocess.run(["git", "-C", robin.root, "add", "ab.txt"], check=True)

    assert _past.others(robin.root) == ["-z", ":(top)x.txt", "a*.txt"]


def test_many_are_counted_and_the_look_is_bounded(robin: Workspace) -> None:
    for number in range(130):
        put(robin, f"drafts/{number:03}.txt")

    assert len(_past.others(robin.root)) == 100
    assert "drafts/000.txt, drafts/001.txt, drafts/002.txt and 97 more" in history(robin)


def test_a_workspace_deeper_in_a_repository_tells_of_its_own(tmp_path: Path, environment: Environment) -> None:
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)
    (tmp_path / "agents/robin").mkdir(parents=True)
    (tmp_path / "outside.txt").write_text("x\n")
    workspace = Workspace.init(str(tmp_path / "agents/robin"), environment=environment)
    put(workspace, "notes.txt")

    assert _past.others(workspace.root) == ["notes.txt"]


def test_no_history_says_so_and_no_more(workspace: Workspace) -> None:
    put(workspace, "notes.txt")

    assert "no history" in history(workspace)
    assert layout.MEMORY not in history(workspace)
