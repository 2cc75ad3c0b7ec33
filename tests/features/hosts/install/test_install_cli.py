"""agentws install and uninstall as a person and a script meet them: lines, diffs, JSON, exit codes."""

from __future__ import annotations

import json
import os
import pty
import shutil
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from agentws.workspace import Workspace
from tests import forked
from tests.features.hosts import payloads

SCRIPT = Path(sys.executable).parent / "agentws"


def run(workspace: Workspace, *words: str, code: int = 0) -> str:
    done = forked.run_text(*words, cwd=workspace.root)
    assert done.returncode == code, done.stderr
    return done.stdout if not code else done.stderr


def fields(workspace: Workspace, *words: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(run(workspace, "--json", *words))
    return found


def test_the_fields_of_install_are_these(workspace: Workspace) -> None:
    done = fields(workspace, "install", "claude-code")

    assert done.pop("cost").keys() == {
        "tokens", "boot_tokens", "block_tokens", "counter", "parts", "took_ms"
    }  # fmt: skip
    assert done.pop("next_steps")
    (launcher,) = map(str, Path(os.environ["HOME"]).glob(".cache/agentws/launcher/*/agentws"))
    assert done == {
        "schema": "agentws/install@1",
        "host": "claude-code",
        "title": "Claude Code",
        "level": "project",
        "folder": workspace.root,
        "workspace": workspace.root,
        "script": str(SCRIPT),
        "launcher": launcher,
        "dry_run": False,
        "already": False,
        "changes": [
            {"path": f"{workspace.root}/.claude/settings.json", "what": "made"},
            {"path": f"{workspace.root}/.claude/skills/agentws/SKILL.md", "what": "made"},
            {"path": f"{workspace.root}/CLAUDE.md", "what": "made"},
        ],
        "events": [
            "SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "PostToolUseFailure", "PermissionDenied",
            "PreCompact", "PostCompact", "SubagentStop", "Stop", "StopFailure", "SessionEnd",
        ],
        "parts": 6,
        "replaced": [],
        "allowed": False,
        "notices": [],
    }  # fmt: skip
    assert fields(workspace, "install", "claude-code")["already"]


def test_the_fields_of_uninstall_are_these(workspace: Workspace) -> None:
    run(workspace, "install", "codex")

    done = fields(workspace, "uninstall", "codex")

    assert done == {
        "schema": "agentws/uninstall@1",
        "host": "codex",
        "title": "Codex",
        "level": "project",
        "folder": workspace.root,
        "dry_run": False,
        "already": False,
        "changes": [
            {"path": f"{workspace.root}/{place}", "what": "removed", "restored": True}
            for place in (".agents/skills/agentws/SKILL.md", ".codex/hooks.json")
        ],
        "folders_removed": [
            f"{workspace.root}/{folder}" for folder in (".agents/skills/agentws", ".agents/skills", ".agents", ".codex")
        ],
        "notices": [],
    }


def test_without_a_host_the_hosts_are_listed(workspace: Workspace) -> None:
    run(workspace, "install", "gemini", "--user")

    hosts = {each["host"]: each for each in fields(workspace, "install")["hosts"]}

    assert list(hosts) == [*payloads.HOSTS, "agents-md", "mcp-json", "cursor", "vscode", "claude-desktop"]
    assert hosts["gemini"] == {
        "host": "gemini",
        "title": "Gemini CLI",
        "found": True,
        "installed": True,
        "wired": [
            {
                "level": "user",
                "folder": f"{os.environ['HOME']}/.gemini",
                "workspace": workspace.root,
                "ours": True,
                "works": True,
                "allowed": False,
            }
        ],
    }
    assert "installed for every folder" in run(workspace, "install")


def on_a_terminal(workspace: Workspace, *words: str, said: str) -> str:
    """What it shows where all of its streams are a terminal, on which this is typed."""
    master, terminal = pty.openpty()
    os.write(master, said.encode())
    with subprocess.Popen(
        [str(SCRIPT), *words], cwd=workspace.root, stdin=terminal, stdout=terminal, stderr=terminal
    ) as program:
        os.close(terminal)
        shown = b""
        with suppress(OSError):  # what a terminal that nobody holds any more says to its other end
            while piece := os.read(master, 4096):
                shown += piece
    os.close(master)
    assert program.returncode == 0, shown
    return shown.decode()


def test_a_terminal_is_asked_what_the_agent_may_run_until_it_may(workspace: Workspace) -> None:
    rules = Path(workspace.root, ".codex/rules/agentws.rules")

    refused = on_a_terminal(workspace, "install", "codex", said="\n")
    assert "Allow the agent to run boot, status, search, log," in refused
    assert "re-run with --allow" in refused
    assert not rules.exists()
    assert "without asking: boot," in on_a_terminal(workspace, "install", "codex", said="y\n")
    assert rules.exists()
    assert "Allow the agent to run" not in on_a_terminal(workspace, "install", "codex", said="")


@pytest.mark.parametrize("words", [("--allow",), ("--no-allow",), ("--dry-run",)])
def test_who_has_said_it_is_not_asked(workspace: Workspace, words: tuple[str, ...]) -> None:
    assert "Allow the agent to run" not in on_a_terminal(workspace, "install", "gemini", *words, said="")


def test_a_host_that_cannot_be_told_is_no_question(workspace: Workspace) -> None:
    assert "Allow the agent to run" not in on_a_terminal(workspace, "install", "openclaw", said="")


def test_a_dry_run_shows_a_diff_and_changes_nothing(workspace: Workspace) -> None:
    page = Path(workspace.root, "CLAUDE.md")
    page.write_text("# Mine, without an end")

    shown = run(workspace, "install", "claude-code", "--dry-run")

    assert f"--- {page}\n+++ {page}\n" in shown
    assert "\n # Mine" not in shown, "a line that gets an end is another line"
    assert "\n\\ No newline at end of file\n" in shown
    assert "Nothing was changed (--dry-run)." in shown
    assert page.read_text() == "# Mine, without an end"


@pytest.mark.skipif(shutil.which("patch") is None, reason="patch is not installed")
def test_the_diff_is_one_that_patch_understands(workspace: Workspace) -> None:
    Path(workspace.root, "CLAUDE.md").write_text("# Mine, without an end")
    diff = run(workspace, "install", "claude-code", "--dry-run").partition("\nA session begins")[0]

    patched = subprocess.run(["patch", "-p0"], input=diff, cwd="/", capture_output=True, text=True, check=False)

    assert patched.returncode == 0, patched.stdout
    assert fields(workspace, "install", "claude-code")["already"]


def test_it_says_what_was_written_what_it_costs_and_what_is_to_do(workspace: Workspace) -> None:
    shown = run(workspace, "install", "codex")

    assert "  made      " in shown
    assert "A session begins with " in shown
    assert " ms (measured now)." in shown
    assert "/hooks" in shown
    assert "nothing was changed" in run(workspace, "install", "codex")
    assert "nothing was changed" in run(workspace, "uninstall", "gemini")


def test_started_as_a_module_the_command_beside_it_is_wired(workspace: Workspace) -> None:
    words = [sys.executable, "-m", "agentws", "install", "codex"]

    subprocess.run(words, cwd=workspace.root, capture_output=True, check=True)

    assert f"exec {SCRIPT} -C " in Path(workspace.root, ".agentws/hook").read_text()


def test_environment_says_where_the_users_settings_are(
    workspace: Workspace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CODEX_HOME", str(tmp_path / "codex home"))

    run(workspace, "install", "codex", "--user")

    assert (tmp_path / "codex home" / "hooks.json").exists()
    run(workspace, "uninstall", "codex", "--user")
    assert not (tmp_path / "codex home").exists()


def test_two_levels_at_once_are_refused(workspace: Workspace) -> None:
    assert "cannot be used together" in run(workspace, "install", "codex", "--user", "--folder", ".", code=2)
    assert "cannot be used together" in run(workspace, "uninstall", "codex", "--user", "--project", code=2)


def test_another_workspace_needs_a_person(workspace: Workspace, tmp_path: Path) -> None:
    run(workspace, "install", "codex", "--user")
    wren = Workspace.init(str(tmp_path / "wren"), environment=workspace.stores.environment, git=False)

    assert "--replace" in run(wren, "install", "codex", "--user", code=3)
    assert f"replaced  {workspace.root}" in run(wren, "install", "codex", "--user", "--replace")


@pytest.mark.parametrize("event", ["SessionStart", "SessionEnd"])
def test_the_command_that_is_wired_runs_through_sh(workspace: Workspace, event: str) -> None:
    run(workspace, "install", "claude-code")
    hooks = json.loads(Path(workspace.root, ".claude/settings.json").read_text())["hooks"]
    payload = {"session_id": "s1", "hook_event_name": event, "cwd": workspace.root, "source": "startup"}

    done = subprocess.run(
        ["sh", "-c", hooks[event][0]["hooks"][0]["command"]],
        input=json.dumps(payload), cwd="/", capture_output=True, text=True, check=False,
        env={**os.environ, "CLAUDE_PROJECT_DIR": workspace.root},
    )  # fmt: skip

    assert done.returncode == 0, done.stderr
    json.loads(done.stdout)


@pytest.mark.parametrize(("host", "told"), [("claude-code", True), ("agents-md", True), ("codex", False)])
def test_where_the_agent_could_not_call_us_by_our_name_it_is_said(workspace: Workspace, host: str, told: bool) -> None:
    nowhere, beside = {**os.environ, "PATH": workspace.root}, {**os.environ, "PATH": str(SCRIPT.parent)}

    def steps(env: dict[str, str]) -> str:
        done = forked.run_text("--json", "install", host, "--dry-run", cwd=workspace.root, env=env)
        assert done.returncode == 0, done.stderr
        return " ".join(json.loads(done.stdout)["next_steps"])

    assert (f"not on PATH; the agent needs it: {SCRIPT}" in steps(nowhere)) is told
    assert "not on PATH" not in steps(beside)
