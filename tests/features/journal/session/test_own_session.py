"""What an agent calls belongs to its own session, though others run beside it and nobody says which it is."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from agentws.errors import NeedsYouError
from agentws.workspace import Workspace, read_environment

AGENTWS = str(Path(sys.executable).with_name("agentws"))
VERBS = (
    ["event", "note", "seen"],
    ["handoff", "--next", "Go on"],
    ["task", "add", "Write to Ada"],
    ["remember", "Ada lives in Bern"],
)
AGENT = """
import subprocess, sys
script, name, *words = sys.argv[1:]
if name:
    subprocess.run([script, "session", "start", "--session", name, "-q"], check=True, stdout=subprocess.DEVNULL)
for line in sys.stdin:
    subprocess.run(["sh", "-c", "exec " + line], check=True, stdout=subprocess.DEVNULL)
    print("done", flush=True)
"""
NAMES = ("one", "two", "three")


def environment(**more: str) -> dict[str, str]:
    return {name: value for name, value in os.environ.items() if not name.startswith(("CLAUDE", "CODEX"))} | more


def agent(root: Path, name: str, **more: str) -> subprocess.Popen[str]:
    """A program that begins a session of this name (none for an empty one), and then does what it is told."""
    return subprocess.Popen(
        [sys.executable, "-c", AGENT, AGENTWS, name],
        cwd=root, env=environment(**more), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
    )  # fmt: skip


def tell(one: subprocess.Popen[str], words: list[str]) -> None:
    assert one.stdin is not None
    assert one.stdout is not None
    one.stdin.write(" ".join([AGENTWS, *(f"'{word}'" for word in words)]) + "\n")
    one.stdin.flush()
    assert one.stdout.readline() == "done\n"


def recorded(root: Path) -> list[dict[str, Any]]:
    done = subprocess.run(
        [AGENTWS, "journal", "list", "--json", "--limit", "1000"],
        cwd=root, env=environment(), capture_output=True, text=True, check=True,
    )  # fmt: skip
    found: list[dict[str, Any]] = json.loads(done.stdout)["events"]
    return [one for one in found if one["kind"] not in ("segment.opened", "seal", "session.started")]


def by_session(root: Path) -> dict[str | None, set[str]]:
    found: dict[str | None, set[str]] = {}
    for one in recorded(root):
        found.setdefault(one["session"], set()).add(one["kind"])
    return found


def done(agents: list[subprocess.Popen[str]]) -> None:
    for one in agents:
        one.communicate(timeout=120)
    assert [one.returncode for one in agents] == [0] * len(agents)


def test_three_that_run_at_once_are_told_apart_by_the_processes_that_call(workspace: Workspace) -> None:
    root = Path(workspace.root)
    agents = [agent(root, name) for name in NAMES]

    for words in VERBS:
        for one in agents:
            tell(one, words)
    done(agents)

    kinds = {"note", "handoff.written", "task.added"}
    assert {name: found & kinds for name, found in by_session(root).items()} == dict.fromkeys(NAMES, kinds)
    notes = [path.read_text(encoding="utf-8") for path in (root / "handoffs").glob("*.md")]
    assert {name: sum(f"session: {name}\n" in note for note in notes) for name in NAMES} == dict.fromkeys(NAMES, 1)


def test_what_somebody_does_beside_a_session_that_runs_is_none_of_it(workspace: Workspace) -> None:
    root = Path(workspace.root)
    runs, beside = agent(root, "one"), agent(root, "")
    tell(runs, ["event", "note", "mine"])

    tell(beside, ["event", "note", "not mine"])
    done([runs, beside])

    assert [(one["body"]["text"], one["session"]) for one in recorded(root)] == [("mine", "one"), ("not mine", None)]


@pytest.mark.parametrize(
    "variable",
    [
        "CLAUDE_CODE_SESSION_ID",
        "CODEX_SESSION_ID",
        "CODEX_THREAD_ID",
        "QWEN_CODE_SESSION_ID",
        "COPILOT_AGENT_SESSION_ID",
    ],
)
def test_the_host_says_it(monkeypatch: pytest.MonkeyPatch, variable: str) -> None:
    alone(monkeypatch, {variable: "8f0c6a8e-6a6a"})

    assert read_environment().hosted == "8f0c6a8e-6a6a"


def test_what_we_are_told_ourselves_comes_first(monkeypatch: pytest.MonkeyPatch) -> None:
    alone(monkeypatch, {"AGENTWS_SESSION": "mine", "CLAUDE_CODE_SESSION_ID": "8f0c6a8e-6a6a"})

    assert read_environment().session == "mine"


@pytest.mark.parametrize(
    "variables",
    [
        {"CLAUDE_CODE_SESSION_ID": "one", "CODEX_SESSION_ID": "two"},
        {"CLAUDE_CODE_SESSION_ID": "one", "OPENCLAW_SHELL": "exec"},
        {"CLAUDE_CODE_SESSION_ID": "no name of ours"},
        {"CLAUDE_CODE_SESSION_ID": ""},
    ],
)
def test_where_several_are_named_or_others_may_hear_it_is_none_of_them(
    monkeypatch: pytest.MonkeyPatch, variables: dict[str, str]
) -> None:
    alone(monkeypatch, variables)

    assert (read_environment().session, read_environment().hosted) == (None, None)


@pytest.fixture
def hosted(workspace: Workspace) -> Workspace:
    """The workspace as a command sees it that a host calls: its session began here, and another one since."""
    workspace.session.start(session="host-1", via="agent:claude-code")
    return named_by_host(workspace, "host-1")


def named_by_host(workspace: Workspace, name: str) -> Workspace:
    surrounded = workspace.stores.environment.as_it_was(workspace.stores.clock.now())
    surrounded.as_of, surrounded.present, surrounded.hosted = False, None, name
    return Workspace.open(workspace.root, environment=surrounded)


def belongs_to(workspace: Workspace) -> str | None:
    workspace.event("note", "seen")
    return list(workspace.journal.list(kinds=("note",)))[-1].session


def ended(workspace: Workspace) -> list[str | None]:
    return [one.session for one in workspace.journal.list(kinds=("session.ended",))]


def test_a_session_that_begins_by_hand_is_not_that_of_the_host(hosted: Workspace) -> None:
    began = hosted.session.start("import run", process=os.getpid())

    assert began.session not in ("", "host-1")
    assert belongs_to(hosted) == began.session, "its process is nearer than what the host says"


def test_the_end_of_a_session_is_not_that_of_the_host_unless_it_is_named(hosted: Workspace) -> None:
    with pytest.raises(NeedsYouError) as refused:
        hosted.session.end()
    assert (ended(hosted), refused.value.hint) == ([], "To end it now: agentws session end host-1")

    began = hosted.session.start("import run", process=os.getpid())
    hosted.session.end()
    hosted.session.end(session="host-1")

    assert ended(hosted) == [began.session, "host-1"]


def test_what_the_host_calls_belongs_to_its_session_also_where_another_began_later(hosted: Workspace) -> None:
    hosted.session.start(session="later")

    assert belongs_to(hosted) == "host-1"
    assert "session: host-1\n" in hosted.handoff(next="Go on").text


def test_of_two_as_near_the_one_that_the_host_names_is_meant(workspace: Workspace) -> None:
    for name in ("host-1", "beside"):
        workspace.session.start(session=name, process=os.getpid())

    assert belongs_to(named_by_host(workspace, "host-1")) == "host-1"
    assert belongs_to(named_by_host(workspace, "beside")) == "beside"


def test_a_program_that_the_host_has_started_has_its_own_session(workspace: Workspace) -> None:
    workspace.session.start(session="outer", process=os.getppid())
    workspace.session.start(session="inner", process=os.getpid())
    inherited = named_by_host(workspace, "outer")

    assert belongs_to(inherited) == "inner"
    assert "session: inner\n" in inherited.handoff(next="Go on").text
    inherited.tasks.add("Write to Ada")
    assert {one.session for one in inherited.journal.list(kinds=("task.added",))} == {"inner"}


@pytest.mark.parametrize("is_here", [True, False])
def test_a_variable_that_was_left_over_names_nothing(workspace: Workspace, *, is_here: bool) -> None:
    if is_here:
        workspace.session.start(session="host-1")
        workspace.session.end(session="host-1")
    left_over = named_by_host(workspace, "host-1")

    assert belongs_to(left_over) is None
    assert "session: host-1" not in left_over.handoff(next="Go on").text


def test_a_variable_that_was_left_over_opens_nothing_to_others(workspace: Workspace) -> None:
    workspace.session.start(session="host-1", audience="shared")
    workspace.session.end(session="host-1")

    assert named_by_host(workspace, "host-1").stores.audience() == "shared"


def alone(monkeypatch: pytest.MonkeyPatch, variables: dict[str, str]) -> None:
    for name in (
        "AGENTWS_SESSION",
        "CLAUDE_CODE_SESSION_ID",
        "CODEX_SESSION_ID",
        "CODEX_THREAD_ID",
        "QWEN_CODE_SESSION_ID",
        "COPILOT_AGENT_SESSION_ID",
        "OPENCLAW_SHELL",
    ):
        monkeypatch.delenv(name, raising=False)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
