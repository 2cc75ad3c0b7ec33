"""The extension for Pi, run by Node as Pi would run it: what it reports, and what the agent is told."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from agentws.features.hosts import call
from agentws.features.hosts.pi import calls
from agentws.features.hosts.pi.settings import SETTINGS
from tests.features.hosts import node_rig

pytestmark = node_rig.needs_node

ANSWERS = """case $event in session_start) echo '{"context": "boot"}';; before_agent_start) echo '{"context": "note"}';;
agent_before_settle) echo '{"context": "Hand over"}';; tool_call) echo '{}';; esac"""
DENY = """case $event in tool_call) echo '{"deny": "a person has to agree"}';; esac"""
FAIL = "exit 3"
DRIVER = """
const told = []
const ctx = { cwd: steps.cwd ?? "/project", hasUI: steps.hasUI, sessionManager: { getSessionId: () => "s1" } }
const instances = []
function load() {
  const handlers = {}
  instances.push(handlers)
  ours({ on: (name, handler) => (handlers[name] = handler) })
}
for (let number = 0; number < steps.loaded; number++) load()
const ui = { notify: (message) => told.push(message) }
const results = []
for (const [name, what] of steps.steps) {
  if (name === "reload") { instances.length = 0; load(); continue }
  for (const handlers of instances) results.push((await handlers[name]?.(what, { ...ctx, ui })) ?? null)
}
console.log(JSON.stringify({ results, told }))
"""

Step = list[Any]
START: Step = ["session_start", {"reason": "startup"}]
SPOKEN: Step = ["before_agent_start", {"messageType": "user", "prompt": "hello"}]
BEFORE: Step = ["tool_call", {"toolName": "bash", "toolCallId": "c1", "input": {"command": "ls"}}]
SETTLE: Step = ["agent_before_settle", {"entries": ["theirs"]}]
QUIT: Step = ["session_shutdown", {"reason": "quit"}]


def after(*, is_error: bool) -> Step:
    result = {"content": [{"type": "text", "text": "one"}, {"type": "image"}, {"type": "text", "text": "two"}]}
    return ["tool_execution_end", {"toolName": "bash", "toolCallId": "c1", "result": result, "isError": is_error}]


def played(
    tmp_path: Path, *steps: Step, answer: str = ANSWERS, loaded: int = 1, has_ui: bool = True
) -> tuple[list[Any], list[str], node_rig.Command]:
    """What each step returned, what a person was told, and how the command was called."""
    command = node_rig.Command(tmp_path, answer)
    (text,) = SETTINGS.install({}, command.wiring(tmp_path)).values()
    module = tmp_path / "plugin.mjs"
    module.write_text(str(text))
    done = node_rig.run(module, DRIVER, {"steps": steps, "loaded": loaded, "hasUI": has_ui})
    return done["results"], done["told"], command


def test_the_first_prompt_brings_the_boot_and_the_others_what_is_recalled(tmp_path: Path) -> None:
    results, _, command = played(tmp_path, START, SPOKEN, SPOKEN, QUIT)

    assert [one["message"]["content"] for one in results if one] == ["boot\n\nnote", "note"]
    assert command.events == ["session_start", "before_agent_start", "before_agent_start", "session_shutdown"]
    assert {said["session_id"] for _, said in command.calls} == {"s1"}


def test_a_run_that_no_prompt_began_has_a_boot_and_is_no_prompt(tmp_path: Path) -> None:
    results, _, command = played(tmp_path, START, ["before_agent_start", {"messageType": "custom"}])

    assert results[-1]["message"]["content"] == "boot"
    assert command.events == ["session_start"]


def test_a_session_without_a_prompt_is_none(tmp_path: Path) -> None:
    assert played(tmp_path, START, QUIT)[2].events == []


def test_loaded_twice_it_reports_once(tmp_path: Path) -> None:
    _, _, command = played(tmp_path, START, SPOKEN, QUIT, loaded=2)

    assert command.events == ["session_start", "before_agent_start", "session_shutdown"]


def test_a_reload_neither_ends_the_session_nor_boots_it_again(tmp_path: Path) -> None:
    reload: list[Step] = [["session_shutdown", {"reason": "reload"}], ["reload", None]]

    steps = [START, SPOKEN, *reload, ["session_start", {"reason": "reload"}], SPOKEN, QUIT]
    results, _, command = played(tmp_path, *steps)

    assert [one["message"]["content"] for one in results if one] == ["boot\n\nnote", "note"]
    assert command.events == ["session_start", "before_agent_start", "before_agent_start", "session_shutdown"]


@pytest.mark.parametrize(("is_error", "key"), [(False, "output"), (True, "error")])
def test_a_call_ends_with_its_texts_and_an_unknown_one_is_passed_over(tmp_path: Path, is_error: bool, key: str) -> None:
    ending = after(is_error=is_error)

    _, _, command = played(tmp_path, START, SPOKEN, BEFORE, ending, ending)

    (name, said), (other, end) = command.calls[2:]
    assert (name, other) == ("tool_call", "tool_execution_end")
    assert (said["args"], end[key], end["call_id"]) == ({"command": "ls"}, "one\ntwo", said["call_id"])


def test_a_tool_that_is_denied_is_stopped_with_the_reason_and_nothing_is_told_after_it(tmp_path: Path) -> None:
    results, _, command = played(tmp_path, START, BEFORE, after(is_error=True), answer=DENY)

    assert results[1] == {"block": True, "reason": "a person has to agree"}
    assert command.events == ["tool_call"]


def test_at_the_end_of_a_turn_the_agent_is_asked_and_its_answer_is_marked(tmp_path: Path) -> None:
    messages = [{"role": "assistant", "content": [{"type": "text", "text": "Done."}]}, {"role": "toolResult"}]

    results, _, command = played(tmp_path, START, ["agent_end", {"messages": messages}], SETTLE, SETTLE)

    assert results[2]["continue"] is True
    assert [entry if isinstance(entry, str) else entry["content"] for entry in results[2]["entries"]] == [
        "theirs",
        "Hand over",
    ]
    assert [(said["reply"], said["stop_hook_active"]) for _, said in command.calls] == [
        ("Done.", False),
        ("Done.", True),
    ]


def test_a_turn_that_the_service_of_the_model_ended_says_why(tmp_path: Path) -> None:
    message = {"role": "assistant", "content": [], "stopReason": "error", "errorMessage": "prompt is too long"}

    _, _, command = played(tmp_path, START, ["agent_end", {"messages": [message]}], SETTLE)

    said = calls.read(*command.calls[-1])
    assert (said.what, said.text) == (call.FAILED, "prompt is too long")


def test_where_nobody_sits_before_it_the_turn_is_marked_as_one_that_is_not_asked(tmp_path: Path) -> None:
    _, _, command = played(tmp_path, START, SETTLE, has_ui=False)

    assert command.calls[-1][1]["stop_hook_active"] is True


def test_a_command_that_fails_again_and_again_is_left_alone_and_a_person_is_told(tmp_path: Path) -> None:
    results, told, command = played(tmp_path, START, *[BEFORE] * 5, answer=FAIL)

    assert results == [None] * 6
    assert command.events == ["tool_call"] * 3
    assert len(told) == 3
