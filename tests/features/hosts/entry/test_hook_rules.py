"""What a host is told of a tool that is about to run, where rules are about it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from agentws.core.formats import layout
from agentws.core.terminal import invocation
from agentws.features.approvals import gate
from agentws.features.hosts.entry import door
from agentws.features.hosts.entry.deadline import OutOfTime
from agentws.workspace import Environment, Workspace
from tests.features.hosts import payloads

RULES = """
[ask]
typed = true

[[ask.rules]]
command = "pay*"

[[ask.rules]]
command = "burn*"
do = "deny"

[[ask.rules]]
command = "ring*"
do = "confirm"
"""
INPUTS = ("tool_input", "args")


class Called:
    """A user with rules, whose host calls hooks in a workspace."""

    def __init__(self, workspace: Workspace, folder: Path) -> None:
        self.workspace = workspace
        self.config = folder / "config/agentws/config.toml"
        self.config.parent.mkdir(parents=True)
        self.config.write_text(RULES)
        self.surroundings = {**os.environ, "XDG_CONFIG_HOME": str(folder / "config")}
        self.stderr = ""

    def hook(self, host: str, command: str, *, at: str = "", said: str = "", **more: str) -> Any:
        """What the host is told of a call that runs this command."""
        given = payloads.of(host).get(payloads.before_a_tool(host)) or {"session_id": "s1"}
        key = next((key for key in INPUTS if key in given), "tool_input")
        told = {**given, key: {"command": command}}
        words = [
            sys.executable,
            "-m",
            "agentws",
            "-C",
            at or self.workspace.root,
            "hook",
            host,
            payloads.before_a_tool(host),
        ]
        done = subprocess.run(
            words, input=said or json.dumps(told), capture_output=True, text=True, check=True,
            env={**self.surroundings, **more},
        )  # fmt: skip
        self.stderr = done.stderr
        return json.loads(done.stdout)

    def events(self, kind: str) -> list[dict[str, Any]]:
        files = sorted(Path(self.workspace.root, "journal").glob("*/*.jsonl"))
        lines = [json.loads(line) for file in files for line in file.read_text().splitlines()]
        return [one for one in lines if one["kind"] == kind]


@pytest.fixture
def called(workspace: Workspace, tmp_path: Path) -> Called:
    return Called(workspace, tmp_path)


def denied(host: str, told: Any) -> str:
    """The reason for which this host does not run the tool, empty where it does."""
    if host == "gemini":
        return str(told["reason"]) if told.get("decision") == "deny" else ""
    if host in ("opencode", "openclaw", "pi"):
        return str(told.get("deny", ""))
    said = told.get("hookSpecificOutput", {})
    return str(said["permissionDecisionReason"]) if said.get("permissionDecision") == "deny" else ""


@pytest.mark.parametrize("host", payloads.HOSTS)
def test_each_host_is_told_to_deny_and_goes_on_where_nothing_stands_against_it(called: Called, host: str) -> None:
    assert "never done" in denied(host, called.hook(host, "burn x"))
    assert " ask approve " in denied(host, called.hook(host, "pay 3"))
    assert called.hook(host, "make") == {}


@pytest.mark.parametrize("host", payloads.HOSTS)
def test_after_a_yes_a_call_goes_on_once_and_is_allowed_where_the_host_can_be_told_so(
    called: Called, host: str
) -> None:
    called.hook(host, "pay 3")
    here = Workspace.open(called.workspace.root, environment=Environment(config=str(called.config)))
    (one,) = here.approvals.list()
    here.approvals.decide(one.id, approve=True, typed=True)

    told = called.hook(host, "pay 3")

    assert not denied(host, told)
    if host in ("claude-code", "qwen", "copilot", "droid"):
        assert told["hookSpecificOutput"]["permissionDecision"] == "allow"
    else:
        assert told == {}
    assert denied(host, called.hook(host, "pay 3"))


def test_a_host_that_can_ask_its_user_does_so(called: Called) -> None:
    told = called.hook("claude-code", "ring Lena")

    assert told["hookSpecificOutput"]["permissionDecision"] == "ask"
    assert not Workspace.open(called.workspace.root).approvals.list()
    assert denied("codex", called.hook("codex", "ring Lena"))


def test_a_call_that_was_denied_is_not_in_flight(called: Called) -> None:
    called.hook("claude-code", "burn x")

    (action,), (error,) = called.events("action"), called.events("error")
    assert action["body"]["call"] == error["body"]["call"]
    assert error["body"]["refused"] is True


def test_where_the_workspace_cannot_be_asked_what_needs_a_yes_does_not_run(called: Called, tmp_path: Path) -> None:
    nowhere = str(tmp_path / "nowhere")

    assert denied("claude-code", called.hook("claude-code", "pay 3", at=nowhere))
    assert denied("claude-code", called.hook("claude-code", "burn x", at=nowhere))
    assert called.hook("claude-code", "make", at=nowhere) == {}


def test_rules_that_cannot_be_read_stop_what_they_may_be_about(called: Called) -> None:
    called.config.write_text('[[ask.rules]]\ntool = "Bash"\ndo = "perhaps"\n')

    assert "config.toml" in denied("claude-code", called.hook("claude-code", "make"))


def test_a_message_that_is_no_json_or_too_long_is_no_way_around(called: Called) -> None:
    called.config.write_text('[[ask.rules]]\ntool = "*"\npath = "/etc/*"\ndo = "deny"\n')
    long = json.dumps(
        {"session_id": "s1", "tool_name": "Write", "tool_input": {"path": "/etc/x", "text": "x" * (9 << 20)}}
    )

    assert denied("claude-code", called.hook("claude-code", "", said=long))
    assert denied("claude-code", called.hook("claude-code", "", said='{"tool_name": "Write", '))


@pytest.mark.parametrize("host", payloads.HOSTS)
def test_a_message_that_does_not_say_which_tool_it_is_may_be_about_each(called: Called, host: str) -> None:
    called.config.write_text('[[ask.rules]]\ntool = "bank*"\ndo = "deny"\n')
    deep = json.dumps({"tool_name": "bank_pay", "tool_input": {"command": "pay 3", "x": "DEEP"}})
    deep = deep.replace('"DEEP"', "[" * 100_000 + "]" * 100_000)

    for said in ('{"tool_name": "bank_pay", "tool_input": {"command": "pa', deep, "[]", "\n"):
        assert denied(host, called.hook(host, "", said=said)), said[:80]
    called.config.write_text("")
    assert not denied(host, called.hook(host, "", said="[]"))


def test_whoever_turned_hooks_off_turned_off_rules(called: Called) -> None:
    assert called.hook("claude-code", "burn x", AGENTWS_NO_HOOKS="1") == {}


def test_the_user_s_program_is_told_of_the_request(called: Called, tmp_path: Path) -> None:
    heard = tmp_path / "heard"
    called.config.write_text(RULES.replace("typed = true", f'typed = true\nnotify = "cp /dev/stdin {heard}"'))

    called.hook("claude-code", "pay 3")

    for _ in range(400):
        if heard.exists() and heard.read_text().endswith("}\n"):
            break
        os.sched_yield()
        subprocess.run(["sleep", "0.05"], check=True)
    assert json.loads(heard.read_text())["action"]["input"] == {"command": "pay 3"}


def answered(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, called: Called, said: bytes | None = None
) -> Any:
    """What the host is told in this process, of a call that no rule is about."""
    given = json.dumps({"session_id": "s1", "tool_name": "Bash", "tool_input": {"command": "ls"}}).encode()
    monkeypatch.setattr(door, "_read_input", lambda: (given if said is None else said, b""))
    monkeypatch.setenv("XDG_CONFIG_HOME", called.surroundings["XDG_CONFIG_HOME"])
    run = invocation.Run()
    run.directory, run.quiet = called.workspace.root, True
    door.answer(run, "claude-code", "PreToolUse", None)
    return json.loads(capsys.readouterr().out)


@pytest.mark.parametrize("end", [OutOfTime(), RuntimeError("a bug"), KeyboardInterrupt()])
def test_a_gate_that_ends_before_its_answer_lets_nothing_through_where_there_are_rules(
    called: Called, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, end: BaseException
) -> None:
    def ended(*_: Any, **__: Any) -> None:
        raise end

    monkeypatch.setattr(gate, "gate", ended)

    assert "could not be checked" in denied("claude-code", answered(capsys, monkeypatch, called))
    called.config.write_text("")
    assert answered(capsys, monkeypatch, called) == {}
    signature = Path(called.workspace.root, layout.RULES_SIGNATURE)
    signature.parent.mkdir(exist_ok=True)
    signature.write_text("of a person")
    assert denied("claude-code", answered(capsys, monkeypatch, called))


def test_a_message_that_cannot_be_taken_is_no_way_around(
    called: Called, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    from agentws.features.hosts.claude_code import calls

    read = calls.read

    def picky(event: str, fields: Any) -> Any:
        if fields:
            raise ValueError("odd")
        return read(event, fields)

    monkeypatch.setattr(calls, "read", picky)

    assert denied("claude-code", answered(capsys, monkeypatch, called))


def test_a_workspace_that_may_have_rules_and_cannot_be_asked_lets_nothing_through(called: Called) -> None:
    root = called.workspace.root
    signature = Path(root, layout.RULES_SIGNATURE)
    signature.parent.mkdir(exist_ok=True)

    assert gate.gate_alone(None, "Bash", {"command": "ls"}, root=root).may is None
    signature.write_text("of a person")
    assert gate.gate_alone(None, "Bash", {"command": "ls"}, root=root).may is False


def test_a_line_that_takes_too_long_is_denied_while_the_host_still_waits(
    called: Called, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    from agentws.features.approvals.plan import rules

    def endless(*_: Any, **__: Any) -> None:
        while True:
            pass

    monkeypatch.setattr(rules, "judge", endless)
    monkeypatch.setattr(door, "_TOOL_S", 0.3)
    monkeypatch.setattr(door, "_ALONE_S", 0.3)

    assert denied("claude-code", answered(capsys, monkeypatch, called))


def test_rules_that_cannot_be_read_are_a_problem_of_who_lists_them(called: Called) -> None:
    words = [sys.executable, "-m", "agentws", "-C", called.workspace.root, "ask", "rules"]
    assert subprocess.run(words, env=called.surroundings, capture_output=True, check=False).returncode == 0
    called.config.write_text('[[ask.rules]]\ncomand = "pay *"\n')

    done = subprocess.run(words, env=called.surroundings, capture_output=True, text=True, check=False)

    assert done.returncode == 3
    assert "unknown key 'comand'. Hooks deny every tool." in done.stdout


def test_boot_lists_a_refused_call_until_a_person_approved_it_and_it_ran(called: Called) -> None:
    called.hook("claude-code", "pay 3")
    called.hook("claude-code", "pay 3")
    refused, usable = "needs a yes from a person", "Write pay 3 → approved, not done yet"
    assert refused in called.workspace.boot().text
    here = Workspace.open(called.workspace.root, environment=Environment(config=str(called.config)))
    (request,) = here.approvals.list()
    here.approvals.decide(request.id, approve=True, typed=True)
    told = called.workspace.boot().text
    assert told.count(usable) == 1
    assert refused not in told

    called.hook("claude-code", "pay 3")
    for number in range(50):  # it is no longer among the recent ones
        called.workspace.event("note", text=f"Counted {number} herons")

    told = called.workspace.boot().text
    assert f"[approval.used] {request.id}" in told
    assert "[error]" not in told
    assert usable not in told
