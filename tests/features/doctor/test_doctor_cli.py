"""`agentws doctor` as people and schedules call it: verdict, remedies, exit codes, JSON."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest

from tests import forked

TOKEN = "ghp_" + "9f3KqLx27VbTn5RzWc8YdHm4PsEj6UaGo1Xi"


def run(*words: str, cwd: Path, **more: str) -> subprocess.CompletedProcess[str]:
    return forked.run_text(*words, cwd=cwd, env={**os.environ, "AGENTWS_NOW": "2026-11-20T07:15:00+00:00", **more})


@pytest.fixture
def robin(tmp_path: Path) -> Path:
    assert run("init", "robin", "--name", "Robin", cwd=tmp_path).returncode == 0
    return tmp_path / "robin"


def test_where_all_is_well_it_says_so_and_exits_0(robin: Path) -> None:
    done = run("doctor", cwd=robin)

    assert done.returncode == 0, done.stdout
    assert done.stdout.startswith("No problem found, ")
    assert "→ git remote add origin URL" in done.stdout


def test_a_finding_that_needs_somebody_exits_3_and_says_where_and_what_to_do(robin: Path) -> None:
    (robin / "notes.md").write_text(f"# Notes\n\n- token {TOKEN}\n")

    done = run("doctor", cwd=robin)

    assert done.returncode == 3
    assert "warning  notes.md:3: looks like a secret (github-token)\n         → " in done.stdout
    assert TOKEN not in done.stdout + done.stderr


def test_fix_says_so_if_it_can_fix_nothing(robin: Path) -> None:
    (robin / "notes.md").write_text(f"# Notes\n\n- token {TOKEN}\n")

    done = run("doctor", "--fix", cwd=robin)

    assert done.returncode == 3
    assert "Nothing here can be fixed automatically: follow the arrows." in done.stdout
    assert "automatically" not in run("doctor", cwd=robin).stdout


def test_json_names_each_finding(robin: Path) -> None:
    (robin / "notes.md").write_text(f"- token {TOKEN}\n")

    done = run("doctor", "--json", cwd=robin)

    said = json.loads(done.stdout)
    assert done.returncode == 3
    assert (said["schema"], said["well"], said["fix"], said["mended"]) == ("agentws/doctor@1", False, False, [])
    first = said["findings"][0]
    assert (first["severity"], first["name"], first["path"], first["line"]) == ("warning", "secret", "notes.md", 1)
    assert first["remedy"]
    assert first["mendable"] is False


def test_fix_says_what_it_did_and_what_is_left(robin: Path) -> None:
    (robin / ".agentws/.gitignore").unlink()
    (robin / "notes.md").write_text(f"- token {TOKEN}\n")
    looked = run("doctor", cwd=robin)

    would = run("doctor", "--fix", "--dry-run", cwd=robin)
    done = run("doctor", "--fix", cwd=robin)

    assert "agentws doctor --fix fixes 1: .agentws/.gitignore" in looked.stdout
    assert "agentws doctor --fix would fix 1: .agentws/.gitignore" in would.stdout
    assert done.returncode == 3
    assert "fixed    .agentws/.gitignore: missing" in done.stdout
    assert "✓ written" in done.stdout
    assert "warning  notes.md:1" in done.stdout
    assert (robin / ".agentws/.gitignore").exists()


def test_fix_exits_0_where_nothing_is_left(robin: Path) -> None:
    (robin / ".agentws/.gitignore").unlink()
    assert run("doctor", cwd=robin).returncode == 3

    assert run("doctor", "--fix", cwd=robin).returncode == 0
    assert run("doctor", cwd=robin).returncode == 0


def test_dry_run_alone_says_what_fix_would_mend(robin: Path) -> None:
    (robin / ".agentws/.gitignore").unlink()

    done = run("doctor", "--dry-run", cwd=robin)

    assert "would fix" in done.stdout
    assert not (robin / ".agentws/.gitignore").exists()


def test_names_of_files_do_nothing_to_a_terminal(robin: Path) -> None:
    (robin / "memory/\x1b[31mred.sync-conflict-20261119-101112-ABCDEFG.md").write_text("- x\n")

    done = run("doctor", cwd=robin)

    assert "conflict" in done.stdout
    assert "\x1b" not in done.stdout


def test_the_name_of_a_file_makes_no_line_of_its_own(robin: Path) -> None:
    (robin / "x\nNo problem found.sync-conflict-20261119-101112-ABCDEFG.md").write_text("- x\n")

    done = run("doctor", cwd=robin)

    assert "sync-conflict" in done.stdout
    assert not any(line.startswith("No problem found.sync") for line in done.stdout.split("\n"))


def test_hooks_of_the_user_are_found_by_the_environment(
    robin: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path / "claude"))
    (tmp_path / "claude").mkdir()
    command = f"/nowhere/agentws -C {robin} hook claude-code Stop"
    hooks = {"Stop": [{"hooks": [{"type": "command", "command": command}]}]}
    (tmp_path / "claude/settings.json").write_text(json.dumps({"hooks": hooks}))

    done = run("doctor", cwd=robin)

    assert done.returncode == 3
    assert "/nowhere/agentws, which no longer exists" in done.stdout
    assert "→ agentws install claude-code --user" in done.stdout


def test_a_place_without_a_workspace_says_so(tmp_path: Path) -> None:
    assert run("doctor", cwd=tmp_path).returncode == 10
