"""What hosts say to their hooks is understood, and what they are told is what each of them takes."""

from __future__ import annotations

import ast
import inspect
import json
from importlib import import_module
from typing import Any

import pytest

from agentws.features.hosts import call
from agentws.features.hosts.call import Call
from tests.features.hosts import payloads

EVERYWHERE = {call.STARTED, call.PROMPT, call.COMPACTING, call.ENDED}
WRITTEN = {"type": "create", "filePath": "/home/sam/notes.txt", "content": "one\n"}
ODD: list[Any] = [None, 5, "", "text", [], [1], {}, {"a": 1}, True, 1.5]
CODEX = {
    "SessionStart": {"hookEventName", "additionalContext"},
    "UserPromptSubmit": {"hookEventName", "additionalContext"},
}
"""Which keys its closed schemas know in `hookSpecificOutput` of an event; the other events have none."""


def calls(host: str) -> Any:
    return import_module(f"agentws.features.hosts.{host.replace('-', '_')}.calls")


def said(host: str, event: str) -> Call:
    found: Call = calls(host).read(event, payloads.of(host)[event])
    return found


@pytest.mark.parametrize("host", payloads.HOSTS)
def test_a_host_has_no_field_that_nobody_reads(host: str) -> None:
    """A misspelt field would silently have its default."""
    (protocol,) = (
        node for node in ast.walk(ast.parse(inspect.getsource(call)))
        if isinstance(node, ast.ClassDef) and node.name == "Host"
    )  # fmt: skip
    fields = {ast.unparse(node.target) for node in protocol.body if isinstance(node, ast.AnnAssign)}

    names = {name for name in vars(calls(host)) if name.isupper() and not name.startswith("_")}

    assert names - {"TYPE_CHECKING"} <= fields


@pytest.mark.parametrize("host", payloads.HOSTS)
def test_each_host_says_when_a_session_begins_and_ends_what_the_user_asks_and_that_it_summarizes(host: str) -> None:
    heard = {said(host, event).what for event in payloads.of(host)}

    assert heard >= EVERYWHERE
    assert call.NOTHING not in heard


@pytest.mark.parametrize(("host", "event"), payloads.pairs())
def test_every_event_names_its_session(host: str, event: str) -> None:
    assert said(host, event).session == payloads.of(host)[event]["session_id"]


@pytest.mark.parametrize("host", payloads.HOSTS)
def test_what_the_user_asks_is_heard(host: str) -> None:
    prompts = [one.text for event in payloads.of(host) if (one := said(host, event)).what == call.PROMPT]

    assert prompts == ["Fix the parser"]


@pytest.mark.parametrize("host", ["claude-code", "codex", "gemini", "qwen", "openclaw", "pi"])
def test_the_last_words_of_the_agent_are_heard(host: str) -> None:
    replies = [one.text for event in payloads.of(host) if (one := said(host, event)).what == call.REPLY]

    assert replies == ["All done."]


@pytest.mark.parametrize(
    ("host", "before", "after", "output"),
    [
        ("claude-code", "PreToolUse", "PostToolUse", WRITTEN),
        ("codex", "PreToolUse", "PostToolUse", "3 passed"),
        ("gemini", "BeforeTool", "AfterTool", "3 passed"),
        ("qwen", "PreToolUse", "PostToolUse", "3 passed"),
        ("copilot", "PreToolUse", "PostToolUse", "3 passed"),
        ("droid", "PreToolUse", "PostToolUse", "3 passed\n"),
        ("opencode", "tool.before", "tool.after", "3 passed"),
        ("openclaw", "before_tool_call", "after_tool_call", "3 passed"),
        ("pi", "tool_call", "tool_execution_end", "3 passed"),
    ],
)  # fmt: skip
def test_a_result_names_the_call_of_its_action(host: str, before: str, after: str, output: object) -> None:
    action, result = said(host, before), said(host, after)

    assert (action.what, result.what) == (call.ACTION, call.RESULT)
    assert action.call
    assert action.call == result.call
    assert action.tool == result.tool != ""
    assert isinstance(action.input, dict)
    assert result.output == output


