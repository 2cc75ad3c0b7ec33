"""Lists and messages for people show times in the workspace's zone; their JSON has an offset."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests import forked

ENVIRONMENT = {**os.environ, "AGENTWS_NOW": "2026-11-20T22:30:00+00:00"}


def run(*words: str, cwd: Path) -> str:
    done = forked.run_text(*words, cwd=cwd, env=ENVIRONMENT)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture
def desk(tmp_path: Path) -> Path:
    run("init", "desk", "--no-git", cwd=tmp_path)
    desk = tmp_path / "desk"
    run("config", "timezone", "Asia/Tokyo", cwd=desk)
    run("task", "add", "Oil the gate", cwd=desk)
    (tmp_path / "depot").mkdir()
    run("sync", str(tmp_path / "depot"), cwd=desk)
    return desk


def test_times_are_those_of_the_zone(desk: Path) -> None:
    (desk / "SOUL.md").write_text("# Soul\n\nSomeone else.\n")
    for words in ("undo --list", "identity show", "status --full", "sync list", "task show oil", "journal list"):
        shown = run(*words.split(), cwd=desk) if words != "status --full" else _status(desk)

        assert "2026-11-21 07:30" in shown, words
        assert "22:30" not in shown, words
        assert "UTC" not in shown, words


def _status(desk: Path) -> str:
    return forked.run_text("status", "--full", cwd=desk, env=ENVIRONMENT).stdout
