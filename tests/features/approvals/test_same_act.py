"""The same act that two hosts request is one request, and a denial says in which workspace it is answered."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Any

import pytest

from agentws.workspace import Workspace
from tests import table
from tests.features.approvals.people import at

HOSTS: dict[str, tuple[str, dict[str, Any], str]] = {
    "claude-code": ("Bash", {"command": "git push", "description": "Publish", "timeout": 9000}, "/srv"),
    "codex": ("shell", {"command": ["bash", "-lc", "git push"], "workdir": "/srv", "timeout_ms": 10}, "/home/sam"),
    "codex on macOS": ("shell", {"command": ["/bin/zsh", "-lc", "git push"], "workdir": "/srv"}, "/srv"),
    "codex exec": ("exec_command", {"cmd": "git push", "workdir": "/srv", "yield_time_ms": 10}, "/home/sam"),
    "gemini": ("run_shell_command", {"command": "git push", "dir_path": "."}, "/srv"),
    "qwen": ("run_shell_command", {"command": "git push", "is_background": False, "directory": "/srv"}, "/srv"),
    "droid": ("Execute", {"command": "git push", "riskLevel": "high", "riskLevelReason": "x", "summary": "x"}, "/srv"),
    "opencode": ("bash", {"command": "git push", "description": "x", "workdir": "../srv"}, "/home"),
    "pi": ("bash", {"command": "git push", "timeout": 10}, "/srv"),
    "openclaw": ("exec", {"command": "git push", "workdir": "/srv", "yieldMs": 5}, ""),
}
OTHERS: list[tuple[str, dict[str, Any], str]] = [
    ("Bash", {"command": "git push"}, "/srv/other"),
    ("Bash", {"command": "git push -f"}, "/srv"),
    ("Bash", {"command": "git push", "dangerouslyDisableSandbox": True}, "/srv"),
    ("shell", {"command": ["git", "push", "-lc"], "workdir": "/srv"}, "/srv"),
    ("exec", {"command": "git push", "env": {"GIT_DIR": "x"}}, "/srv"),
    ("Bash", {"command": "git push", "sandbox": False}, "/srv"),
    ("Bash", {"command": "git push", "run_in_background": True}, "/srv"),
    ("shell", {"command": ["python3", "-c", "git push"]}, "/srv"),
    ("shell", {"command": ["/tmp/bash", "-c", "git push"]}, "/srv"),
    ("shell", {"command": ["bash", "-x", "git push"]}, "/srv"),
    ("mcp__git", {"command": "git push"}, "/srv"),
    ("Bash", {"command": "git push", "cwd": "/srv"}, "/home"),
    ("exec_command", {"cmd": "git push", "workdir": "/home", "cwd": "/srv"}, "/home"),
    ("run_shell_command", {"command": "git push", "directory": "/home", "dir_path": "/srv"}, "/home"),
    ("bash", {"command": "git push", "workdir": "link/../../srv"}, "/home"),
]


@pytest.fixture
def ruled(workspace: Workspace) -> Workspace:
    """A workspace with a rule that asks for git push."""
    settings = Path(at(workspace).stores.environment.config or "")
    settings.write_text(settings.read_text() + '[[ask.rules]]\nwords = "git push"\n')
    return at(workspace)


def test_every_host_asks_for_the_same_act_with_one_request(ruled: Workspace) -> None:
    for tool, given, folder in HOSTS.values():
        assert ruled.plumbing.gate(tool, given, folder=folder).may is False

    assert len(ruled.approvals.list()) == 1


@pytest.mark.parametrize("host", HOSTS)
def test_a_yes_is_used_once_by_whichever_host_is_first(ruled: Workspace, host: str) -> None:
    tool, given, folder = HOSTS["claude-code"]
    request = ruled.plumbing.gate(tool, given, folder=folder).request
    assert request is not None
    ruled.approvals.decide(request.id, approve=True, typed=True)

    def answers(name: str) -> bool | None:
        tool, given, folder = HOSTS[name]
        return ruled.plumbing.gate(tool, given, folder=folder).may

    assert [answers(host), *map(answers, HOSTS)] == [True] + [False] * len(HOSTS)


def test_a_no_holds_for_every_host(ruled: Workspace) -> None:
    tool, given, folder = HOSTS["gemini"]
    request = ruled.plumbing.gate(tool, given, folder=folder).request
    assert request is not None
    ruled.approvals.decide(request.id, approve=False)

    for tool, given, folder in HOSTS.values():
        assert "rejected" in ruled.plumbing.gate(tool, given, folder=folder).says


def test_what_does_something_else_is_another_act(ruled: Workspace) -> None:
    tool, given, folder = HOSTS["claude-code"]
    request = ruled.plumbing.gate(tool, given, folder=folder).request
    assert request is not None
    ruled.approvals.decide(request.id, approve=True, typed=True)

    def check(row: tuple[str, dict[str, Any], str]) -> None:
        assert ruled.plumbing.gate(row[0], row[1], folder=row[2]).may is False

    table.holds(check, OTHERS)
    assert ruled.plumbing.gate(tool, given, folder=folder).may is True


def test_a_denial_names_the_workspace_where_the_folder_does_not_find_it(ruled: Workspace, tmp_path: Path) -> None:
    elsewhere = tmp_path / "shop"
    elsewhere.mkdir()
    within = Path(ruled.root, "memory", "drafts")
    within.mkdir(parents=True)
    named = f"agentws -C {shlex.quote(ruled.root)} ask approve"

    def says(folder: Path) -> str:
        return ruled.plumbing.gate("Bash", {"command": "git push"}, folder=str(folder)).says

    assert named in says(elsewhere)
    assert named in says(elsewhere), "a request that waits"
    assert "-C" not in says(within)
    assert "-C" not in says(Path(ruled.root))
