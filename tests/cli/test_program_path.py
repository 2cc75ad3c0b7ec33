"""Entries of PATH that are not absolute are skipped: a workspace of somebody else names no program."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from tests import forked, table
from tests.hostile import worlds

PROGRAMS = (
    "git", "ssh", "ssh-keygen", "ssh-add", "rsync", "crontab", "systemctl", "loginctl", "launchctl", "restic", "rclone",
    "agentws", "hostnamectl", "xdg-open", "editor", "nano", "vi", "less", "sh",
)  # fmt: skip
PATHS = (".:{}", ":{}", "{}:", "bin:{}", "./bin:{}", ".", "")
VERBS = (
    "status", "boot", "log x", "history", "diff MEMORY.md", "undo --list", "doctor", "journal seal", "journal verify",
    "checkpoint list", "sync list", "sync ../stick", "backup create ../backup", "backup list", "schedule show",
    "schedule install doctor --dry-run", "install claude-code --dry-run", "identity verify", "ask keys", "drill",
    "open MEMORY.md", "hook claude-code SessionStart", "init ../new --yes",
)  # fmt: skip


@pytest.fixture
def strange(tmp_path: Path) -> Path:
    """A workspace that holds programs, each of which leaves a mark."""
    root = worlds.make(tmp_path / "robin")
    subprocess.run(["git", "init", "-q", str(root)], check=True)
    for folder in (root, root / "bin"):
        folder.mkdir(exist_ok=True)
        for name in PROGRAMS:
            (folder / name).write_text(f'#!/bin/sh\necho "$0 $*" >> "{tmp_path}/mark"\nexit 1\n')
            (folder / name).chmod(0o755)
    return root


@pytest.mark.slow
def test_a_program_in_the_present_folder_is_never_run(strange: Path) -> None:
    mark = strange.parent / "mark"

    def check(row: tuple[str, str]) -> None:
        path, verb = row
        env = worlds.surroundings(HOME=str(strange.parent / "home"))
        env["PATH"] = path.format(os.environ["PATH"])
        forked.run(*verb.split(), cwd=strange, env=env)
        started = mark.read_text() if mark.exists() else ""
        mark.unlink(missing_ok=True)
        assert not started

    rows = [(path, verb) for path in PATHS[:1] for verb in VERBS]
    table.holds(check, [*rows, *((path, verb) for path in PATHS[1:] for verb in ("history", "doctor"))])
