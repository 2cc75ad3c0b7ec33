"""An agent that stands outside of its workspace is told to name it, and never to make another."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests import forked

MARKS = ("CLAUDECODE", "CLAUDE_CODE_SESSION_ID", "CODEX_THREAD_ID", "GEMINI_CLI", "OPENCODE", "OPENCLAW_SHELL")


def called(folder: Path, *words: str, **variables: str) -> tuple[int, str]:
    bare = {name: value for name, value in os.environ.items() if name not in MARKS}
    done = forked.run_text(*words, cwd=str(folder), env={**bare, **variables})
    return done.returncode, done.stderr


@pytest.mark.parametrize("name", MARKS)
@pytest.mark.parametrize("words", [("boot",), ("log", "Five herons")])
def test_an_agent_in_a_project_is_told_to_name_its_workspace(tmp_path: Path, name: str, words: tuple[str, ...]) -> None:
    code, says = called(tmp_path, *words, **{name: "1"})

    assert code == 10
    assert "agentws -C DIR boot" in says
    assert "init" not in says


def test_neither_is_it_where_the_project_looks_like_one(tmp_path: Path) -> None:
    for path in ("SOUL.md", "MEMORY.md", "AGENTS.md"):
        (tmp_path / path).write_text("# Page\n")

    code, says = called(tmp_path, "log", "Five herons", CLAUDECODE="1")

    assert code == 10
    assert "init" not in says


def test_a_person_is(tmp_path: Path) -> None:
    assert "Create one with agentws init" in called(tmp_path, "boot")[1]
