"""The plugin in the real Claude Code: it is valid, its hooks bring the boot, `install` beside it doubles nothing."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.judges import rig
from tests.judges.loopback import serving
from tests.judges.messages_mock import ScriptedModel
from tests.judges.test_claude_code import ClaudeCode, told_by_hooks

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools"))
import build_plugin

ROOT = build_plugin.ROOT
PROGRAM = "@anthropic-ai/claude-code@2.1.330"


@pytest.fixture(scope="session")
def command(judges_cache: Path) -> Path:
    return rig.from_npm(judges_cache, PROGRAM) / "node_modules/.bin/claude"


@pytest.fixture
def claude(tmp_path: Path, command: Path) -> Iterator[ClaudeCode]:
    model = ScriptedModel()
    with serving(model) as address:
        yield ClaudeCode(tmp_path, command, address, model)


@pytest.fixture
def market(tmp_path: Path) -> Path:
    build_plugin.build(tmp_path / "market")
    return tmp_path / "market"


def test_its_validator_takes_it(command: Path, market: Path) -> None:
    build_plugin.validate(str(command), market, market / build_plugin.NAME)
    build_plugin.validate(str(command), ROOT)


@pytest.mark.parametrize("is_at_top", [False, True])
@pytest.mark.parametrize("installed", [False, True])
def test_a_session_is_told_and_recorded_once(
    claude: ClaudeCode, market: Path, installed: bool, is_at_top: bool
) -> None:
    claude.write("USER.md", "- heron-mark-1\n")
    claude.variables["PATH"] = f"{claude.script.parent}:{os.environ['PATH']}"
    if installed:
        claude.agentws("install", "claude-code")

    claude.session("-p", "Count the herons", "--plugin-dir", str(ROOT if is_at_top else market / build_plugin.NAME))

    told = told_by_hooks(claude.model.conversation[0])
    assert rig.MARK.findall(told) == ["heron-mark-1"]
    assert told.count("## Record as you go") == 1
    assert len([one for one in claude.events("note") if one["body"]["text"] == "Count the herons"]) == 1
    assert len(claude.events("session.started")) == 1
