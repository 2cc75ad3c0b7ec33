"""A hook runs at every call of a tool: it takes the fast lane, and imports no more than recording an event takes."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from agentws.cli import fast_lane, main
from agentws.workspace import Workspace
from tests.cli.test_doors import through
from tests.features.hosts import payloads
from tests.test_imports import C_PARTS, CODE, GATE, HOOK, modules

TOOLS = [
    ("claude-code", "PreToolUse"), ("claude-code", "PostToolUse"), ("codex", "PreToolUse"), ("codex", "PostToolUse"),
    ("gemini", "BeforeTool"), ("gemini", "AfterTool"), ("opencode", "tool.before"), ("opencode", "tool.after"),
]  # fmt: skip
BEFORE = ("PreToolUse", "BeforeTool", "tool.before")
FAMILY = ("codex", "gemini")
"""Hosts whose calls are read by a row of the family that speaks Claude Code's format."""


@pytest.mark.parametrize(("host", "event"), TOOLS)
def test_a_tool_event_imports_no_more_than_it_takes_to_record_it(workspace: Workspace, host: str, event: str) -> None:
    workspace.event("note", "the first one makes the writer and the first segment")
    words = ["-C", workspace.root, "hook", host, event]
    for _ in range(2):
        done = subprocess.run(
            [sys.executable, "-c", CODE, *words],
            input=json.dumps(payloads.of(host)[event]), capture_output=True, text=True, check=True, env={**os.environ},
        )  # fmt: skip
    found = set(done.stderr.split()) - {"__future__"}

    own = {f"agentws.features.hosts.{host.replace('-', '_')}", f"agentws.features.hosts.{host.replace('-', '_')}.calls"}
    if host in FAMILY:
        own |= {"agentws.features.hosts.family", "agentws.features.hosts.family.speech"}
    own |= modules("features.hosts.family.shell_result") if (host, event) == ("gemini", "AfterTool") else set()
    own |= modules("features.hosts.plugin_calls") if host == "opencode" else set()
    own |= GATE if event in BEFORE else set()
    assert {name for name in found if name.startswith("agentws")} == HOOK | own
    assert {name for name in found if not name.startswith("agentws")} <= C_PARTS


@pytest.mark.parametrize(
    "words",
    [
        ["hook", "codex", "PreToolUse"],
        ["-C", "/somewhere", "hook", "claude-code", "SessionStart", "--part", "3"],
        ["-C", "/somewhere", "hook", "claude-code", "SessionStart", "--part", "4", "--of", "4"],
        ["hook", "openclaw", "session:compact:before", "-q"],
        ["hook", "somebody", "tool.before", "--part=1"],
    ],
)
def test_both_doors_understand_what_install_writes_alike(words: list[str]) -> None:
    assert fast_lane.recognise(words) is not None
    assert through(main.start, words) == through(main.run, words)


@pytest.mark.parametrize(
    "words",
    [["hook"], ["hook", "codex"], ["hook", "codex", "Stop", "more"], ["hook", "codex", "Stop", "--part", "0"]],
)
def test_what_is_no_call_of_a_hook_is_left_to_the_ordinary_door(words: list[str]) -> None:
    assert fast_lane.recognise(words) is None


def test_twenty_rules_take_what_reads_rules_and_no_more(workspace: Workspace, tmp_path: Path) -> None:
    workspace.event("note", "the first one makes the writer and the first segment")
    config = tmp_path / "config" / "agentws" / "config.toml"
    config.parent.mkdir(parents=True)
    config.write_text("".join(f'[[ask.rules]]\ncommand = "pay {number}*"\ndo = "deny"\n\n' for number in range(20)))
    said = {**payloads.of("claude-code")["PreToolUse"], "tool_name": "Bash", "tool_input": {"command": "ls"}}
    words = ["-C", workspace.root, "hook", "claude-code", "PreToolUse"]
    for _ in range(2):
        done = subprocess.run(
            [sys.executable, "-c", CODE, *words],
            input=json.dumps(said), capture_output=True, text=True, check=True,
            env={**os.environ, "XDG_CONFIG_HOME": str(config.parent.parent)},
        )  # fmt: skip
    found = set(done.stderr.split()) - {"__future__"}

    judged = modules("features.approvals.plan.rules")
    own = {"agentws.features.hosts.claude_code", "agentws.features.hosts.claude_code.calls"}
    assert {name for name in found if name.startswith("agentws")} == HOOK | GATE | judged | own
    assert {name for name in found if not name.startswith("agentws")} <= C_PARTS
