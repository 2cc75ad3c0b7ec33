from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from agentws.features.hosts.openclaw.settings import SETTINGS
from tests.features.hosts import node_rig

pytestmark = node_rig.needs_node

BOOT = """echo '{"context": "boot"}'"""
DRIVER = """
const internal = {}, typed = {}
const { config, heard } = steps
ours.register({
  config,
  registerHook: (event, hook) => (internal[event] = hook),
  on: (event, hook) => (typed[event] = hook),
})
const found = []
for (const [type, action, about, context] of heard) {
  if (type === "typed") found.push((await typed[action]?.(about, context)) ?? null)
  else {
    await internal[`${type}:${action}`]?.({ type, action, sessionKey: about, context, messages: [] })
    found.push(context)
  }
}
console.log(JSON.stringify(found))
"""
ALLOWED = {"plugins": {"entries": {"agentws": {"hooks": {"allowConversationAccess": True}}}}}
KEY = "agent:main:main"

Step = list[Any]


def played(
    tmp_path: Path, steps: list[Step], answer: str = BOOT, config: object = None
) -> tuple[list[Any], node_rig.Command]:
    """What became of the context of each event, and how the command was called; the workspace is `tmp_path`."""
    command = node_rig.Command(tmp_path, answer)
    files = SETTINGS.install({}, command.wiring(tmp_path))
    module = tmp_path / "elsewhere/.openclaw/extensions/agentws/index.mjs"
    module.parent.mkdir(parents=True)
    module.write_text(str(files[".openclaw/extensions/agentws/index.js"]))
    return node_rig.run(module, DRIVER, {"config": config or {}, "heard": steps}), command


def turn(workspace: Path, session: str = "s", key: str = KEY) -> Step:
    known = [{"name": "AGENTS.md", "path": "AGENTS.md", "missing": False, "content": "be kind"}]
    context = {"workspaceDir": str(workspace), "bootstrapFiles": known, "sessionId": session, "sessionKey": key}
    return ["agent", "bootstrap", key, {**context, "agentId": "main"}]


def message(text: str, key: str = KEY) -> Step:
    return ["message", "received", key, {"content": text, "from": "Sam"}]


def typed(name: str, event: dict[str, Any], session: str = "s", **context: Any) -> Step:
    return ["typed", name, event, {"sessionId": session, "sessionKey": KEY, **context}]


def compaction(phase: str, session: str = "s") -> Step:
    return typed(f"{phase}_compaction", {"messageCount": 3}, session)


def ending(reason: str, session: str = "s", **more: str) -> Step:
    return typed("session_end", {"sessionId": session, "reason": reason, **more}, session)


def stop(action: str = "shutdown") -> Step:
    return ["gateway", action, "gateway", {"reason": "stopping"}]


def test_each_turn_has_the_boot_which_is_asked_for_once(tmp_path: Path) -> None:
    contexts, command = played(tmp_path, [turn(tmp_path), turn(tmp_path)])

    for context in contexts:
        assert [file["name"] for file in context["bootstrapFiles"]] == ["AGENTS.md", "AGENTWS.md"]
        assert context["bootstrapFiles"][1]["content"] == "boot"
    ((event, said),) = command.calls
    assert event == "agent:bootstrap"
    assert (said["session_id"], said["source"], said["files"], said["audience"]) == (
        "s",
        "startup",
        ["AGENTS.md"],
        "main",
    )


