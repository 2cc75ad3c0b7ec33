"""task edit in an editor: what a person wrote is never lost, whatever comes in between."""

from __future__ import annotations

import os
import pty
import subprocess
from pathlib import Path

import pytest

from agentws.core.terminal import editor
from agentws.workspace import Workspace
from tests import forked


def edited(root: Path, script: str) -> tuple[int, str]:
    """(exit code, stderr) of `task edit mend` on a terminal, with a shell script for an editor; $1 is the file."""
    program = root.with_name("editor")
    program.write_text(f"#!/bin/sh\n{script}\n")
    program.chmod(0o755)
    master, terminal = pty.openpty()
    try:
        surrounded = {**os.environ, "VISUAL": "", "EDITOR": str(program)}
        done = forked.run_text("-C", str(root), "task", "edit", "mend", stdin=terminal, env=surrounded)
    finally:
        os.close(master)
        os.close(terminal)
    return done.returncode, done.stderr


@pytest.fixture
def root(workspace: Workspace) -> Path:
    workspace.tasks.add("Mend the roof")
    return Path(workspace.root)


def task(root: Path) -> str:
    return (root / "tasks/mend-the-roof.md").read_text()


@pytest.mark.parametrize(
    "then",
    [
        pytest.param("echo meanwhile >> tasks/mend-the-roof.md", id="somebody else changed it"),
        pytest.param("exit 3", id="the editor fails"),
        pytest.param("printf 'ghp_9f3KqLx27VbTn5RzWc8YdHm4PsEj6UaGo1Xi\\n' >> $1", id="with a secret"),
        pytest.param("sed -i '1a [' $1", id="what is no task"),
    ],
)
def test_an_hour_of_words_is_kept(root: Path, then: str) -> None:
    code, says = edited(root, f"cd {root}; echo 'An hour of words' >> $1; {then}")

    (kept,) = (root / ".agentws").glob("task-draft-*")
    assert code != 0
    assert kept.name in says
    assert "An hour of words" in kept.read_text()
    assert kept.stat().st_mode & 0o777 == 0o600
    assert "An hour of words" not in task(root)


def test_where_nothing_was_written_nothing_is_kept(root: Path) -> None:
    before = task(root)

    assert edited(root, "exit 3")[0] == 20
    assert edited(root, "rm $1")[0] == 20
    assert task(root) == before
    assert not list((root / ".agentws").glob("task-draft-*"))


def test_what_was_written_stands_in_the_file(root: Path) -> None:
    assert edited(root, "echo 'Slate.' >> $1") == (0, "")
    assert task(root).endswith("Slate.\n")


def test_what_a_desktop_opens_comes_before_what_may_open_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    called: list[list[str]] = []

    def run(words: list[str], *, check: bool) -> subprocess.CompletedProcess[bytes]:
        called.append(words)
        return subprocess.CompletedProcess(words, 0)

    monkeypatch.setattr(editor.environment, "editor", lambda: None)
    monkeypatch.setattr(editor.shutil, "which", lambda name: f"/bin/{name}")
    monkeypatch.setattr(editor.subprocess, "run", run)

    assert editor.show("MEMORY.md")
    assert called == [["xdg-open", "MEMORY.md"]]