def test_calls_of_gemini_with_other_words_have_other_names() -> None:
    fields = payloads.of("gemini")["BeforeTool"]
    other = {**fields, "tool_input": {**fields["tool_input"], "command": "pytest -x"}}

    names = {calls("gemini").read("BeforeTool", one).call for one in (fields, other, {**fields, "session_id": "s2"})}

    assert len(names) == 3


@pytest.mark.parametrize(
    ("host", "event", "more", "words"),
    [
        ("claude-code", "PostToolUseFailure", {}, "File does not exist."),
        ("qwen", "PostToolUseFailure", {}, "File not found: notes.txt"),
        ("copilot", "PostToolUseFailure", {}, "Path does not exist"),
        ("gemini", "AfterTool", {"tool_response": {"error": {"message": "no such file"}}}, "no such file"),
        ("gemini", "AfterTool", {"tool_response": {"error": "no such file"}}, "no such file"),
        ("opencode", "tool.after", {"error": "refused"}, "refused"),
        ("openclaw", "after_tool_call", {"error": "refused"}, "refused"),
        ("pi", "tool_execution_end", {"error": "refused"}, "refused"),
    ],
)
def test_a_tool_that_fails_is_an_error_and_not_a_result(
    host: str, event: str, more: dict[str, Any], words: str
) -> None:
    found = calls(host).read(event, {**payloads.of(host)[event], **more})

    assert found.what == call.ERROR
    assert found.text == words


def test_a_session_of_openclaw_where_others_listen_is_told_so() -> None:
    fields = payloads.of("openclaw")["agent:bootstrap"]

    assert said("openclaw", "agent:bootstrap").audience == "main"
    assert calls("openclaw").read("agent:bootstrap", {**fields, "audience": "shared"}).audience == "shared"


@pytest.mark.parametrize(("host", "event"), payloads.pairs())
@pytest.mark.parametrize("odd", ODD)
def test_whatever_a_host_says_is_heard_without_failing(host: str, event: str, odd: Any) -> None:
    fields = dict.fromkeys(payloads.of(host)[event], odd)

    found = calls(host).read(event, fields)

    assert {type(word) for word in (found.session, found.text, found.tool, found.call, found.source)} == {str}


@pytest.mark.parametrize("host", payloads.HOSTS)
def test_an_event_that_is_not_known_asks_for_nothing_and_is_told_to_go_on(host: str) -> None:
    assert calls(host).read("SomethingNew", {"session_id": "s1"}).what == call.NOTHING
    assert calls(host).tell("SomethingNew", "") == "{}\n"


# What they are told


@pytest.mark.parametrize(("host", "event"), payloads.pairs())
def test_without_a_text_every_host_is_told_to_go_on(host: str, event: str) -> None:
    told = calls(host).tell(event, "")

    assert told in ("", "{}\n")
    assert (told == "") == (host == "claude-code" and event in ("PreCompact", "PostCompact"))


@pytest.mark.parametrize(("host", "event"), [pair for pair in payloads.pairs() if pair[0] in ("claude-code", "gemini")])
def test_a_text_reaches_claude_code_and_gemini_as_additional_context(host: str, event: str) -> None:
    told = calls(host).tell(event, 'a "text"\nü\u2028')
    if (host, event) == ("claude-code", "PreCompact"):
        assert told == 'a "text"\nü\u2028', "who summarizes is given what stands there as it is"
        return

    found = json.loads(told)

    if event in calls(host).ASKS:
        assert found == {"decision": "block", "reason": 'a "text"\nü\u2028'}
    elif event in calls(host).TAKES:
        assert found == {"hookSpecificOutput": {"hookEventName": event, "additionalContext": 'a "text"\nü\u2028'}}
        assert told.isascii()
    elif host == "gemini":
        assert found == {}


