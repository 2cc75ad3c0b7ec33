"""The real Droid, offline against an obedient model: what its agent is told, and what is recorded of a session."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.judges import rig, yes
from tests.judges.chat_mock import ObedientModel, calling
from tests.judges.loopback import serving

_ALL = ("--auto", "high")
_SETTINGS = ".factory/settings.json"


@pytest.fixture(scope="session")
def command(judges_cache: Path) -> Path:
    return rig.droid(judges_cache)


class Droid(rig.Scene):
    """A scene with Droid in it, and the model that it talks to."""

    def __init__(self, root: Path, command: Path, address: str, model: ObedientModel) -> None:
        super().__init__(root)
        self._command = str(command)
        self.model = model
        self.settings = self.home / _SETTINGS
        self.settings.parent.mkdir()
        own = {
            "id": "custom:big",
            "model": "big",
            "displayName": "big",
            "baseUrl": f"{address}/v1",
            "apiKey": "none",
            "provider": "generic-chat-completion-api",
        }
        settings = {
            "customModels": [own],
            "cloudSessionSync": False,
            # of its window
            "trustedFolders": {str(self.workspace): {"trustedAt": "2026-11-20T07:15:00.000Z"}},
            "sessionDefaultSettings": {"model": own["id"], "autonomyMode": "auto-high"},
        }
        self.settings.write_text(json.dumps(settings, indent=2), encoding="utf-8")
        self.variables = {"FACTORY_API_KEY": "fk-none", "FACTORY_API_BASE_URL": address}

    def session(self, prompt: str, *words: str, at: Path | None = None) -> None:
        """A session of one prompt: it must end well, and no hook may fail."""
        rig.run((*self._called(prompt), *words), at or self.workspace, self.environment())
        assert not self.events("hook.failed")

    def killed_in_a_call(self, prompt: str) -> None:
        """A session that is killed while its tool runs."""
        self.kill_in_a_call(*self._called(prompt), *_ALL)

    def _called(self, prompt: str) -> tuple[str, ...]:
        return (self._command, "exec", "--model", "custom:big", prompt)

    def booted(self, number: int) -> str:
        """What stands before the prompt in a request, behind the system's own text."""
        messages = self.model.asked[number].body["messages"]
        return json.dumps([one["content"] for one in messages if one["role"] == "user"])


@pytest.fixture
def droid(tmp_path: Path, command: Path) -> Iterator[Droid]:
    model = ObedientModel()
    with serving(model) as address:
        yield Droid(tmp_path, command, address, model)


def shell(words: str, risk: str = "low") -> str:
    """A prompt that has the command run, which the model calls as risky as this."""
    return calling("Execute", command=words, summary="Run the command", riskLevel=risk, riskLevelReason="A test")


def test_a_boot_is_whole_in_the_first_request(droid: Droid) -> None:
    droid.know_much()
    droid.agentws("install", "droid")
    booted = rig.MARK.findall(droid.agentws("boot"))

    droid.session("Count the herons")

    assert len(booted) > 200
    assert rig.MARK.findall(droid.booted(0))[:200] == booted[:200]


def test_a_session_is_recorded_with_what_was_said_and_done(droid: Droid) -> None:
    droid.agentws("install", "droid")

    droid.session(shell(f"{droid.script} event decision herons-first"), *_ALL)

    assert droid.hooks == ["SessionStart", "PreToolUse", "PostToolUse", "Stop", "SessionEnd"]
    (started,), (ended,), (decision,) = (
        droid.events(kind) for kind in ("session.started", "session.ended", "decision")
    )
    (note,), (action,), (result,) = droid.events("note"), droid.events("action"), droid.events("result")
    assert (note["src"], note["body"]["text"]) == ("agent:droid", "Done.")
    assert result["body"]["call"] == action["body"]["call"]
    assert "Process exited" not in result["body"]["output"]
    assert {one["session"] for one in (ended, decision, note, action, result)} == {started["session"]}
    assert droid.handoffs()


def test_a_call_that_fails_is_an_error_also_behind_the_same_call_that_did_not(droid: Droid) -> None:
    droid.agentws("install", "droid")
    again = shell("mkdir herons")
    droid.model.turns = [again, again, calling("Read", file_path="/nowhere/heron")]

    droid.session("Count the herons", *_ALL)

    assert len(droid.events("action")) == 3
    assert len(droid.events("result")) == 1
    made, read = droid.events("error")
    assert "File exists" in made["body"]["text"]
    assert "/nowhere/heron" in read["body"]["text"]


def test_a_call_that_is_refused_is_an_error_and_not_in_flight(droid: Droid) -> None:
    droid.agentws("install", "droid")

    with pytest.raises(AssertionError, match="insufficient permission"):
        droid.session(shell("touch herons", "high"))

    assert not (droid.workspace / "herons").exists()
    (action,), (error,) = droid.events("action"), droid.events("error")
    assert action["body"]["call"] == error["body"]["call"]
    assert "insufficient permission" in error["body"]["text"]
    assert "in flight" not in droid.agentws("boot").lower()


