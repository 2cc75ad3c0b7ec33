"""The real Qwen Code, offline against an obedient model: what its agent is told, and what is recorded of a session."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.judges import rig, yes
from tests.judges.chat_mock import ObedientModel, calling, system
from tests.judges.loopback import Asked, serving

_AT_ONCE = ("--approval-mode", "yolo")
_SHELL = "run_shell_command"


@pytest.fixture(scope="session")
def command(judges_cache: Path) -> Path:
    return rig.qwen(judges_cache)


class Qwen(rig.Scene):
    """A scene with Qwen Code in it, and the model that it talks to."""

    def __init__(self, root: Path, command: Path, address: str, model: ObedientModel) -> None:
        super().__init__(root)
        self.command = str(command)
        self.model = model
        self.settings = self.home / ".qwen" / "settings.json"
        self.settings.parent.mkdir()
        settings = {"memory": {"enableManagedAutoMemory": False}, "privacy": {"usageStatisticsEnabled": False}}
        self.settings.write_text(json.dumps(settings, indent=2), encoding="utf-8")
        self.variables = {"OPENAI_API_KEY": "none", "OPENAI_BASE_URL": f"{address}/v1", "OPENAI_MODEL": "big"}

    def session(self, prompt: str, *words: str, at: Path | None = None) -> None:
        """A session of one prompt: it must end well, and no hook may fail."""
        rig.run((*self._called(prompt), *(words or _AT_ONCE)), at or self.workspace, self.environment())
        assert not self.events("hook.failed")

    def killed_in_a_call(self, prompt: str) -> None:
        """A session that is killed while its tool runs."""
        self.kill_in_a_call(*self._called(prompt), *_AT_ONCE)

    def _called(self, prompt: str) -> tuple[str, ...]:
        return (self.command, "--auth-type", "openai", "--prompt", prompt)


@pytest.fixture
def qwen(tmp_path: Path, command: Path) -> Iterator[Qwen]:
    model = ObedientModel()
    with serving(model) as address:
        yield Qwen(tmp_path, command, address, model)


def told(asked: Asked) -> str:
    """What the hook of the start added to a request: it is marked as such."""
    return system(asked).partition("<qwen:session-start-context")[2]


def shell(words: str) -> str:
    """A prompt that has the command run."""
    return calling(_SHELL, command=words, is_background=False)


def test_a_boot_is_whole_in_the_first_request(qwen: Qwen) -> None:
    qwen.know_much()
    qwen.agentws("install", "qwen")
    booted = rig.MARK.findall(qwen.agentws("boot"))

    qwen.session("Count the herons")

    assert len(booted) > 200
    assert rig.MARK.findall(told(qwen.model.asked[0]))[:200] == booted[:200]


def test_every_hook_is_called_at_its_event(qwen: Qwen) -> None:
    qwen.agentws("install", "qwen")

    qwen.session(shell("echo herons"))

    order = [
        "SessionStart",
        "UserPromptSubmit",
        "PreToolUse",
        "PostToolUse",
        "PostToolBatch",
        "UserPromptSubmit",
        "Stop",
    ]
    assert qwen.hooks == order


def test_what_is_said_is_recorded_once_and_without_the_boot(qwen: Qwen) -> None:
    qwen.agentws("install", "qwen")

    qwen.session("Count the herons")

    (started,) = qwen.events("session.started")
    notes = qwen.events("note")
    assert [(one["src"], one["body"]["text"]) for one in notes] == [
        ("user", "Count the herons"),
        ("agent:qwen", "Done."),
    ]
    assert {one["session"] for one in notes} == {started["session"]}


def test_a_call_of_a_tool_is_recorded_as_action_and_result(qwen: Qwen) -> None:
    qwen.agentws("install", "qwen")

    qwen.session(shell("echo herons"))

    (action,), (result,) = qwen.events("action"), qwen.events("result")
    assert (action["src"], action["body"]["input"]["command"]) == ("agent:qwen", "echo herons")
    assert result["src"] == f"tool:{_SHELL}"
    assert result["body"]["output"] == "herons"
    assert result["body"]["call"] == action["body"]["call"]
    assert not qwen.events("error")


def test_a_run_that_ended_well_is_no_crash(qwen: Qwen) -> None:
    qwen.agentws("install", "qwen")
    qwen.session(shell("echo herons"))
    (first,) = json.loads(qwen.agentws("session", "list", "--all", "--json"))["sessions"]

    notices = rig.run([str(qwen.script), "session", "start"], qwen.workspace, qwen.environment()).stderr

    assert first["state"] == "exited"
    assert "crashed" not in notices


def test_a_call_that_fails_is_an_error(qwen: Qwen) -> None:
    qwen.agentws("install", "qwen")

    qwen.session(calling("read_file", file_path="/nowhere/heron"))

    (action,), (error,) = qwen.events("action"), qwen.events("error")
    assert action["body"]["call"] == error["body"]["call"]
    assert "/nowhere/heron" in error["body"]["text"]


def test_a_call_that_is_refused_is_not_in_flight(qwen: Qwen) -> None:
    qwen.agentws("install", "qwen")

    qwen.session(shell("touch herons"), "--approval-mode", "default")

    assert "PostToolBatch" in qwen.hooks
    assert not (qwen.workspace / "herons").exists()
    assert len(qwen.events("action")) == len(qwen.events("result", "error"))
    assert "in flight" not in qwen.agentws("boot").lower()


def test_what_the_agent_calls_belongs_to_its_session(qwen: Qwen) -> None:
    qwen.agentws("install", "qwen")

    qwen.session(shell(f"{qwen.script} event decision herons-first"))

    (started,), (decision,) = qwen.events("session.started"), qwen.events("decision")
    assert decision["session"] == started["session"]


def test_the_shell_of_the_host_runs_hooks_by_the_launcher(qwen: Qwen) -> None:
    qwen.install_with_launcher("qwen", ".qwen/settings.json")

    qwen.session(shell("echo herons"))

    assert len(qwen.events("action")) == len(qwen.events("result")) == 1
    assert qwen.events("session.started")


def test_a_session_that_is_resumed_is_told_its_boot_and_goes_on_under_its_id(qwen: Qwen) -> None:
    qwen.agentws("install", "qwen")
    qwen.session("Count the herons")
    qwen.write("SOUL.md", "# Soul\n\nheron-mark-1: patient.\n")

    qwen.session("Go on", "--continue")

    assert "heron-mark-1" in told(qwen.model.asked[-1])
    assert qwen.model.asked[-1].text.count(rig.BOOTED) == 1  # the program has dropped the earlier one
    first, second = qwen.events("session.started")
    assert first["session"] == second["session"]


def test_the_next_session_is_told_how_the_last_one_stood(qwen: Qwen) -> None:
    qwen.agentws("install", "qwen")
    qwen.session(shell("echo herons"))

    qwen.session("Where are they?")

    assert "echo herons" in told(qwen.model.about("Where are they?")[-1])


def test_after_a_kill_in_a_call_the_next_session_is_told_that_it_was_in_flight(qwen: Qwen) -> None:
    qwen.agentws("install", "qwen")
    qwen.killed_in_a_call(shell(rig.BUSY))
    assert qwen.hooks[-1] == "PreToolUse"

    qwen.session("What happened?")

    said = told(qwen.model.about("What happened?")[-1])
    assert "in flight" in said.lower()
    assert "while test -e going-on" in said


def test_hooks_of_the_user_serve_a_session_in_another_folder(qwen: Qwen) -> None:
    qwen.write("SOUL.md", "# Soul\n\nheron-mark-1: patient.\n")
    qwen.write("AGENTS.md", "# Rules\n\nheron-mark-2: no host reads this from another folder.\n")
    qwen.agentws("install", "qwen", "--user")

    qwen.session(shell("echo herons"), at=qwen.project)

    assert sorted(rig.MARK.findall(told(qwen.model.asked[0]))) == ["heron-mark-1", "heron-mark-2"]
    assert len(qwen.events("action")) == len(qwen.events("result")) == 1


def test_it_loads_what_boot_leaves_to_it(qwen: Qwen) -> None:
    qwen.write("QWEN.md", "# Here\n\nheron-mark-1\n\n@more.txt\n")
    qwen.write("more.txt", "heron-mark-2\n")
    qwen.write("AGENTS.md", "# Rules\n\nheron-mark-3\n")
    qwen.agentws("install", "qwen")

    qwen.session("Count the herons")

    asked = qwen.model.asked[0]
    assert {"heron-mark-1", "heron-mark-2", "heron-mark-3"} <= set(rig.MARK.findall(asked.text))
    assert not rig.MARK.findall(told(asked))


def test_uninstalled_nothing_is_left_and_no_hook_runs(qwen: Qwen) -> None:
    before = qwen.settings.read_bytes()
    qwen.agentws("install", "qwen", "--user")
    assert qwen.settings.read_bytes() != before

    qwen.agentws("uninstall", "qwen", "--user")
    after = qwen.settings.read_bytes()
    qwen.session("Count the herons", at=qwen.project)

    assert after == before
    assert not qwen.hooks


def test_a_tool_that_needs_a_yes_runs_once_after_it(qwen: Qwen) -> None:
    qwen.agentws("install", "qwen")
    yes.asks(qwen)

    def play() -> None:
        qwen.session(shell(yes.COMMAND))

    yes.judge(qwen, play)
    yes.told(json.dumps([one.body for one in qwen.model.asked]))


def test_a_confirmation_is_asked_of_its_user(qwen: Qwen) -> None:
    qwen.agentws("install", "qwen")

    yes.judge_confirm(qwen, lambda: qwen.session(shell(yes.COMMAND)))


def test_a_permission_for_one_command_lets_through_any_other_so_install_writes_none(qwen: Qwen) -> None:
    settings = qwen.workspace / ".qwen/settings.json"
    settings.parent.mkdir()
    own = f"{qwen.script} -C {qwen.workspace} log"
    settings.write_text(json.dumps({"permissions": {"allow": [f"run_shell_command({own})"]}}), encoding="utf-8")
    outside = qwen.home / "outside"

    qwen.session(shell(f'{own} "$(touch {outside})"'), "--approval-mode", "default")

    assert outside.exists()


def test_a_session_without_hooks_is_imported_whole(qwen: Qwen) -> None:
    qwen.session(shell("echo herons"))
    qwen.pass_hours(2)

    imported = json.loads(qwen.agentws("import", "--from", "qwen", "--json"))

    assert (imported["read"], imported["sessions"], imported["rest"]) == (1, 1, [])
    entry = (qwen.workspace / imported["paths"][0]).read_text(encoding="utf-8")
    assert "Asked: " in entry
    assert "Done: " in entry
    assert json.loads(qwen.agentws("import", "--from", "qwen", "--json"))["known"] == 1


def test_a_run_whose_agent_has_no_shell_writes_by_mcp(qwen: Qwen) -> None:
    qwen.agentws("install", "mcp-json", "--allow")
    rig.run((qwen.command, "mcp", "approve", "agentws"), qwen.workspace, qwen.environment())

    qwen.session(calling("mcp__agentws__log", text="Counted the herons"), "--approval-mode", "default")

    (started,) = qwen.events("session.started")
    assert started["src"].startswith("agent:mcp:qwen")
    assert "Counted the herons" in qwen.agentws("boot")
