"""A host that is killed in the middle of a tool call: the next session begins with what it was about to do."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from agentws.workspace import Environment, Workspace
from tests.features.hosts import payloads

AGENTWS = str(Path(sys.executable).with_name("agentws"))
HOST = """
import json, subprocess, sys, time

agentws, root, host, shell, events = sys.argv[1:]
for event, said in json.loads(events):
    # As hosts call a hook: by a shell that lives as long as the hook does. `true`: else it becomes the hook itself.
    words = [shell, "-c", f"'{agentws}' -C '{root}' hook {host} {event}; true"]
    done = subprocess.run(words, input=json.dumps(said).encode(), stdout=subprocess.PIPE, check=True)
    json.loads(done.stdout)
print("called", flush=True)
time.sleep(600)
"""

pytestmark = pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="this system has no /proc")

RUNS = {
    "claude-code": ("SessionStart", "UserPromptSubmit", "PreToolUse"),
    "codex": ("SessionStart", "UserPromptSubmit", "PreToolUse"),
    "gemini": ("SessionStart", "BeforeAgent", "BeforeTool"),
    "opencode": ("session.started", "chat.message", "tool.before"),
}


def begun(root: Path, host: str, *, shell: str = "sh") -> subprocess.Popen[bytes]:
    """A host that has called its hooks and is in the middle of a tool call."""
    events = [(event, payloads.of(host)[event]) for event in RUNS[host]]
    words = [sys.executable, "-c", HOST, AGENTWS, str(root), host, shell, json.dumps(events)]
    process = subprocess.Popen(words, stdout=subprocess.PIPE)
    assert process.stdout is not None
    assert process.stdout.readline() == b"called\n"
    return process


def kill(process: subprocess.Popen[bytes]) -> None:
    os.kill(process.pid, signal.SIGKILL)
    process.communicate()


def next_start(root: Path, host: str, session: str = "the-next-one") -> str:
    """What the next session of the host begins with."""
    event = RUNS[host][0]
    said = {**payloads.of(host)[event], "session_id": session}
    words = [AGENTWS, "-C", str(root), "hook", host, event]
    done = subprocess.run(words, input=json.dumps(said).encode(), stdout=subprocess.PIPE, check=True)
    found = json.loads(done.stdout)
    return str(found.get("context") or found["hookSpecificOutput"]["additionalContext"])


def state(root: Path, session: str) -> str:
    done = subprocess.run([AGENTWS, "session", "list", "--json", "-C", str(root)], stdout=subprocess.PIPE, check=True)
    (row,) = [one for one in json.loads(done.stdout)["sessions"] if one["session"] == session]
    return str(row["state"])


@pytest.mark.parametrize("host", RUNS)
def test_after_a_kill_the_next_session_is_told_what_was_in_flight(workspace: Workspace, host: str) -> None:
    root = Path(workspace.root)
    action = payloads.of(host)[RUNS[host][-1]]
    process = begun(root, host)
    running = state(root, action["session_id"])

    kill(process)
    text = next_start(root, host)

    assert running == "running"
    assert state(root, action["session_id"]) == "crashed"
    assert f"session {action['session_id']} ended without one" in text
    assert "Fix the parser" in text
    assert "In flight" in text
    words = action.get("tool_input") or action["args"]
    assert (words.get("command") or words["file_path"]) in text


@pytest.mark.parametrize("shell", ["sh", "bash"])
def test_a_host_that_runs_is_not_taken_for_a_crash(workspace: Workspace, shell: str) -> None:
    root = Path(workspace.root)
    process = begun(root, "claude-code", shell=shell)

    text = next_start(root, "codex")
    kill(process)

    assert "ended without one" not in text


def test_the_same_session_resumed_is_told_what_is_in_flight(workspace: Workspace) -> None:
    root = Path(workspace.root)
    session = payloads.of("claude-code")["SessionStart"]["session_id"]
    kill(begun(root, "claude-code"))

    text = next_start(root, "claude-code", session)

    assert "In flight: 1 action, result unknown" in text
    assert "/home/sam/notes.txt" in text
    assert state(root, session) == "running"


def test_what_a_killed_start_left_out_of_history_the_next_start_records_without_a_word(
    tmp_path: Path, environment: Environment
) -> None:
    made = Workspace.init(str(tmp_path / "robin"), environment=environment)
    root = Path(made.root)
    killed = "from agentws.core.stores import marks; print(marks.under_way('10:00: interrupted'), end='')"
    mark = subprocess.run([sys.executable, "-c", killed], stdout=subprocess.PIPE, check=True).stdout
    (root / ".agentws/history-failure").write_bytes(mark)
    (root / "MEMORY.md").write_text("# Memory\n\n- Herons nest in March.\n")
    assert "not been recorded" in made.boot().text

    assert "not been recorded" not in next_start(root, "claude-code")

    assert not (root / ".agentws/history-failure").exists()
    log = ["git", "-C", str(root), "log", "--all", "--format=%s"]
    assert "agentws catches up\n" in subprocess.run(log, stdout=subprocess.PIPE, text=True, check=True).stdout
