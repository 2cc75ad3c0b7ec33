"""The real OpenClaw takes the hook, its agent begins with the boot, and its sessions end with a handoff."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.judges import openclaw_rig
from tests.judges.chat_mock import ObedientModel, system
from tests.judges.openclaw_rig import OpenClaw
from tests.judges.rig import Scene

_FACT = "The key of the lighthouse hangs behind the clock."
_GROUP = "agent:main:telegram:group:-100200"
_LOG = "memory/2026-01-05.md"
"""A day of long ago: no file that OpenClaw loads itself."""


@pytest.fixture(scope="session")
def command(judges_cache: Path) -> list[str]:
    return openclaw_rig.program(judges_cache)


@pytest.fixture
def scene(tmp_path: Path) -> Scene:
    scene = Scene(tmp_path)
    scene.write(_LOG, f"# 2026-01-05\n\n- [decision] {_FACT}\n")
    return scene


@pytest.fixture
def model() -> ObedientModel:
    return ObedientModel()


@pytest.fixture
def openclaw(command: list[str], scene: Scene, model: ObedientModel, tmp_path: Path) -> Iterator[OpenClaw]:
    with openclaw_rig.installed(command, scene, model, log=tmp_path / "gateway.log") as openclaw:
        yield openclaw


def test_it_knows_the_hook_and_loads_it_once_it_is_enabled(scene: Scene, openclaw: OpenClaw) -> None:
    scene.agentws("install", "openclaw")

    before = _hook(openclaw)
    openclaw.tell("hooks", "enable", "agentws")
    after = _hook(openclaw)

    assert (before["enabledByConfig"], after["enabledByConfig"]) == (False, True)
    assert after["loadable"]
    assert after["unknownEvents"] == []


def test_the_agent_begins_with_the_boot_which_is_made_once(
    scene: Scene, openclaw: OpenClaw, model: ObedientModel
) -> None:
    scene.agentws("install", "openclaw")
    openclaw.tell("hooks", "enable", "agentws")

    with openclaw.gateway():
        openclaw.say("Where is the key?")
        openclaw.say("And the clock?")

    first, second = model.about("Where is the key?")[-1], model.about("And the clock?")[-1]
    assert _FACT in system(first)
    assert system(first) == system(second), "what does not change is cheap"
    assert scene.hooks.count("agent:bootstrap") == 1


def test_a_new_session_is_booted_anew(scene: Scene, openclaw: OpenClaw) -> None:
    scene.agentws("install", "openclaw")
    openclaw.tell("hooks", "enable", "agentws")

    with openclaw.gateway():
        openclaw.say("One thing.")
        openclaw.say("/new")
        openclaw.say("Another thing.")

    assert scene.hooks == ["agent:bootstrap", "command:new", "agent:bootstrap", "gateway:shutdown"]


def test_after_a_compaction_the_boot_is_made_again(scene: Scene, openclaw: OpenClaw) -> None:
    scene.agentws("install", "openclaw")
    openclaw.tell("hooks", "enable", "agentws")

    with openclaw.gateway():
        openclaw.say("One thing.")
        openclaw.tell("sessions", "compact", "agent:main:main")
        openclaw.say("Another thing.")

    assert scene.hooks == [
        "agent:bootstrap",
        "session:compact:before",
        "session:compact:after",
        "agent:bootstrap",
        "gateway:shutdown",
    ]


def test_its_sessions_are_told_apart_and_ended_when_the_gateway_stops(scene: Scene, openclaw: OpenClaw) -> None:
    scene.agentws("install", "openclaw")
    openclaw.tell("hooks", "enable", "agentws")

    with openclaw.gateway():
        openclaw.say("Hello.")

    (started,), (ended,) = scene.events("session.started"), scene.events("session.ended")
    assert started["session"] == ended["session"]
    assert "openclaw" in started["body"]["text"]


def test_a_group_hears_what_it_said_itself_and_nothing_of_what_its_owner_said(
    scene: Scene, openclaw: OpenClaw, model: ObedientModel
) -> None:
    scene.agentws("install", "openclaw")
    openclaw.tell("hooks", "enable", "agentws")
    scene.write("memory/2026-01-06.md", "# 2026-01-06\n\n- the owner's letter to the bank\n")

    with openclaw.gateway():
        openclaw.say("Here is the owner.")
        (owner,) = scene.events("session.started")
        scene.variables["AGENTWS_SESSION"] = owner["session"]
        scene.agentws("handoff", "--doing", "the owner's letter", "--next", "post it to the bank")
        scene.agentws("event", "decision", "The owner moves to another bank")
        openclaw.say("Who are you?", key=_GROUP)
        (group,) = [one for one in scene.events("session.started") if one["session"] != owner["session"]]
        scene.variables["AGENTWS_SESSION"] = group["session"]
        scene.agentws("log", "The group meets on Sunday")
        told = [scene.agentws(*words) for words in (["handoff", "list"], ["journal", "list"], ["session", "list"])]
        openclaw.say("/new", key=_GROUP)
        openclaw.say("What is on?", key=_GROUP)
        openclaw.say("/new")
        openclaw.say("And for me?")
    scene.variables.clear()

    stranger, later = (system(model.about(words)[-1]) for words in ("Who are you?", "What is on?"))
    for text in (stranger, later, *told):
        assert "owner's letter" not in text
        assert "bank" not in text
        assert _FACT not in text
    assert "shared session" in stranger
    assert "not for this audience" in stranger
    assert "The group meets on Sunday" in later
    assert [one["body"].get("audience") for one in scene.events("session.started")[:2]] == [None, "shared"]
    assert "bank" in system(model.about("And for me?")[-1]), "the owner is told all of it"
    assert "The group meets on Sunday" in system(model.about("And for me?")[-1])


def test_it_works_on_where_agentws_is_gone(scene: Scene, openclaw: OpenClaw, model: ObedientModel) -> None:
    scene.agentws("install", "openclaw")
    openclaw.tell("hooks", "enable", "agentws")
    handler = scene.workspace / "hooks/agentws/handler.ts"
    handler.write_text(handler.read_text().replace("/bin/agentws", "/bin/nothing"))

    with openclaw.gateway():
        openclaw.say("Hello.")

    assert _FACT not in system(model.asked[-1])


def _hook(openclaw: OpenClaw) -> dict[str, object]:
    (found,) = [
        hook for hook in json.loads(openclaw.tell("hooks", "list", "--json"))["hooks"] if hook["name"] == "agentws"
    ]
    return found
