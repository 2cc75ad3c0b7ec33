"""What the real programs said to their hooks (payloads/captured/, scrubbed of where they ran) is understood."""

from __future__ import annotations

import json
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from agentws.features.hosts import call
from agentws.features.hosts.call import Call

CAPTURED = Path(__file__).parent / "payloads" / "captured"
SAID = sorted(path.relative_to(CAPTURED).with_suffix("").as_posix() for path in CAPTURED.glob("*/*.json"))


def calls(host: str) -> Any:
    return import_module(f"agentws.features.hosts.{host}.calls")


def read(name: str) -> Call:
    """What is understood of a payload, which is called `<host>/<Event>`, or `<host>/<Event>.<how it came>`."""
    host, _, event = name.partition("/")
    fields = json.loads((CAPTURED / f"{name}.json").read_text(encoding="utf-8"))
    found: Call = calls(host).read(event.partition(".")[0], fields)
    return found


@pytest.mark.parametrize("name", [name for name in SAID if "PreCompress" not in name])
def test_every_event_is_known_and_names_its_session(name: str) -> None:
    said = read(name)

    assert said.what != call.NOTHING
    assert len(said.session) == len("37e16adc-dec2-41e5-83b6-aed65c242dc9")


def test_agents_within_the_agent_are_told_apart_and_what_they_answer_is_no_answer_of_its_own() -> None:
    action, stopped = read("claude_code/PreToolUse.within"), read("claude_code/SubagentStop.within")

    assert action.agent == stopped.agent != ""
    assert action.agent_type == stopped.agent_type == "general-purpose"
    assert (stopped.what, stopped.text) == (call.STOPPED, "There are some.")
    assert read("claude_code/PreToolUse").agent == ""


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("claude_code/UserPromptSubmit.agent", 'Agent "Count" finished\nThere are some.'),
        ("claude_code/UserPromptSubmit.command", 'Background command "Count" completed (exit code 0)'),
    ],
)
def test_what_a_task_in_the_background_has_done_is_nothing_that_the_user_said(name: str, text: str) -> None:
    said = read(name)

    assert (said.what, said.text, said.is_typed) == (call.PROMPT, text, False)


@pytest.mark.parametrize("name", ["claude_code/UserPromptSubmit", "codex/UserPromptSubmit", "gemini/BeforeAgent"])
def test_what_the_user_said_is_heard_without_what_hooks_had_put_before_it(name: str) -> None:
    said = read(name)

    assert (said.what, said.text) == (call.PROMPT, "Count the herons")


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("claude_code/PreToolUse", "claude_code/PostToolUse"),
        ("codex/PreToolUse", "codex/PostToolUse"),
        ("gemini/BeforeTool", "gemini/AfterTool"),
    ],
)
def test_a_result_is_of_its_call(before: str, after: str) -> None:
    action, result = read(before), read(after)

    assert (action.what, result.what) == (call.ACTION, call.RESULT)
    assert action.call == result.call != ""
    assert action.input == result.input
    assert "herons" in json.dumps(result.output)


def test_a_call_that_failed_is_an_error() -> None:
    said = read("claude_code/PostToolUseFailure")

    assert (said.what, said.text) == (call.ERROR, "Exit code 3\nherons")


def test_a_look_at_the_length_of_a_session_is_no_compaction() -> None:
    assert read("gemini/PreCompress.auto").what == call.NOTHING


@pytest.mark.parametrize("name", [name for name in SAID if "SessionStart" in name])
def test_why_a_session_begins_is_heard(name: str) -> None:
    assert read(name).source == (name.partition(".")[2] or "startup")
