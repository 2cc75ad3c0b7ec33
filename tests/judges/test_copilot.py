"""The real GitHub Copilot CLI, offline against an obedient model: what its agent is told, and what is recorded."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.judges import rig, yes
from tests.judges.chat_mock import ObedientModel, calling
from tests.judges.loopback import serving

_ALL = ("--allow-all",)
_HOOKS = ".github/hooks/agentws.json"


@pytest.fixture(scope="session")
def command(judges_cache: Path) -> Path:
    return rig.copilot(judges_cache)


class Copilot(rig.Scene):
    """A scene with Copilot CLI in it, which trusts its folders, and the model that it talks to."""

    def __init__(self, root: Path, command: Path, address: str, model: ObedientModel) -> None:
        super().__init__(root)
        self._command = str(command)
        self.model = model
        settings = self.home / ".copilot"
        settings.mkdir()
        trusted = {"trustedFolders": [str(self.workspace), str(self.project)]}
        (settings / "config.json").write_text(json.dumps(trusted), encoding="utf-8")
        self.variables = {
            "COPILOT_OFFLINE": "true",
            "COPILOT_AUTO_UPDATE": "false",
            "COPILOT_PROVIDER_BASE_URL": f"{address}/v1",
            "COPILOT_PROVIDER_API_KEY": "none",
            "COPILOT_MODEL": "big",
        }

    def session(self, prompt: str, *words: str, at: Path | None = None) -> None:
        """A session of one prompt: it must end well, and no hook may fail."""
        rig.run((*self._called(prompt), *words), at or self.workspace, self.environment())
        assert not self.events("hook.failed")

    def killed_in_a_call(self, prompt: str) -> None:
        """A session that is killed while its tool runs."""
        self.kill_in_a_call(*self._called(prompt), *_ALL)

    def _called(self, prompt: str) -> tuple[str, ...]:
        return (self._command, "--no-color", "--prompt", prompt)


@pytest.fixture
def copilot(tmp_path: Path, command: Path) -> Iterator[Copilot]:
    model = ObedientModel()
    with serving(model) as address:
        yield Copilot(tmp_path, command, address, model)


def shell(words: str) -> str:
    """A prompt that has the command run."""
    return calling("bash", command=words, description="Run it")


def test_a_boot_is_whole_in_the_first_request(copilot: Copilot) -> None:
    copilot.know_much()
    copilot.agentws("install", "copilot")
    booted = rig.MARK.findall(copilot.agentws("boot"))

    copilot.session("Count the herons")

    assert len(booted) > 200
    assert rig.MARK.findall(copilot.model.asked[0].text)[:200] == booted[:200]


def test_a_session_is_recorded_with_what_was_said_and_done(copilot: Copilot) -> None:
    copilot.agentws("install", "copilot")

    copilot.session(shell(f"{copilot.script} event decision herons-first"), *_ALL)

    order = ["SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "Stop", "SessionEnd"]
    assert copilot.hooks == order
    (started,), (ended,), (decision,) = (
        copilot.events(kind) for kind in ("session.started", "session.ended", "decision")
    )
    (note,), (action,), (result,) = copilot.events("note"), copilot.events("action"), copilot.events("result")
    assert note["src"] == "user"
    assert result["body"]["call"] == action["body"]["call"]
    assert {one["session"] for one in (ended, decision, note, action, result)} == {started["session"]}
    assert copilot.handoffs()


def test_a_call_that_fails_is_an_error(copilot: Copilot) -> None:
    copilot.agentws("install", "copilot")

    copilot.session(calling("view", path=str(copilot.workspace / "heron")), *_ALL)

    (action,), (error,) = copilot.events("action"), copilot.events("error")
    assert action["body"]["call"] == error["body"]["call"]


def test_a_call_that_is_refused_is_not_in_flight(copilot: Copilot) -> None:
    copilot.agentws("install", "copilot")

    copilot.session(shell("touch herons"))

    assert not (copilot.workspace / "herons").exists()
    assert len(copilot.events("action")) == 1
    assert "in flight" not in copilot.agentws("boot").lower()


def test_beside_hooks_of_claude_code_nothing_is_recorded_twice(copilot: Copilot) -> None:
    copilot.agentws("install", "copilot")
    copilot.agentws("install", "claude-code")

    copilot.session(shell("echo herons"), *_ALL)

    assert copilot.hooks.count("SessionStart") == 1, "that of a part of a boot is another"
    for kind in ("session.started", "note", "action", "result", "session.ended"):
        assert len(copilot.events(kind)) == 1, kind


def test_a_session_that_is_resumed_is_told_its_boot_and_goes_on_under_its_id(copilot: Copilot) -> None:
    copilot.agentws("install", "copilot")
    copilot.session("Count the herons")
    copilot.write("SOUL.md", "# Soul\n\nheron-mark-1: patient.\n")

    copilot.session("Go on", "--continue")

    assert "heron-mark-1" in copilot.model.asked[-1].text
    assert copilot.model.asked[-1].text.count(rig.BOOTED) == 1  # the program has dropped the earlier one
    first, second = copilot.events("session.started")
    assert first["session"] == second["session"]


def test_after_a_kill_in_a_call_the_next_session_is_told_that_it_was_in_flight(copilot: Copilot) -> None:
    copilot.agentws("install", "copilot")
    copilot.killed_in_a_call(shell(rig.BUSY))
    assert copilot.hooks[-1] == "PreToolUse"

    copilot.session("What happened?")

    said = copilot.model.about("What happened?")[-1].text
    assert "in flight" in said.lower()
    assert "while test -e going-on" in said


def test_hooks_of_the_user_serve_a_session_in_another_folder(copilot: Copilot) -> None:
    copilot.write("SOUL.md", "# Soul\n\nheron-mark-1: patient.\n")
    copilot.agentws("install", "copilot", "--user")

    copilot.session(shell("echo herons"), *_ALL, at=copilot.project)

    assert "heron-mark-1" in copilot.model.asked[0].text
    assert len(copilot.events("action")) == len(copilot.events("result")) == 1


def test_uninstalled_nothing_is_left_and_no_hook_runs(copilot: Copilot) -> None:
    copilot.agentws("install", "copilot")
    assert (copilot.workspace / _HOOKS).exists()

    copilot.agentws("uninstall", "copilot")
    left = (copilot.workspace / ".github").exists()
    copilot.session("Count the herons")

    assert not left
    assert not copilot.hooks


def test_a_permission_for_the_program_lets_through_each_of_its_commands_so_install_writes_none(
    copilot: Copilot,
) -> None:
    outside = copilot.home / "outside"
    copilot.variables["PATH"] = f"{copilot.script.parent}:{os.environ['PATH']}"
    may_not = (f'agentws log "$(touch {outside})"', f"agentws log x && touch {outside}", f"agentws boot > {outside}")

    for command in ("agentws log herons", "agentws undo", *may_not):
        copilot.session(shell(command), "--allow-tool", "shell(agentws:*)")

    assert not outside.exists()
    assert any("Undid: " in asked.text for asked in copilot.model.asked)


def test_a_tool_that_needs_a_yes_runs_once_after_it(copilot: Copilot) -> None:
    copilot.agentws("install", "copilot")
    yes.asks(copilot)

    def play() -> None:
        copilot.session(shell(yes.COMMAND), *_ALL)

    yes.judge(copilot, play)
    yes.told(json.dumps([one.body for one in copilot.model.asked]))


def test_a_yes_is_a_permission_and_a_confirmation_is_asked_of_its_user(copilot: Copilot) -> None:
    copilot.agentws("install", "copilot")

    yes.judge_permission(copilot, lambda: copilot.session(shell(yes.COMMAND)))
    yes.judge_confirm(copilot, lambda: copilot.session(shell(yes.COMMAND), *_ALL))


def test_a_run_whose_agent_has_no_shell_writes_by_mcp(copilot: Copilot) -> None:
    copilot.agentws("install", "mcp-json", "--allow")

    copilot.session(calling("agentws-log", text="Counted the herons"), "--allow-tool", "agentws")

    (started,) = copilot.events("session.started")
    assert started["src"].startswith("agent:mcp:")
    assert "Counted the herons" in copilot.agentws("boot")
