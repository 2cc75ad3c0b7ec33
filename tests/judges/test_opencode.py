"""The real OpenCode reads a workspace when it begins, writes to it as it works, and survives what goes wrong there."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.judges import opencode_rig, yes
from tests.judges.chat_mock import FULL, ObedientModel, calling, system
from tests.judges.opencode_rig import OpenCode
from tests.judges.rig import SKILL, Scene

_FACT = "The key of the lighthouse hangs behind the clock."
_PLUGIN = ".opencode/plugin/agentws.js"


@pytest.fixture(scope="session")
def command(judges_cache: Path) -> Path:
    return opencode_rig.program(judges_cache)


@pytest.fixture
def scene(tmp_path: Path) -> Scene:
    scene = Scene(tmp_path)
    scene.write("MEMORY.md", f"# Memory\n\n- {_FACT}\n")
    return scene


@pytest.fixture
def model() -> ObedientModel:
    return ObedientModel()


@pytest.fixture
def opencode(command: Path, scene: Scene, model: ObedientModel) -> Iterator[OpenCode]:
    with opencode_rig.running(command, scene, model) as opencode:
        yield opencode


def test_the_first_request_begins_with_the_boot(scene: Scene, opencode: OpenCode, model: ObedientModel) -> None:
    scene.agentws("install", "opencode")

    opencode.run("Where is the key?")

    titled, asked = sorted(model.about("Where is the key?"), key=lambda one: one.body["model"], reverse=True)
    assert _FACT in system(asked)
    assert _FACT not in titled.text, "who finds a title has no use for it"
    assert scene.hooks == ["session.started", "chat.message", "session.ended"]


def test_the_model_is_offered_the_skill(scene: Scene, opencode: OpenCode, model: ObedientModel) -> None:
    scene.agentws("install", "opencode")

    opencode.run("Where is the key?")

    assert any(SKILL in json.dumps(one.body) for one in model.about("Where is the key?"))


def test_a_session_that_goes_on_is_booted_again_by_the_new_process(
    scene: Scene, opencode: OpenCode, model: ObedientModel
) -> None:
    scene.agentws("install", "opencode")
    opencode.run("One thing.")

    opencode.run("Another thing.", "--continue")

    (asked,) = model.about("Another thing.")
    assert "One thing." in asked.text
    assert system(asked).count(_FACT) == 1


def test_a_tool_call_is_an_action_and_its_result(scene: Scene, opencode: OpenCode) -> None:
    scene.agentws("install", "opencode")

    opencode.run(calling("bash", command="echo herons", description="look"))

    (action,), (result,) = scene.events("action"), scene.events("result")
    assert "echo herons" in json.dumps(action["body"])
    assert "herons" in json.dumps(result["body"])
    assert action["body"]["call"] == result["body"]["call"]
    assert action["session"].startswith("ses_")
    (handoff,) = scene.handoffs()
    assert "echo herons" in handoff


def test_a_tool_that_fails_leaves_nothing_in_flight(scene: Scene, opencode: OpenCode) -> None:
    scene.agentws("install", "opencode")

    opencode.run(calling("read", filePath="/there/is/none"))

    (action,), (error,) = scene.events("action"), scene.events("error")
    assert action["body"]["call"] == error["body"]["call"]
    assert "/there/is/none" in json.dumps(error["body"])


def test_the_tools_of_a_subagent_belong_to_the_session_that_sent_it(
    scene: Scene, opencode: OpenCode, model: ObedientModel
) -> None:
    scene.agentws("install", "opencode")
    errand = calling("bash", command="echo herons", description="look")

    opencode.run(calling("task", description="look", prompt=errand, subagent_type="general"))

    assert len({event["session"] for event in scene.events("action", "result")}) == 1
    assert [event["body"]["tool"] for event in scene.events("action")] == ["task", "bash"]
    (first, *_) = [asked for asked in model.asked if asked.body["messages"][-1]["content"] == errand]
    assert _FACT not in first.text, "an errand needs no memory"


def test_compaction_is_given_hints_and_the_boot_again(scene: Scene, opencode: OpenCode, model: ObedientModel) -> None:
    scene.agentws("install", "opencode")
    opencode.run("Begin.")

    opencode.run(f"Go on {FULL}", "--continue")

    summarizing, after = model.asked[-2:]
    assert "summar" in system(summarizing)
    assert _FACT not in summarizing.text, "the boot is not to be summarized"
    assert _FACT in system(after)
    assert [hook for hook in scene.hooks if hook.startswith("compact")] == ["compacting", "compacted"]


def test_what_was_in_flight_when_it_was_killed_stands_in_the_next_session(
    scene: Scene, opencode: OpenCode, model: ObedientModel
) -> None:
    scene.agentws("install", "opencode")
    slow = calling("bash", command="sleep 20 && echo herons", description="wait")
    opencode.run_and_kill(slow, once=lambda: len(scene.events("action")) == 1)

    opencode.run("What were you doing?")

    asked = model.about("What were you doing?")[-1]
    assert "sleep 20 && echo herons" in system(asked)
    assert "in flight" in system(asked).lower()


def test_it_works_on_where_agentws_is_gone(scene: Scene, opencode: OpenCode, model: ObedientModel) -> None:
    scene.agentws("install", "opencode")
    plugin = scene.workspace / _PLUGIN
    plugin.write_text(plugin.read_text().replace("/bin/agentws", "/bin/nothing"))

    opencode.run(calling("bash", command="touch herons", description="do"))

    assert (scene.workspace / "herons").exists()
    assert _FACT not in system(model.asked[-1])


def test_installed_for_the_user_it_speaks_in_every_project(
    scene: Scene, opencode: OpenCode, model: ObedientModel
) -> None:
    scene.agentws("install", "opencode", "--user")

    opencode.run("Where is the key?", at=scene.project)

    assert _FACT in system(model.about("Where is the key?")[-1])


def test_installed_twice_it_speaks_once(scene: Scene, opencode: OpenCode) -> None:
    scene.agentws("install", "opencode")
    scene.agentws("install", "opencode", "--user")

    opencode.run("Hello.")

    assert scene.hooks.count("session.started") == 1
    assert scene.hooks.count("chat.message") == 1


def test_uninstalled_it_is_as_before(scene: Scene, opencode: OpenCode) -> None:
    scene.agentws("install", "opencode")

    scene.agentws("uninstall", "opencode")

    assert not (scene.workspace / ".opencode").exists()
    opencode.run("Hello.")
    assert scene.hooks == []


def test_what_is_allowed_runs_without_being_asked_and_nothing_else(
    scene: Scene, opencode: OpenCode, model: ObedientModel, tmp_path: Path
) -> None:
    scene.agentws("install", "opencode", "--allow")
    opencode.permit({"bash": "ask"})
    own, outside = str(scene.script), tmp_path / "outside"

    for command in (f"{own} log herons", f"{own} undo", f"{own} boot > {outside}", f"{own} boot && touch {outside}"):
        opencode.run(calling("bash", command=command, description="Remember"))

    assert len(scene.events("action")) == 4
    assert len(scene.events("result")) == 1
    assert len(scene.events("error")) == 3
    assert not outside.exists()
    assert "herons" in scene.agentws("boot")


def test_a_tool_that_needs_a_yes_runs_once_after_it(scene: Scene, opencode: OpenCode, model: ObedientModel) -> None:
    scene.agentws("install", "opencode")
    yes.asks(scene)

    yes.judge(scene, lambda: opencode.run(calling("bash", command=yes.COMMAND, description="pay")))

    yes.told(json.dumps([one.body for one in model.asked]))
