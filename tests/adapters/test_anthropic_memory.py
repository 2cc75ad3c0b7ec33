"""The memory tool of Anthropic on a workspace. Its base class is a stand-in here; tests/judges has the real one."""

from __future__ import annotations

import importlib
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

from agentws.workspace import Environment, Workspace
from tests import table

NAME = "agentws.adapters.anthropic_memory"


class ToolError(Exception):
    """A result by which the model can correct its call."""


class Base:
    """Calls the method that a command names."""

    def __init__(self, *, cache_control: object = None) -> None:
        self.cache_control = cache_control

    def execute(self, command: Any) -> Any:
        return getattr(self, command.command)(command)


@pytest.fixture
def adapter(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    tools = ModuleType("anthropic.lib.tools")
    for name, value in (
        ("BetaAbstractMemoryTool", Base),
        ("BetaAsyncAbstractMemoryTool", Base),
        ("ToolError", ToolError),
    ):
        setattr(tools, name, value)
    for name in ("anthropic", "anthropic.lib"):
        monkeypatch.setitem(sys.modules, name, ModuleType(name))
    monkeypatch.setitem(sys.modules, "anthropic.lib.tools", tools)
    monkeypatch.delitem(sys.modules, NAME, raising=False)
    yield importlib.import_module(NAME)
    sys.modules.pop(NAME, None)


@pytest.fixture
def tool(adapter: Any, workspace: Workspace) -> Any:
    return adapter.MemoryTool(workspace)


def do(tool: Any, command: str, **given: Any) -> str:
    defaults = {"view_range": None, "new_str": None}
    result: str = tool.execute(SimpleNamespace(command=command, **{**defaults, **given}))
    return result


def refused(tool: Any, command: str, **given: Any) -> str:
    with pytest.raises(ToolError) as error:
        do(tool, command, **given)
    return str(error.value)


def test_what_a_model_writes_is_a_file_of_the_workspace_in_search_and_undo(tool: Any, workspace: Workspace) -> None:
    do(tool, "create", path="/memories/herons.md", file_text="# Herons\n\n- Ada nests at the weir\n")
    path = Path(workspace.root) / "memory/memories/herons.md"

    assert path.read_text() == "# Herons\n\n- Ada nests at the weir\n"
    assert [hit.path for hit in workspace.search("weir").hits] == ["memory/memories/herons.md"]
    do(tool, "delete", path="/memories/herons.md")
    assert not path.exists()
    workspace.undo()
    assert "Ada nests" in do(tool, "view", path="/memories/herons.md")


def test_a_file_is_edited_by_text_and_by_line(tool: Any) -> None:
    do(tool, "create", path="/memories/a.txt", file_text="one\ntwo\nthree")

    shown = do(tool, "str_replace", path="/memories/a.txt", old_str="two", new_str="2")
    do(tool, "insert", path="/memories/a.txt", insert_line=0, insert_text="zero\n")

    assert shown.endswith("     1\tone\n     2\t2\n     3\tthree")
    assert do(tool, "view", path="/memories/a.txt").endswith(
        "\n     1\tzero\n     2\tone\n     3\t2\n     4\tthree\n     5\t"
    )
    assert do(tool, "view", path="/memories/a.txt", view_range=[2, 3]).endswith(":\n     2\tone\n     3\t2")
    do(tool, "str_replace", path="/memories/a.txt", old_str="2\n")
    assert do(tool, "view", path="/memories/a.txt", view_range=[2, -1]).endswith("     2\tone\n     3\tthree\n     4\t")


def test_a_folder_is_listed_renamed_and_deleted_whole(tool: Any, workspace: Workspace) -> None:
    for name in ("a/one.md", "a/b/two.md", "a/b/c/three.md", ".hidden.md"):
        do(tool, "create", path=f"/memories/{name}", file_text="x" * 1536)

    listed = do(tool, "view", path="/memories").split("\n")[1:]
    do(tool, "rename", old_path="/memories/a", new_path="/memories/z/y")

    assert listed == ["4.5K\t/memories", "4.5K\t/memories/a/", "3K\t/memories/a/b/", "1.5K\t/memories/a/one.md"]
    root = Path(workspace.root) / "memory/memories"
    assert not (root / "a").exists()
    assert (root / "z/y/b/c/three.md").read_text() == "x" * 1536
    do(tool, "delete", path="/memories/z")
    assert sorted(path.name for path in root.iterdir()) == [".hidden.md"]
    tool.clear_all_memory()
    assert do(tool, "view", path="/memories").endswith("\n0B\t/memories")


def test_no_path_leaves_the_folder(tool: Any, workspace: Workspace, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "secret.md").write_text("secret")
    root = Path(workspace.root) / "memory/memories"
    root.mkdir(parents=True)
    (root / "link").symlink_to(outside)
    (root / "link.md").symlink_to(outside / "secret.md")

    def check(path: str) -> None:
        for command, given in (
            ("view", {"path": path}),
            ("create", {"path": path, "file_text": "x"}),
            ("str_replace", {"path": path, "old_str": "secret", "new_str": "x"}),
            ("insert", {"path": path, "insert_line": 0, "insert_text": "x"}),
            ("delete", {"path": path}),
            ("rename", {"old_path": path, "new_path": "/memories/stolen.md"}),
            ("rename", {"old_path": "/memories/mine.md", "new_path": path}),
        ):
            assert "secret" not in refused(tool, command, **given).replace(path, "").replace("outside", "")

    do(tool, "create", path="/memories/mine.md", file_text="mine")
    table.holds(
        check,
        [
            "/memories/../../SOUL.md",
            "/memories/../memories2/x.md",
            "/memoriesx/a.md",
            "/etc/passwd",
            "memories/a.md",
            "",
            "/memories/link/secret.md",
            "/memories/link/new.md",
            "/memories/link.md",
            "/memories/a\0b.md",
        ],
    )
    assert sorted(path.name for path in outside.iterdir()) == ["secret.md"]
    assert (outside / "secret.md").read_text() == "secret"
    assert sorted(path.name for path in root.iterdir()) == ["link", "link.md", "mine.md"]


def test_what_cannot_be_done_is_said_so_that_the_model_can_correct_its_call(tool: Any) -> None:
    do(tool, "create", path="/memories/a.md", file_text="x y x")
    do(tool, "create", path="/memories/b/c.md", file_text="")

    def check(row: tuple[str, dict[str, Any], str]) -> None:
        command, given, part = row
        assert part in refused(tool, command, **given)

    table.holds(
        check,
        [
            ("create", {"path": "/memories/a.md", "file_text": ""}, "already exists"),
            ("create", {"path": "/memories", "file_text": ""}, "already exists"),
            ("view", {"path": "/memories/none.md"}, "does not exist"),
            ("str_replace", {"path": "/memories/a.md", "old_str": "x", "new_str": ""}, "in lines: 1, 1."),
            ("str_replace", {"path": "/memories/a.md", "old_str": "", "new_str": "z"}, "did not appear"),
            ("str_replace", {"path": "/memories/b", "old_str": "x", "new_str": "z"}, ""),
            ("insert", {"path": "/memories/a.md", "insert_line": 2, "insert_text": "z"}, "[0, 1]"),
            ("insert", {"path": "/memories/a.md", "insert_line": -1, "insert_text": "z"}, "[0, 1]"),
            ("delete", {"path": "/memories"}, "itself"),
            ("delete", {"path": "/memories/none.md"}, "does not exist"),
            ("rename", {"old_path": "/memories", "new_path": "/memories/z"}, "itself"),
            ("rename", {"old_path": "/memories/a.md", "new_path": "/memories/b/c.md"}, "already exists"),
            ("rename", {"old_path": "/memories/a.md", "new_path": "/memories"}, "already exists"),
            ("rename", {"old_path": "/memories/b", "new_path": "/memories/b/d"}, "into itself"),
            ("create", {"path": "/memories/.git/config", "file_text": "x"}, "git reads"),
            ("rename", {"old_path": "/memories/a.md", "new_path": "/memories/b/.GIT/HEAD"}, "git reads"),
            ("create", {"path": "/memories/k.md", "file_text": "ghp_9f3KqLx27VbTn5RzWc8YdHm4PsEj6UaGo1Xi"}, "secret"),
        ],
    )


def test_forgotten_text_is_not_written_again(tool: Any, workspace: Workspace) -> None:
    workspace.log("Ann Winter called")
    workspace.memory.forget(subjects=["Ann Winter"])

    assert "forgotten" in refused(tool, "create", path="/memories/a.md", file_text="Ann Winter likes tea.\n")
    assert not (Path(workspace.root) / "memory/memories/a.md").exists()


def test_a_text_that_is_no_utf_8_is_not_destroyed(tool: Any, workspace: Workspace) -> None:
    path = Path(workspace.root) / "memory/memories/old.txt"
    path.parent.mkdir(parents=True)
    path.write_bytes(b"caf\xe9 x")

    assert "not UTF-8" in refused(tool, "str_replace", path="/memories/old.txt", old_str="x", new_str="y")
    assert path.read_bytes() == b"caf\xe9 x"


def test_edits_by_many_threads_are_all_kept(tool: Any) -> None:
    do(tool, "create", path="/memories/a.txt", file_text="")

    def edit(number: int) -> None:
        do(tool, "insert", path="/memories/a.txt", insert_line=0, insert_text=f"line {number}")

    threads = [threading.Thread(target=edit, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    shown = do(tool, "view", path="/memories/a.txt")
    assert [shown.count(f"line {number}") for number in range(8)] == [1] * 8


def test_a_shared_audience_has_no_memory_of_the_agent(adapter: Any, workspace: Workspace) -> None:
    do(adapter.MemoryTool(workspace), "create", path="/memories/a.md", file_text="Sam looks for a job")
    shared = Workspace.open(workspace.root, environment=Environment(audience="shared"))

    for command, given in (
        ("view", {"path": "/memories/a.md"}),
        ("create", {"path": "/memories/b.md", "file_text": ""}),
    ):
        assert "job" not in refused(adapter.MemoryTool(shared), command, **given)


def test_without_the_sdk_the_error_names_how_to_install_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "anthropic", None)
    monkeypatch.delitem(sys.modules, NAME, raising=False)

    with pytest.raises(ModuleNotFoundError, match=r"pip install 'agentws\[anthropic\]'"):
        importlib.import_module(NAME)
