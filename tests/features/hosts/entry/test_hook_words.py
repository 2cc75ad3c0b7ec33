"""What the agent reads of a session: how it writes, where it stands; and no words three times."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from agentws.workspace import Workspace
from tests.features.hosts.entry.test_hook import agentws, context, hook, played, root, said

__all__ = ["root"]


@pytest.mark.parametrize(("host", "event", "place"), [
    ("claude-code", "SessionStart", "cwd"), ("codex", "SessionStart", "cwd"), ("gemini", "SessionStart", "cwd"),
    ("opencode", "session.started", "directory"),
])  # fmt: skip
def test_a_boot_ends_in_how_the_agent_writes_from_where_it_stands(
    root: Path, tmp_path: Path, host: str, event: str, place: str
) -> None:
    here = context(hook(root, host, event, said(host, event, **{place: str(root)})))
    there = context(hook(root, host, event, said(host, event, session_id="two", **{place: str(tmp_path)})))

    assert "## Record as you go" in here
    assert 'agentws log "what happened"`' in here
    assert "Prompts and tool calls are recorded automatically." in here
    assert f'agentws -C {root} log "what happened"`' in there
    assert "Begin every command like the first one." in there


def test_a_handoff_that_the_agent_asks_for_does_not_list_its_own_call(root: Path) -> None:
    played(
        root, "now", ("SessionStart", {}), ("UserPromptSubmit", {"prompt": "Count the herons"}),
        ("PreToolUse", {"tool_use_id": "a", "tool_input": {"command": "send the mail"}}),
        (
            "PreToolUse",
            {
                "tool_use_id": "b", "tool_name": "Bash",
                "tool_input": {"command": f"/opt/agentws -C {root} handoff --auto"},
            },
        ),
    )  # fmt: skip

    agentws(root, "handoff", "--auto", "--session", "now")

    (note,) = (path.read_text() for path in root.glob("handoffs/*.md"))
    assert "send the mail" in note
    assert "/opt/agentws" not in note


def test_sessions_in_which_nothing_was_said_are_counted_and_do_not_hide_the_one_at_work(root: Path) -> None:
    asked = ("UserPromptSubmit", {"prompt": "Sort the letters"})
    played(root, "work", ("SessionStart", {}), asked, ("PreToolUse", {"tool_input": {"command": "mv a.txt 2025/"}}))
    for number in range(5):
        played(root, f"silent{number}", ("SessionStart", {}), ("UserPromptSubmit", {"prompt": f"Hello {number}"}))

    told = context(hook(root, "claude-code", "SessionStart", said("claude-code", "SessionStart", session_id="next")))

    handed = told.partition("## Recovered handoff")[2].partition("\n## ")[0]
    assert "session work ended without one" in handed
    assert "Sessions without a handoff: 5 without any record: agentws handoff list" in handed
    assert "silent" not in told
    assert told.count("mv a.txt 2025/") == 1
    assert told.count("Sort the letters") <= 2


def test_where_nothing_was_said_in_any_the_newest_is_told(root: Path) -> None:
    for number in range(3):
        played(root, f"silent{number}", ("SessionStart", {}), ("UserPromptSubmit", {"prompt": f"Hello {number}"}))

    told = context(hook(root, "claude-code", "SessionStart", said("claude-code", "SessionStart", session_id="next")))

    assert "session silent2 ended without one" in told
    assert "Sessions without a handoff: 2 without any record" in told


def worked(root: Path, times: int) -> None:
    """A session that calls so many tools, on a day when the notes are old."""
    begun = said("claude-code", "SessionStart", session_id="now")
    assert hook(root, "claude-code", "SessionStart", begun).returncode == 0
    workspace = Workspace.open(str(root))
    for number in range(times):
        workspace.event("action", tool="Bash", input={"command": f"ls {number}"}, call=f"c{number}", session="now")
    for path in root.rglob("*.md"):
        os.utime(path, (0, 0))


def asked(root: Path, host: str = "claude-code", event: str = "UserPromptSubmit") -> str:
    return context(hook(root, host, event, said(host, event, session_id="now", prompt="Go on", cwd=str(root))))


@pytest.mark.parametrize(("host", "event"), [("claude-code", "UserPromptSubmit"), ("gemini", "BeforeAgent")])
def test_an_agent_that_writes_nothing_down_is_told_once(root: Path, host: str, event: str) -> None:
    worked(root, 40)

    assert "40 tool calls without a note." in asked(root, host, event)
    assert asked(root, host, event) == ""
    assert len(list((root / ".agentws/nudged").iterdir())) == 1
    hook(root, "claude-code", "SessionEnd", said("claude-code", "SessionEnd", session_id="now"))
    assert not list((root / ".agentws/nudged").iterdir())


def test_an_agent_that_does_little_or_writes_or_is_not_to_be_told_is_not(root: Path) -> None:
    worked(root, 39)
    assert asked(root) == ""

    worked(root, 1)
    agentws(root, "log", "Counted the herons")
    assert asked(root) == ""

    worked(root, 1)
    with (root / "agentws.toml").open("a") as manifest:
        manifest.write("\n[hooks]\nnudge = false\n")
    assert asked(root) == ""