def test_the_shell_of_the_host_runs_hooks_by_the_launcher_also_from_a_folder_of_the_project(droid: Droid) -> None:
    droid.install_with_launcher("droid", _SETTINGS)
    rig.run(("git", "init", "--quiet"), droid.workspace, droid.environment())
    below = droid.workspace / "below"
    below.mkdir()

    droid.session(shell("echo herons"), *_ALL, at=below)

    assert len(droid.events("action")) == len(droid.events("result")) == 1
    assert droid.events("session.started")


def test_a_session_that_is_resumed_is_told_its_boot_and_goes_on_under_its_id(droid: Droid) -> None:
    droid.agentws("install", "droid")
    droid.session("Count the herons")
    (first,) = droid.events("session.started")
    droid.write("SOUL.md", "# Soul\n\nheron-mark-1: patient.\n")

    droid.session("Go on", "--session-id", first["session"])

    assert "heron-mark-1" in droid.booted(-1)
    assert droid.booted(-1).count(rig.BOOTED) == 1  # the program has dropped the earlier one
    assert {one["session"] for one in droid.events("session.started")} == {first["session"]}
    assert len(droid.events("session.started")) == 2


def test_after_a_kill_in_a_call_the_next_session_is_told_that_it_was_in_flight(droid: Droid) -> None:
    droid.agentws("install", "droid")
    droid.killed_in_a_call(shell(rig.BUSY))
    assert droid.hooks[-1] == "PreToolUse"

    droid.session("What happened?")

    said = droid.booted(-1)
    assert "in flight" in said.lower()
    assert "while test -e going-on" in said


def test_hooks_of_the_user_serve_a_session_in_another_folder(droid: Droid) -> None:
    droid.write("SOUL.md", "# Soul\n\nheron-mark-1: patient.\n")
    droid.write("AGENTS.md", "# Rules\n\nheron-mark-2: no host reads this from another folder.\n")
    droid.agentws("install", "droid", "--user")

    droid.session(shell("echo herons"), *_ALL, at=droid.project)

    assert sorted(rig.MARK.findall(droid.booted(0))) == ["heron-mark-1", "heron-mark-2"]
    assert len(droid.events("action")) == len(droid.events("result")) == 1


def test_it_loads_what_boot_leaves_to_it_and_nothing_twice(droid: Droid) -> None:
    droid.write("AGENTS.md", "# Rules\n\nheron-mark-1\n\n@more.txt\n")
    droid.write("CLAUDE.md", "# Here\n\nheron-mark-2\n")
    droid.write("more.txt", "heron-mark-3\n")
    droid.agentws("install", "droid")

    droid.session("Count the herons")

    assert rig.SKILL in droid.model.asked[0].text
    assert sorted(rig.MARK.findall(droid.model.asked[0].text)) == ["heron-mark-1", "heron-mark-2"]


def test_uninstalled_nothing_is_left_and_no_hook_runs(droid: Droid) -> None:
    before = droid.settings.read_bytes()
    droid.agentws("install", "droid", "--user")
    assert droid.settings.read_bytes() != before

    droid.agentws("uninstall", "droid", "--user")
    after = droid.settings.read_bytes()
    droid.session("Count the herons", at=droid.project)

    assert after == before
    assert not droid.hooks


@pytest.mark.parametrize(
    ("path", "said", "runs"),
    [
        (".factory/hooks.json", {"SessionStart": []}, ["Stop", "SessionEnd"]),
        (".factory/hooks.json", {"hooksDisabled": True}, []),
    ],
    ids=["replaced", "switched off"],
)
def test_doctor_finds_the_hooks_that_do_not_run(droid: Droid, path: str, said: Any, runs: list[str]) -> None:
    droid.agentws("install", "droid")
    droid.write(path, json.dumps(said))

    droid.session("Count the herons")

    found = droid.doctor()
    assert droid.hooks == runs
    assert "the hooks of Droid:" in found
    assert path in found


def test_a_tool_that_needs_a_yes_runs_once_after_it(droid: Droid) -> None:
    droid.agentws("install", "droid")
    yes.asks(droid)

    def play() -> None:
        droid.session(shell(yes.COMMAND), *_ALL)

    yes.judge(droid, play)
    yes.told(json.dumps([one.body for one in droid.model.asked]))


def test_a_yes_is_a_permission(droid: Droid) -> None:
    droid.agentws("install", "droid")

    yes.judge_permission(droid, lambda: droid.session(shell(yes.COMMAND, "high")))


def test_a_permission_for_one_command_lets_it_write_any_file_so_install_writes_none(droid: Droid) -> None:
    own, outside = f"{droid.script} -C {droid.workspace} search", droid.home / "outside"
    settings = droid.workspace / _SETTINGS
    settings.parent.mkdir()
    settings.write_text(json.dumps({"commandAllowlist": [own]}), encoding="utf-8")

    droid.session(shell(f"{own} herons > {outside}", "high"))

    assert outside.exists()