def test_an_agent_of_another_workspace_is_told_nothing(tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    call = typed("before_tool_call", {"toolName": "exec", "params": {}, "toolCallId": "c1"})

    contexts, command = played(tmp_path, [turn(other), call, compaction("before"), ending("new"), stop()])

    assert len(contexts[0]["bootstrapFiles"]) == 1
    assert command.events == []


def test_an_agent_that_works_where_the_hook_lies_is_told(tmp_path: Path) -> None:
    contexts, _ = played(tmp_path, [turn(tmp_path / "elsewhere")])

    assert len(contexts[0]["bootstrapFiles"]) == 2


@pytest.mark.parametrize("key", ["agent:main:subagent:7", "agent:main:cron:daily", "cron:daily"])
def test_runs_that_openclaw_keeps_apart_cost_nothing(tmp_path: Path, key: str) -> None:
    contexts, command = played(tmp_path, [turn(tmp_path, key=key), message("psst", key)])

    assert len(contexts[0]["bootstrapFiles"]) == 1
    assert command.events == []


@pytest.mark.parametrize("key", ["agent:main:telegram:group:1", "agent:main:slack:channel:C1"])
def test_where_others_listen_it_says_so(tmp_path: Path, key: str) -> None:
    _, command = played(tmp_path, [turn(tmp_path, key=key)])

    assert command.calls[0][1]["audience"] == "shared"


def test_where_others_listen_a_message_says_so_and_who_wrote_it(tmp_path: Path) -> None:
    key = "agent:main:telegram:group:1"
    said = {"content": "hi", "from": "telegram:7", "channelId": "telegram", "metadata": {"senderName": "Mallory"}}
    steps = [["message", "received", key, said], turn(tmp_path, key=key), message("psst", key), turn(tmp_path, key=key)]

    _, command = played(tmp_path, [*steps, compaction("before"), stop()])

    assert {said["audience"] for _, said in command.calls} == {"shared"}
    assert [(said["channel"], said["sender"]) for _, said in command.calls[1:2]] == [("telegram", "Mallory")]
    assert command.calls[2][1]["sender"] == "Sam", "where the channel names nobody, what it knows the sender by"


def test_a_message_is_told_with_the_session_that_it_came_to(tmp_path: Path) -> None:
    steps = [message("hello"), message("are you there?"), turn(tmp_path), message("elsewhere", "agent:main:x")]

    _, command = played(tmp_path, steps)

    assert command.events == ["agent:bootstrap", "message:received", "message:received"]
    assert [said["prompt"] for _, said in command.calls[1:]] == ["hello", "are you there?"]
    assert {said["session_id"] for _, said in command.calls} == {"s"}


def test_after_a_compaction_the_boot_is_made_again(tmp_path: Path) -> None:
    steps = [turn(tmp_path), compaction("before"), compaction("after"), turn(tmp_path)]

    _, command = played(tmp_path, steps)

    assert command.events == ["agent:bootstrap", "before_compaction", "after_compaction", "agent:bootstrap"]
    assert command.calls[-1][1]["source"] == "compact"


@pytest.mark.parametrize("reason", ["new", "reset", "idle", "daily", "deleted"])
def test_a_session_that_is_left_ends_once(tmp_path: Path, reason: str) -> None:
    _, command = played(tmp_path, [turn(tmp_path), ending(reason), ending("shutdown"), stop()])

    assert command.events == ["agent:bootstrap", "session_end"]
    assert (command.calls[-1][1]["session_id"], command.calls[-1][1]["reason"]) == ("s", reason)


def test_a_session_that_is_only_compacted_goes_on_whatever_it_is_called_then(tmp_path: Path) -> None:
    steps = [turn(tmp_path), ending("compaction", nextSessionId="t"), turn(tmp_path, "t"), ending("new", "t"), stop()]

    _, command = played(tmp_path, steps)

    assert command.events == ["agent:bootstrap", "session_end"]
    assert {said["session_id"] for _, said in command.calls} == {"s"}


def test_a_call_of_a_tool_is_told_with_what_it_gave(tmp_path: Path) -> None:
    asked = {"toolName": "exec", "params": {"command": "ls"}, "toolCallId": "c1"}
    gave = {**asked, "result": {"content": [{"type": "text", "text": "one"}, {"type": "text", "text": "two"}]}}
    steps = [turn(tmp_path), typed("before_tool_call", asked), typed("after_tool_call", gave)]

    answers, command = played(tmp_path, steps)

    assert command.events[1:] == ["before_tool_call", "after_tool_call"]
    (_, before), (_, after) = command.calls[1:]
    assert (before["tool"], before["args"], before["call_id"]) == ("exec", {"command": "ls"}, "c1")
    assert (after["tool"], after["output"], after["call_id"], after.get("error")) == ("exec", "one\ntwo", "c1", None)
    assert answers[1:] == [None, None], "nothing that we say changes the call"


@pytest.mark.parametrize(
    "more",
    [
        {"error": "no such file"},
        {"result": {"isError": True, "content": [{"type": "text", "text": "no such file"}]}},
    ],
)
def test_a_call_that_failed_says_so(tmp_path: Path, more: dict[str, Any]) -> None:
    gave = {"toolName": "read", "params": {}, "toolCallId": "c1", **more}

    _, command = played(tmp_path, [turn(tmp_path), typed("after_tool_call", gave)])

    assert command.calls[-1][1]["error"] == "no such file"


def test_a_command_that_fails_never_holds_a_tool_up(tmp_path: Path) -> None:
    asked = {"toolName": "exec", "params": {}, "toolCallId": "c1"}

    answers, _ = played(tmp_path, [turn(tmp_path), typed("before_tool_call", asked)], "exit 1")

    assert answers[1] is None


def test_what_is_asked_and_answered_is_told_where_somebody_allowed_that(tmp_path: Path) -> None:
    said = [{"role": "user", "content": "Hello"}, {"role": "assistant", "content": [{"type": "text", "text": "Hi."}]}]
    steps = [
        turn(tmp_path),
        typed("before_prompt_build", {"prompt": "Hello", "messages": []}, runId="r1", trigger="user"),
        typed("before_prompt_build", {"prompt": "Hello", "messages": []}, runId="r1", trigger="user"),
        typed("agent_end", {"messages": said, "success": True}, runId="r1"),
    ]

    _, command = played(tmp_path, steps, config=ALLOWED)

    assert command.events == ["agent:bootstrap", "before_prompt_build", "agent_end"], "a turn may be built again"
    assert (command.calls[1][1]["prompt"], command.calls[1][1]["typed"]) == ("Hello", True)
    assert command.calls[2][1]["text"] == "Hi."


def test_without_that_it_hears_neither(tmp_path: Path) -> None:
    steps = [turn(tmp_path), typed("before_prompt_build", {"prompt": "Hello", "messages": []}, runId="r1")]

    _, command = played(tmp_path, steps)

    assert command.events == ["agent:bootstrap"]


@pytest.mark.parametrize(
    "context",
    [{"trigger": "heartbeat"}, {"trigger": "user", "inputProvenance": {"kind": "inter_session"}}],
)
def test_what_a_program_asks_is_told_so(tmp_path: Path, context: dict[str, Any]) -> None:
    asked = typed("before_prompt_build", {"prompt": "Look around", "messages": []}, runId="r1", **context)

    _, command = played(tmp_path, [turn(tmp_path), asked], config=ALLOWED)

    assert command.calls[-1][1]["typed"] is False


def test_a_message_of_a_channel_is_told_once_and_by_whom(tmp_path: Path) -> None:
    asked = typed("before_prompt_build", {"prompt": "[Telegram Sam] hello", "messages": []}, runId="r1", trigger="user")

    _, command = played(tmp_path, [message("hello"), turn(tmp_path), asked], config=ALLOWED)

    assert command.events == ["agent:bootstrap", "message:received"]
    assert (command.calls[1][1]["prompt"], command.calls[1][1]["sender"]) == ("hello", "Sam")


def test_what_a_subagent_does_belongs_to_the_session_that_sent_it(tmp_path: Path) -> None:
    child = "agent:main:subagent:7"
    asked = {"toolName": "exec", "params": {}, "toolCallId": "c1"}
    steps = [
        turn(tmp_path),
        typed("subagent_spawned", {"childSessionKey": child}, requesterSessionKey=KEY),
        typed("before_tool_call", asked, "u", sessionKey=child),
        typed("subagent_ended", {"targetSessionKey": child, "outcome": "ok"}),
        typed("before_tool_call", asked, "u", sessionKey=child),
    ]

    _, command = played(tmp_path, steps)

    assert command.events == ["agent:bootstrap", "before_tool_call", "subagent_ended"]
    assert {said["session_id"] for _, said in command.calls} == {"s"}
    assert [said["agent"] for _, said in command.calls[1:]] == [child, child]


@pytest.mark.parametrize(
    ("key", "told"),
    [
        (KEY, {"AGENTWS_SESSION": "s"}),
        ("agent:main:telegram:group:1", {"AGENTWS_SESSION": "s", "AGENTWS_AUDIENCE": "shared"}),
    ],
)
def test_a_command_of_the_agent_knows_its_session_and_who_hears_it(
    tmp_path: Path, key: str, told: dict[str, str]
) -> None:
    asked = typed("resolve_exec_env", {"sessionKey": key, "toolName": "exec"}, sessionKey=key)

    answers, _ = played(tmp_path, [turn(tmp_path, key=key), asked, typed("resolve_exec_env", {}, "of another")])

    assert answers[1:] == [told, None]


def test_it_is_quiet_where_the_earlier_hook_is_still_enabled(tmp_path: Path) -> None:
    hook = tmp_path / "hooks/agentws/handler.ts"
    hook.parent.mkdir(parents=True)
    hook.write_text("// agentws hook for OpenClaw\n")
    enabled = {"hooks": {"internal": {"entries": {"agentws": {"enabled": True}}}}}

    _, command = played(tmp_path, [turn(tmp_path), stop()], config=enabled)

    assert command.events == []


def test_sessions_end_with_the_gateway(tmp_path: Path) -> None:
    _, command = played(tmp_path, [turn(tmp_path, "s"), turn(tmp_path, "t"), stop("pre-restart"), stop()])

    ended = [said["session_id"] for event, said in command.calls if event.startswith("gateway:")]
    assert sorted(ended) == ["s", "t"]


@pytest.mark.parametrize("answer", ["exit 1", "echo oh", "echo '[]'", "echo null", "echo '{\"context\": 5}'", "rm $0"])
def test_an_answer_that_is_none_changes_nothing(tmp_path: Path, answer: str) -> None:
    contexts, _ = played(tmp_path, [turn(tmp_path), turn(tmp_path), stop()], answer)

    assert [len(context["bootstrapFiles"]) for context in contexts[:2]] == [1, 1]


def test_a_command_that_fails_again_and_again_is_left_alone(tmp_path: Path) -> None:
    _, command = played(tmp_path, [turn(tmp_path)] * 9, "exit 1")

    assert len(command.calls) == 3


def test_events_that_are_odd_are_passed_over(tmp_path: Path) -> None:
    _, command = played(
        tmp_path,
        [
            ["agent", "bootstrap", KEY, {}],
            ["message", "received", KEY, {}],
            turn(tmp_path / "other"),
            typed("after_tool_call", {}),
            typed("agent_end", {}),
            typed("session_end", {}),
            typed("subagent_spawned", {}),
        ],
        config=ALLOWED,
    )

    assert command.events == []


ASKED = {"toolName": "exec", "params": {"command": "ls"}, "toolCallId": "c1"}
DENIES = """echo '{"deny": "Not now."}'"""
BLOCKED = {"block": True, "blockReason": "Not now."}


def test_a_tool_that_is_denied_is_blocked_with_the_reason_and_nothing_is_told_after_it(tmp_path: Path) -> None:
    gave = {**ASKED, "error": "blocked"}
    steps = [turn(tmp_path), typed("before_tool_call", ASKED), typed("after_tool_call", gave)]

    answers, command = played(tmp_path, steps, DENIES)

    assert answers[1:] == [BLOCKED, None]
    assert command.events[1:] == ["before_tool_call"]


@pytest.mark.parametrize("key", ["agent:main:subagent:7", "agent:main:cron:daily", "cron:daily"])
def test_runs_that_openclaw_keeps_apart_are_fenced_and_not_recorded(tmp_path: Path, key: str) -> None:
    call = typed("before_tool_call", ASKED, sessionKey=key)
    steps = [turn(tmp_path, key=key), call, typed("after_tool_call", ASKED, sessionKey=key)]

    answers, command = played(tmp_path, steps, DENIES)

    assert answers[1:] == [BLOCKED, None]
    ((event, said),) = command.calls
    assert (event, said["tool"], said["args"], said["session_key"]) == ("tool_gate", "exec", {"command": "ls"}, key)


ASKS = """case $event in agent_end) echo '{"context": "Hand over."}';; *) echo '{"context": "boot"}';; esac"""
SAID = {"messages": [{"role": "assistant", "content": "Done."}], "success": True}


def asked(run: str, **context: str) -> Step:
    return typed("before_prompt_build", {"prompt": "Go on"}, runId=run, **context)


def test_what_the_workspace_asks_at_a_stop_comes_with_the_next_prompt_and_once(tmp_path: Path) -> None:
    built = [asked("r2"), asked("r2")]
    steps = [turn(tmp_path), asked("r1"), typed("agent_end", SAID), *built, typed("agent_end", SAID), asked("r3")]

    answers, command = played(tmp_path, steps, ASKS, ALLOWED)

    question = {"prependContext": "Hand over."}
    assert answers[1:] == [None, None, question, question, None, question]
    active = [said["stop_hook_active"] for event, said in command.calls if event == "agent_end"]
    assert active == [False, True], "the second turn answered the question"


@pytest.mark.parametrize("trigger", ["heartbeat", "cron"])
def test_a_turn_that_nobody_asked_for_does_not_bring_the_question(tmp_path: Path, trigger: str) -> None:
    steps = [turn(tmp_path), asked("r1"), typed("agent_end", SAID), asked("r2", trigger=trigger), asked("r3")]

    answers, _ = played(tmp_path, steps, ASKS, ALLOWED)

    assert answers[3:] == [None, {"prependContext": "Hand over."}]
