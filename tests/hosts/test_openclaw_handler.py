from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from agentws.hosts.openclaw import settings
from tests.hosts import node_rig

pytestmark = node_rig.needs_node

BOOT = """echo '{"context": "boot"}'"""
DRIVER = """
for (const [type, action, sessionKey, context] of steps) await ours({ type, action, sessionKey, context, messages: [] })
console.log(JSON.stringify(steps.map(([type, action, key, context]) => context)))
"""
KEY = "agent:main:main"

Step = list[Any]


def played(tmp_path: Path, steps: list[Step], answer: str = BOOT) -> tuple[list[Any], node_rig.Command]:
    """What became of the context of each event, and how the command was called; the workspace is `tmp_path`."""
    command = node_rig.Command(tmp_path, answer)
    files = settings.install({}, command.wiring(tmp_path))
    module = tmp_path / "elsewhere/hooks/agentws/handler.mjs"
    module.parent.mkdir(parents=True)
    module.write_text(str(files["hooks/agentws/handler.ts"]))
    return node_rig.run(module, DRIVER, steps), command


def turn(workspace: Path, session: str = "s", key: str = KEY) -> Step:
    known = [{"name": "AGENTS.md", "path": "AGENTS.md", "missing": False, "content": "be kind"}]
    context = {"workspaceDir": str(workspace), "bootstrapFiles": known, "sessionId": session, "sessionKey": key}
    return ["agent", "bootstrap", key, {**context, "agentId": "main"}]


def message(text: str, key: str = KEY) -> Step:
    return ["message", "received", key, {"content": text, "from": "Sam"}]


def compaction(phase: str, session: str = "s") -> Step:
    return ["session", f"compact:{phase}", KEY, {"sessionId": session}]


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
    moved = ["command", "new", KEY, {"workspaceDir": str(other), "previousSessionEntry": {"sessionId": "s"}}]

    contexts, command = played(tmp_path, [turn(other), compaction("before"), moved, stop()])

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

    assert command.events == ["agent:bootstrap", "session:compact:before", "session:compact:after", "agent:bootstrap"]
    assert command.calls[-1][1]["source"] == "compact"


@pytest.mark.parametrize("action", ["new", "reset"])
def test_a_session_that_is_left_ends_once(tmp_path: Path, action: str) -> None:
    left = ["command", action, KEY, {"workspaceDir": str(tmp_path), "previousSessionEntry": {"sessionId": "s"}}]

    _, command = played(tmp_path, [turn(tmp_path), left, stop()])

    assert command.events == ["agent:bootstrap", f"command:{action}"]
    assert command.calls[-1][1]["session_id"] == "s"


def test_a_session_that_was_reset_by_itself_ends(tmp_path: Path) -> None:
    context = {"workspaceDir": str(tmp_path), "sessionEntry": {"sessionId": "of before"}, "reason": "daily"}

    _, command = played(tmp_path, [["session", "auto-reset", KEY, context]])

    ((event, said),) = command.calls
    assert (event, said["session_id"], said["reason"]) == ("session:auto-reset", "of before", "daily")


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
        tmp_path, [["agent", "bootstrap", KEY, {}], ["session", "patch", KEY, {}], ["x", "y", "", None]]
    )

    assert command.events == []
