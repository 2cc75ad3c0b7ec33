"""The protocol's own judges: its conformance suite and the Inspector against `agentws mcp`."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from tests.features.mcp.clients import command
from tests.features.mcp.test_http import TOKEN, Served
from tests.judges import rig
from tests.judges.mcp import proxy

_RUN_S = 300
JUDGED = {
    "server-initialize",
    "ping",
    "tools-list",
    "server-sse-multiple-streams",
    "resources-list",
    "prompts-list",
    "dns-rebinding-protection",
}
"""Scenarios about any server."""
FOR_ITS_OWN_SERVER = (
    *("logging-set-level", "completion-complete", "tools-call-simple-text", "tools-call-image", "tools-call-audio"),
    *("tools-call-embedded-resource", "tools-call-mixed-content", "tools-call-with-logging", "tools-call-error"),
    *("tools-call-with-progress", "tools-call-sampling", "tools-call-elicitation", "elicitation-sep1034-defaults"),
    *("elicitation-sep1330-enums", "resources-read-text", "resources-read-binary", "resources-templates-read"),
    *("resources-subscribe", "resources-unsubscribe", "prompts-get-simple", "prompts-get-with-args"),
    *("prompts-get-embedded-resource", "prompts-get-with-image"),
)
"""Scenarios that call what the suite's own server has, or capabilities that we do not declare."""


@pytest.fixture
def scene(tmp_path: Path) -> rig.Scene:
    return rig.Scene(tmp_path)


def node(folder: Path, program: str, *words: str, at: Path) -> subprocess.CompletedProcess[str]:
    """Run a program of a folder from npm by the Node beside it."""
    start = [str(folder / "node_modules/node/bin/node"), str(folder / "node_modules/.bin" / program)]
    return subprocess.run([*start, *words], cwd=at, capture_output=True, text=True, timeout=_RUN_S)


def test_the_conformance_suite_finds_no_fault(judges_cache: Path, scene: rig.Scene) -> None:
    folder = rig.from_npm(judges_cache, rig.CONFORMANCE, rig.NODE)
    expected = scene.home / "expected.yml"
    expected.write_text("server:\n" + "".join(f"  - {name}\n" for name in FOR_ITS_OWN_SERVER))
    served = Served(scene.workspace)
    try:
        with proxy.adding(TOKEN, served.port) as url:
            words = ("server", "--url", url, "--expected-failures", str(expected))
            done = node(folder, "conformance", *words, at=scene.home)
    finally:
        served.process.terminate()
        served.process.communicate(timeout=60)

    assert done.returncode == 0, done.stdout[-3000:]  # also if a scenario passes that is expected to fail
    passed = {line.split()[1].rstrip(":") for line in done.stdout.split("\n") if line.startswith("✓")}
    assert passed >= JUDGED, done.stdout[-3000:]


def test_the_inspector_finds_no_fault_in_the_schemas_and_calls_a_tool(judges_cache: Path, scene: rig.Scene) -> None:
    folder = rig.from_npm(judges_cache, rig.INSPECTOR, rig.NODE)
    config = scene.home / "servers.json"
    program, *words = command(scene.workspace)
    config.write_text(json.dumps({"mcpServers": {"robin": {"command": program, "args": words}}}))
    server = ("--cli", "--config", str(config), "--server", "robin", "--connect-timeout", "300000")

    listed = node(folder, "mcp-inspector", *server, "--method", "tools/list", "--strict", at=scene.home)
    arguments = ("--tool-name", "log", "--tool-arg", "text=Measured the roof")
    called = node(folder, "mcp-inspector", *server, "--method", "tools/call", *arguments, at=scene.home)

    assert listed.returncode == 0, listed.stderr
    assert "Warning" not in listed.stderr, listed.stderr
    assert len(json.loads(listed.stdout)["tools"]) == 7
    assert called.returncode == 0, called.stderr
    assert "Measured the roof" in scene.agentws("boot")
