"""Shell lines that run `git push`, which a rule finds, and harmless lines, which it leaves alone."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest

from agentws.features.approvals.plan import rules

LINES: dict[str, list[str]] = json.loads(Path(__file__).with_name("shell_lines.json").read_text())
FOUND = LINES["found"]
"""Lines that run `git push`, in which the rule finds it."""
NOT_FOUND = LINES["not found"]
"""Lines that build a word from pieces, or encode it: docs/format/rules.md says that no rule finds it."""
HARMLESS = LINES["harmless"]
ASKED_NEEDLESSLY = ["grep push .git/config; git remote show $R"]
GIT = """#!/bin/bash
for word in "$@"; do [ "$word" = push ] && echo run >> "$MARK"; done
[ "$1" = -c ] && [ "$3" = p ] && echo run >> "$MARK"
case $1 in config|p) exec "$GIT" "$@";; esac
exit 0
"""
"""A program that notes that it would push, and knows of aliases."""


def is_denied(line: str) -> bool:
    (rule,) = rules.parse([{"words": "git push", "do": "deny"}], "x.toml")
    return rules.judge([rule], "Bash", {"command": line}).do == "deny"


def test_a_rule_finds_a_command_in_all_but_a_few_lines_that_run_it() -> None:
    assert len({*FOUND, *NOT_FOUND}) == 250

    assert [line for line in FOUND if not is_denied(line)] == []
    assert [line for line in NOT_FOUND if is_denied(line)] == []


def test_harmless_lines_are_hardly_ever_asked_about() -> None:
    assert len({*HARMLESS}) == 90

    assert [line for line in HARMLESS if is_denied(line)] == ASKED_NEEDLESSLY


@pytest.mark.slow
def test_these_lines_run_it(tmp_path: Path) -> None:
    git = shutil.which("git")
    programs = ("flock", "node", "perl", "tclsh", "script", "setsid", "setpriv", "chrt", "ionice", "unshare", "make")
    missing = [name for name in programs if shutil.which(name) is None]
    assert git is not None
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "git").write_text(GIT)
    (tmp_path / "bin" / "git").chmod(0o755)
    mark = tmp_path / "mark"
    env = {"PATH": f"{tmp_path}/bin:{os.environ['PATH']}", "HOME": str(tmp_path), "MARK": str(mark), "GIT": git}

    def runs(number: int, line: str) -> bool:
        folder = tmp_path / str(number)
        folder.mkdir()
        (folder / "bin").symlink_to(tmp_path / "bin")
        if "config" in line:
            subprocess.run([git, "init", "-q", str(folder)], check=True)
        for path in ("/usr/bin/git", "/usr/bin/../bin/git", "/usr//bin/git"):
            line = line.replace(path, f"{tmp_path}/bin/git")
        mark.unlink(missing_ok=True)
        quiet = subprocess.DEVNULL
        subprocess.run(
            ["bash", "-c", f"{line}\nwait"], cwd=folder, env=env, stdin=quiet, stdout=quiet, stderr=quiet, check=False
        )
        return mark.exists()

    lines = [line for line in (*FOUND, *NOT_FOUND) if not any(name in line for name in missing)]
    assert [line for number, line in enumerate(lines) if not runs(number, line)] == []
