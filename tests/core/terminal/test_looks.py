"""What a person sees at a terminal, and what a pipe gets."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from agentws import Workspace
from tests import forked

ESC = "\x1b"
LONG = "Mend the fence behind the old barn before the geese find out that it is open"


@pytest.fixture
def robin(tmp_path: Path, env: dict[str, str]) -> Path:
    workspace = Workspace.init(str(tmp_path / "robin"))
    workspace.tasks.add(LONG)
    return tmp_path / "robin"


@pytest.fixture
def env() -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if name not in ("NO_COLOR", "COLUMNS")}
    return {**kept, "TERM": "xterm"}


def shown(folder: Path, *words: str, env: dict[str, str], columns: int = 50) -> str:
    """What a terminal of that width shows."""
    code, text = forked.on_a_terminal(*words, columns=columns, cwd=folder, env=env)
    assert code == 0
    return text.replace("\r\n", "\n")


def piped(folder: Path, *words: str, env: dict[str, str]) -> str:
    done = forked.run_text(*words, cwd=folder, env=env)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_a_table_has_a_bold_head_and_is_cut_to_the_width(robin: Path, env: dict[str, str]) -> None:
    head, row = shown(robin, "task", "list", env=env).rstrip("\n").split("\n")

    assert head.startswith(f"{ESC}[1m")
    assert head.endswith(f"{ESC}[0m")
    assert len(row) <= 50
    assert row.endswith("…")


def test_wide_characters_are_cut_by_the_cells_that_they_take(robin: Path, env: dict[str, str]) -> None:
    Workspace.open(str(robin)).remember("雁が柵を見つける前に直す" * 9)

    rows = shown(robin, "history", "MEMORY.md", env={**env, "NO_COLOR": "1"}, columns=30).rstrip("\n").split("\n")

    assert all(len(row) <= 30 for row in rows)


def test_no_color_and_a_dumb_terminal_leave_the_words_alone(robin: Path, env: dict[str, str]) -> None:
    for more in ({"NO_COLOR": "1"}, {"TERM": "dumb"}):
        assert ESC not in shown(robin, "task", "list", env={**env, **more})


def test_a_pipe_gets_every_line_whole(robin: Path, env: dict[str, str]) -> None:
    out = piped(robin, "task", "list", env=env)

    assert ESC not in out
    assert "…" in out
    assert max(map(len, out.split("\n"))) > 50


def test_marks_are_coloured(robin: Path, env: dict[str, str]) -> None:
    (robin / "USER.sync-conflict-20261119-101112-ABCDEFG.md").write_text("x")

    _, text = forked.on_a_terminal("status", columns=50, cwd=robin, env=env)

    assert f"{ESC}[31m✗{ESC}[0m USER.sync-conflict" in text


def test_recent_moments_are_told_by_their_age(robin: Path, env: dict[str, str]) -> None:
    assert " s ago" in shown(robin, "history", "SOUL.md", env=env)
    assert "ago" not in piped(robin, "history", "SOUL.md", env=env)


def test_markdown_is_rendered_at_a_terminal_and_raw_in_a_pipe(robin: Path, env: dict[str, str]) -> None:
    raw = piped(robin, "docs", "tutorial", env=env)
    seen = shown(robin, "docs", "tutorial", env={**env, "NO_COLOR": "1"})

    assert raw.startswith("# Tutorial")
    assert "```" in raw
    assert "# Tutorial" not in seen
    assert "```" not in seen
    assert "Tutorial" in seen


def test_what_would_steer_a_terminal_is_shown_as_a_code(robin: Path, env: dict[str, str]) -> None:
    workspace = Workspace.open(str(robin))
    workspace.handoff(doing=[f"{ESC}[31mred"])

    assert f"{ESC}[31m" not in shown(robin, "handoff", "show", env={**env, "NO_COLOR": "1"})
