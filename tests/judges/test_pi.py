"""The real Pi, offline against an obedient model: what its agent is told, and what is recorded of a session."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.judges import rig, yes
from tests.judges.chat_mock import ObedientModel, calling
from tests.judges.loopback import serving

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools"))
import build_plugin

COMPACT = "compact"
_TRUSTED = ("--approve",)
_PLUGIN = ".pi/extensions/agentws.js"
_BEGIN, _TURN, _CALL = (
    ["session_start", "before_agent_start"],
    "agent_before_settle",
    ["tool_call", "tool_execution_end"],
)


@pytest.fixture(scope="session")
def command(judges_cache: Path) -> Path:
    return rig.pi(judges_cache)


class Pi(rig.Scene):
    """A scene with Pi in it, and the model that it talks to."""

    def __init__(self, root: Path, command: Path, address: str, model: ObedientModel) -> None:
        super().__init__(root)
        self.program = str(command)
        self.model = model
        self.settings = self.home / ".pi/agent"
        self.settings.mkdir(parents=True)
        model = {"id": "big", "contextWindow": 200_000}
        big = {"baseUrl": f"{address}/v1", "apiKey": "none", "api": "openai-completions", "models": [model]}
        models = {"providers": {"played": big}}
        (self.settings / "models.json").write_text(json.dumps(models), encoding="utf-8")
        self.variables = {"PI_OFFLINE": "1", "PATH": f"{command.parent}:{os.environ['PATH']}"}

    def session(self, prompt: str, *words: str, at: Path | None = None) -> None:
        """A session of one prompt: it must end well, and no hook may fail."""
        rig.run((*self._called(prompt), *(words or _TRUSTED)), at or self.workspace, self.environment())
        assert not self.events("hook.failed")

    def killed_in_a_call(self, prompt: str) -> None:
        """A session that is killed while its tool runs."""
        self.kill_in_a_call(*self._called(prompt), *_TRUSTED)

    def conversation(self, *prompts: str) -> None:
        """A session of these prompts, each given as soon as the one before it is answered; or COMPACT."""
        words = (self.program, "--provider", "played", "--model", "big", "--mode", "rpc", *_TRUSTED)
        with subprocess.Popen(
            words, cwd=self.workspace, env=self.environment(), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        ) as process:
            assert process.stdin
            assert process.stdout
            for prompt in prompts:
                said = {"type": COMPACT} if prompt == COMPACT else {"type": "prompt", "message": prompt}
                ending = '"command":"compact"' if prompt == COMPACT else '"type":"agent_settled"'
                process.stdin.write(json.dumps(said) + "\n")
                process.stdin.flush()
                assert any(ending in line for line in process.stdout)
            process.stdin.close()
            process.stdout.read()
        assert process.returncode == 0
        assert not self.events("hook.failed")

    def _called(self, prompt: str) -> tuple[str, ...]:
        return (self.program, "--provider", "played", "--model", "big", "--print", prompt)


@pytest.fixture
def pi(tmp_path: Path, command: Path) -> Iterator[Pi]:
    model = ObedientModel()
    with serving(model) as address:
        yield Pi(tmp_path, command, address, model)


def shell(words: str) -> str:
    """A prompt that has the command run."""
    return calling("bash", command=words)


def test_a_boot_is_whole_in_the_first_request(pi: Pi) -> None:
    pi.know_much()
    pi.agentws("install", "pi")
    booted = rig.MARK.findall(pi.agentws("boot"))

    pi.session("Count the herons")

    assert len(booted) > 200
    assert rig.MARK.findall(pi.model.asked[0].text)[:200] == booted[:200]


def test_the_package_brings_the_boot_and_records_like_the_extension(pi: Pi, tmp_path: Path) -> None:
    pi.write("SOUL.md", "# Soul\n\nheron-mark-1: patient.\n")
    build_plugin.build_pi(tmp_path / "package")
    pi.variables["PATH"] = f"{pi.script.parent}:{pi.variables['PATH']}"
    rig.run((pi.program, "install", str(tmp_path / "package")), pi.workspace, pi.environment())

    pi.session(shell(f"{pi.script} event decision herons-first"))

    assert "heron-mark-1" in pi.model.asked[0].text
    assert len(pi.events("session.started")) == len(pi.events("session.ended")) == len(pi.events("action")) == 1


def test_a_session_is_recorded_with_what_was_said_and_done(pi: Pi) -> None:
    pi.agentws("install", "pi")

    pi.session(shell(f"{pi.script} event decision herons-first"))

    assert pi.hooks == [*_BEGIN, *_CALL, _TURN, "session_shutdown"]
    (started,), (ended,), (decision,) = (pi.events(kind) for kind in ("session.started", "session.ended", "decision"))
    (asked, said), (action,), (result,) = pi.events("note"), pi.events("action"), pi.events("result")
    assert (asked["src"], said["src"], said["body"]["text"]) == ("user", "agent:pi", "Done.")
    assert result["body"]["call"] == action["body"]["call"]
    assert {one["session"] for one in (ended, decision, asked, said, action, result)} == {started["session"]}
    assert pi.handoffs()


def test_a_boot_comes_once_in_a_session_of_several_prompts(pi: Pi) -> None:
    pi.write("SOUL.md", "# Soul\n\nheron-mark-1: patient.\n")
    pi.agentws("install", "pi")

    pi.conversation("Count the herons", "Count them again")

    assert pi.hooks == [*_BEGIN, _TURN, "before_agent_start", _TURN, "session_shutdown"]
    assert rig.MARK.findall(pi.model.asked[-1].text) == ["heron-mark-1"]


def test_a_call_that_fails_is_an_error(pi: Pi) -> None:
    pi.agentws("install", "pi")

    pi.session(shell("echo herons; exit 3"))

    (action,), (error,) = pi.events("action"), pi.events("error")
    assert action["body"]["call"] == error["body"]["call"]
    assert "herons" in error["body"]["text"]
    assert "code 3" in error["body"]["text"]


def test_the_agent_is_asked_for_a_handoff_after_work_where_somebody_sits_before_it(pi: Pi) -> None:
    pi.agentws("install", "pi")
    work = [shell("echo herons")] * 8
    pi.model.turns = [*work]

    pi.conversation("Count the herons")

    assert "what must never be done" in pi.model.asked[-1].text
    assert pi.hooks.count(_TURN) == 2
    pi.model.turns = [*work]
    pi.session("Count the herons")
    assert "what must never be done" not in pi.model.about("Count the herons")[-1].text


def test_after_a_compaction_the_next_prompt_brings_the_boot_again(pi: Pi) -> None:
    (pi.settings / "settings.json").write_text('{"compaction": {"keepRecentTokens": 1}}', encoding="utf-8")
    pi.write("SOUL.md", "# Soul\n\nheron-mark-1: patient.\n")
    pi.agentws("install", "pi")

    pi.conversation("Count the herons", COMPACT, "Count them again")

    assert pi.events("host.compacted")
    assert "heron-mark-1" in pi.model.about("Count them again")[-1].text


def test_a_session_that_is_resumed_is_told_what_is_new_beside_its_boot_and_goes_on_under_its_id(pi: Pi) -> None:
    pi.write("SOUL.md", "# Soul\n\nheron-mark-1: patient.\n")
    pi.agentws("install", "pi")
    pi.session("Count the herons")
    pi.agentws("log", "heron-mark-2 came")

    pi.session("Go on", "--continue", *_TRUSTED)

    assert rig.MARK.findall(pi.model.asked[-1].text) == ["heron-mark-1", "heron-mark-2"]
    first, second = pi.events("session.started")
    assert first["session"] == second["session"]


def test_after_a_kill_in_a_call_the_next_session_is_told_that_it_was_in_flight(pi: Pi) -> None:
    pi.agentws("install", "pi")
    pi.killed_in_a_call(shell(rig.BUSY))
    assert pi.hooks[-1] == "tool_call"

    pi.session("What happened?")

    said = pi.model.about("What happened?")[-1].text
    assert "in flight" in said.lower()
    assert "while test -e going-on" in said


def test_the_extension_of_the_user_serves_a_session_in_another_folder_and_beside_that_of_a_project(pi: Pi) -> None:
    pi.write("SOUL.md", "# Soul\n\nheron-mark-1: patient.\n")
    pi.agentws("install", "pi", "--user")

    pi.session(shell("echo herons"), at=pi.project)

    assert rig.MARK.findall(pi.model.asked[0].text) == ["heron-mark-1"]
    assert len(pi.events("action")) == len(pi.events("result")) == 1
    pi.agentws("install", "pi")
    pi.session(shell("echo herons"))
    assert len(pi.events("action")) == len(pi.events("result")) == 2


def test_it_loads_what_boot_leaves_to_it(pi: Pi) -> None:
    pi.write("AGENTS.md", "# Rules\n\nheron-mark-1\n\n@more.txt\n")
    pi.write("CLAUDE.md", "# Here\n\nheron-mark-2\n")
    pi.write("more.txt", "heron-mark-3\n")
    pi.agentws("install", "pi")

    pi.session("Count the herons")

    assert rig.SKILL in pi.model.asked[0].text
    assert rig.MARK.findall(pi.model.asked[0].text) == ["heron-mark-1"]


def test_in_a_folder_that_is_not_trusted_nothing_runs_and_doctor_says_so(pi: Pi) -> None:
    pi.agentws("install", "pi")

    pi.session("Count the herons", "--no-session")

    words = [str(pi.script), "doctor"]
    found = subprocess.run(words, cwd=pi.workspace, env=pi.environment(), capture_output=True, text=True).stdout
    assert not pi.hooks
    assert "is not trusted" in found
    (pi.settings / "trust.json").write_text(json.dumps({str(pi.workspace.parent): True}), encoding="utf-8")
    pi.session("Count the herons", "--no-session")
    found = subprocess.run(words, cwd=pi.workspace, env=pi.environment(), capture_output=True, text=True).stdout
    assert pi.hooks
    assert "is not trusted" not in found


def test_uninstalled_nothing_is_left_and_no_hook_runs(pi: Pi) -> None:
    pi.agentws("install", "pi")
    assert (pi.workspace / _PLUGIN).exists()

    pi.agentws("uninstall", "pi")
    left = (pi.workspace / ".pi").exists()
    pi.session("Count the herons")

    assert not left
    assert not pi.hooks


def test_a_tool_that_needs_a_yes_runs_once_after_it(pi: Pi) -> None:
    pi.agentws("install", "pi")
    yes.asks(pi)

    def play() -> None:
        pi.session(shell(yes.COMMAND))

    yes.judge(pi, play)
    yes.told(json.dumps([one.body for one in pi.model.asked]))