@pytest.mark.parametrize("event", payloads.of("codex"))
def test_codex_is_told_nothing_that_its_closed_schemas_do_not_know(event: str) -> None:
    found = json.loads(calls("codex").tell(event, "a text"))

    usual = {"continue", "stopReason", "suppressOutput", "systemMessage", "hookSpecificOutput"}
    assert set(found) <= (usual | {"decision", "reason"} if event == "Stop" else usual)
    if event in calls("codex").ASKS:
        assert found == {"decision": "block", "reason": "a text"}
    elif event in CODEX:
        assert set(found["hookSpecificOutput"]) <= CODEX[event]
        assert found["hookSpecificOutput"] == {"hookEventName": event, "additionalContext": "a text"}
    else:
        assert found == {}


@pytest.mark.parametrize("host", ["opencode", "openclaw"])
def test_our_own_plugins_are_told_a_context(host: str) -> None:
    for event in payloads.of(host):
        assert json.loads(calls(host).tell(event, "a text")) == (
            {"context": "a text"} if event in (*calls(host).TAKES, *calls(host).ASKS) else {}
        )


@pytest.mark.parametrize("host", payloads.HOSTS)
def test_every_host_takes_a_text_where_a_session_begins(host: str) -> None:
    begins = [event for event in payloads.of(host) if said(host, event).what == call.STARTED]

    assert begins
    assert set(begins) <= calls(host).TAKES


@pytest.mark.parametrize("host", payloads.HOSTS)
def test_an_agent_is_told_to_go_on_only_where_the_host_says_that_no_hook_has_done_so(host: str) -> None:
    for event, told in payloads.of(host).items():
        assert said(host, event).what in (call.REPLY, call.STOPPING) or event not in calls(host).ASKS
        if event in calls(host).ASKS:
            says: list[dict[str, object]] = [{"stop_hook_active": False}, {"stop_hook_active": True}, {}]
            rest = {name: value for name, value in told.items() if name != "stop_hook_active"}
            assert [calls(host).read(event, {**rest, **more}).goes_on for more in says] == [False, True, True]


def test_a_prompt_of_qwen_that_nobody_typed_is_no_word_of_the_user() -> None:
    fields = payloads.of("qwen")["UserPromptSubmit"]
    between = {**{name: value for name, value in fields.items() if name != "submitted_prompt"}, "prompt": ""}

    typed = calls("qwen").read("UserPromptSubmit", {**fields, "prompt": "Fix the parser\n\nall of a file"})
    made = calls("qwen").read("UserPromptSubmit", {**between, "prompt": "Not done yet: go on"})

    assert (typed.text, typed.is_typed) == ("Fix the parser", True)
    assert (made.text, made.is_typed) == ("Not done yet: go on", False)
    assert calls("qwen").read("UserPromptSubmit", between).text == ""


def test_what_qwen_says_of_a_batch_names_the_calls_as_they_began_and_which_were_not_done() -> None:
    begun, batch = said("qwen", "PreToolUse"), said("qwen", "PostToolBatch")

    assert batch.calls == [
        ("run_shell_command", begun.call, "3 passed", False),
        ("write_file", "call_a3", "The user said no.", True),
    ]


@pytest.mark.parametrize("event", [event for event in payloads.of("copilot") if event != "PreCompact"])
def test_what_copilot_says_to_hooks_of_claude_code_is_left_to_its_own(event: str) -> None:
    assert calls("claude-code").read(event, payloads.of("copilot")[event]).what == call.NOTHING


def test_copilot_is_told_a_text_in_no_object_of_its_own() -> None:
    assert json.loads(calls("copilot").tell("SessionStart", "a text")) == {"additionalContext": "a text"}
    assert calls("copilot").tell("UserPromptSubmit", "a text") == "{}\n", "it takes none there"


def test_what_an_agent_within_copilot_does_belongs_to_the_session_that_sent_it() -> None:
    here = payloads.of("copilot")
    within = {**{name: here["SubagentStop"][name] for name in ("agent_id", "agent_type", "parent_agent_id")}}
    child = {**within, "session_id": within["agent_id"]}

    action = calls("copilot").read("PreToolUse", {**here["PreToolUse"], **child})

    assert (action.session, action.agent, action.agent_type) == (
        within["parent_agent_id"],
        within["agent_id"],
        "general-purpose",
    )
    for event in ("UserPromptSubmit", "Stop"):
        assert calls("copilot").read(event, {**here[event], **child}).what == call.NOTHING
