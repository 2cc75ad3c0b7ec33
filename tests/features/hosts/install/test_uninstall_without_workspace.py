"""`uninstall` after the workspace was deleted: its error names the commands that remove the hooks, and they do."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.forked import run_text


def test_the_commands_of_the_error_remove_the_hooks_of_a_deleted_workspace(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    code = tmp_path / "code"
    code.mkdir()
    run_text("init", "--own-folder", cwd=code)
    run_text("install", "claude-code", cwd=code)
    assert (code / ".claude/settings.json").exists()
    shutil.rmtree(code / ".agentmem")

    refused = run_text("uninstall", "claude-code", cwd=code)

    assert refused.returncode == 10
    for command in (("init", "--own-folder"), ("uninstall", "claude-code")):
        assert f"agentws {' '.join(command)}" in refused.stderr
        assert run_text(*command, cwd=code).returncode == 0
    assert not (code / ".claude/settings.json").exists()
    assert not (code / "CLAUDE.md").exists()
