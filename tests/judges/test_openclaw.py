"""The real OpenClaw takes the plugin, its agent begins with the boot, and its sessions end with a handoff."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from agentws import __version__
from tests.judges import openclaw_rig, yes
from tests.judges.chat_mock import ObedientModel, calling, system
from tests.judges.openclaw_rig import OpenClaw
from tests.judges.rig import Scene

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools"))
import build_plugin

_FACT = "The key of the lighthouse hangs behind the clock."
_GROUP = "agent:main:telegram:group:-100200"
_TURN = ("before_prompt_build", "agent_end")
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


def test_it_loads_the_plugin_once_it_is_enabled(scene: Scene, openclaw: OpenClaw) -> None:
    scene.agentws("install", "openclaw")

    before = _plugin(openclaw)
    openclaw.tell("plugins", "enable", "agentws")
    openclaw.tell("config", "set", "plugins.entries.agentws.hooks.allowConversationAccess", "true")
    after = _plugin(openclaw)

    assert (before["enabled"], after["enabled"]) == (False, True)
    told = json.loads(openclaw.settings.read_text(encoding="utf-8"))
    assert told["plugins"]["entries"]["agentws"] == {"enabled": True, "hooks": {"allowConversationAccess": True}}


def test_the_agent_begins_with_the_boot_which_is_made_once(
    scene: Scene, openclaw: OpenClaw, model: ObedientModel
) -> None:
    scene.agentws("install", "openclaw")
    openclaw.enable()

    with openclaw.gateway():
        openclaw.say("Where is the key?")
        openclaw.say("And the clock?")

    first, second = model.about("Where is the key?")[-1], model.about("And the clock?")[-1]
    assert _FACT in system(first)
    assert system(first) == system(second), "what does not change is cheap"
    assert scene.hooks.count("agent:bootstrap") == 1


def test_a_new_session_is_booted_anew(scene: Scene, openclaw: OpenClaw) -> None:
    scene.agentws("install", "openclaw")
    openclaw.enable()

    with openclaw.gateway():
        openclaw.say("One thing.")
        openclaw.say("/new")
        openclaw.say("Another thing.")

    assert [hook for hook in scene.hooks if hook not in _TURN] == [
        "agent:bootstrap",
        "session_end",
        "agent:bootstrap",
        "gateway:shutdown",
    ]


def test_what_is_said_and_done_is_recorded(scene: Scene, openclaw: OpenClaw) -> None:
    scene.agentws("install", "openclaw")
    openclaw.enable()

    with openclaw.gateway():
        openclaw.say(calling("exec", command=f"{scene.script} event decision herons-first"))
        openclaw.say(calling("read", path="/nowhere/heron"))

    (started,), (decision,) = scene.events("session.started"), scene.events("decision")
    notes = scene.events("note")
    assert [one["src"] for one in notes] == ["user", "agent:openclaw"] * 2
    assert [one["body"]["tool"] for one in scene.events("action")] == ["exec", "read"]
    (result,), (error,) = scene.events("result"), scene.events("error")
    assert (result["src"], error["src"]) == ("tool:exec", "tool:read")
    assert "/nowhere/heron" in error["body"]["text"]
    assert {one["session"] for one in (*notes, result, error, decision)} == {started["session"]}
    assert scene.handoffs()
    assert "in flight" not in scene.agentws("boot").lower()


def test_after_a_compaction_the_boot_is_made_again(scene: Scene, openclaw: OpenClaw) -> None:
    scene.agentws("install", "openclaw")
    openclaw.enable()

    with openclaw.gateway():
        openclaw.say("One thing.")
        openclaw.tell("sessions", "compact", "agent:main:main")
        openclaw.say("Another thing.")

    assert [hook for hook in scene.hooks if hook not in _TURN] == [
        "agent:bootstrap",
        "before_compaction",
        "after_compaction",
        "agent:bootstrap",
        "gateway:shutdown",
    ]


def test_its_sessions_are_told_apart_and_ended_when_the_gateway_stops(scene: Scene, openclaw: OpenClaw) -> None:
    scene.agentws("install", "openclaw")
    openclaw.enable()

    with openclaw.gateway():
        openclaw.say("Hello.")

    (started,), (ended,) = scene.events("session.started"), scene.events("session.ended")
    assert started["session"] == ended["session"]
    assert "openclaw" in started["body"]["text"]


def test_a_group_hears_what_it_said_itself_and_nothing_of_what_its_owner_said(
    scene: Scene, openclaw: OpenClaw, model: ObedientModel
) -> None:
    scene.agentws("install", "openclaw")
    openclaw.enable()
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
    assert "hidden from this audience" in stranger
    assert "The group meets on Sunday" in later
    assert [one["body"].get("audience") for one in scene.events("session.started")[:2]] == [None, "shared"]
    assert "bank" in system(model.about("And for me?")[-1]), "the owner is told all of it"
    assert "The group meets on Sunday" in system(model.about("And for me?")[-1])


def test_it_works_on_where_agentws_is_gone(scene: Scene, openclaw: OpenClaw, model: ObedientModel) -> None:
    scene.agentws("install", "openclaw")
    openclaw.enable()
    module = scene.workspace / ".openclaw/extensions/agentws/index.js"
    module.write_text(module.read_text().replace("/bin/agentws", "/bin/nothing"))

    with openclaw.gateway():
        openclaw.say("Hello.")

    assert _FACT not in system(model.asked[-1])


def test_it_installs_the_package_by_which_the_agent_begins_with_its_boot(
    scene: Scene, openclaw: OpenClaw, model: ObedientModel, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", f"{scene.script.parent}:{os.environ['PATH']}")
    build_plugin.build_openclaw(tmp_path / "package")

    openclaw.tell("plugins", "install", "--force", "--accept-capabilities", str(tmp_path / "package"))
    openclaw.enable()
    plugin = _plugin(openclaw)
    with openclaw.gateway():
        openclaw.say("Hello.")

    assert (plugin["enabled"], plugin["version"]) == (True, __version__)
    assert _FACT in system(model.asked[-1])
    assert sum("Hello." in json.dumps(one) for one in scene.events("note") if one["src"] == "user") == 1


def test_uninstalled_nothing_is_left_and_nothing_is_heard(scene: Scene, openclaw: OpenClaw) -> None:
    before = sorted(scene.workspace.rglob("*"))
    scene.agentws("install", "openclaw")
    scene.agentws("uninstall", "openclaw")

    assert [path for path in sorted(scene.workspace.rglob("*")) if ".agentws" not in path.parts] == [
        path for path in before if ".agentws" not in path.parts
    ]
    with openclaw.gateway():
        openclaw.say("Hello.")

    assert scene.hooks == []


def _plugin(openclaw: OpenClaw) -> dict[str, Any]:
    listed = json.loads(openclaw.tell("plugins", "list", "--json"))
    (found,) = [plugin for plugin in listed["plugins"] if plugin["id"] == "agentws"]
    return found


def test_a_tool_that_needs_a_yes_runs_once_after_it(scene: Scene, openclaw: OpenClaw, model: ObedientModel) -> None:
    scene.agentws("install", "openclaw")
    openclaw.enable()
    yes.asks(scene)

    with openclaw.gateway():
        yes.judge(scene, lambda: openclaw.say(calling("exec", command=yes.COMMAND)))

    yes.told(json.dumps([one.body for one in model.asked]))


def test_a_tool_of_a_job_needs_its_yes_too(scene: Scene, openclaw: OpenClaw) -> None:
    scene.agentws("install", "openclaw")
    openclaw.enable()
    yes.asks(scene)

    with openclaw.gateway():
        openclaw.say(calling("exec", command=yes.COMMAND), key="agent:main:cron:daily")

    assert not (scene.workspace / "paid").exists()
    assert "money leaves" in scene.agentws("ask", "list", "--pending")
    assert not scene.events("action")


def test_a_session_without_hooks_is_imported_whole(scene: Scene, openclaw: OpenClaw) -> None:
    with openclaw.gateway():
        openclaw.say("Count the herons")
    scene.pass_hours(2)

    imported = json.loads(scene.agentws("import", "--from", "openclaw", "--json"))

    assert (imported["sessions"], imported["rest"]) == (1, [])
    entry = (scene.workspace / imported["paths"][0]).read_text(encoding="utf-8")
    assert "Count the herons" in entry
    assert "Done: " in entry
