"""A call without a result when its session ended by itself is asked about once, unless it is known to be refused."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from agentws.features.hosts import call
from tests.features.hosts import payloads
from tests.features.hosts.fence.playing import Host, agentws, events, in_flight

pytestmark = pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="this system has no /proc")

PAY = "./pay 250"
QUESTION = "An identical call was running when the session of "


def ended(root: str, host: str, **fields: Any) -> None:
    """Leave a call without a result: its session ended by itself."""
    ends = Host(root, host, session="ends").start()
    assert not ends.act(PAY)
    ends.hook(call.ENDED, **fields)
    ends.kill()


def transcript(folder: Path, lines: list[Any]) -> str:
    path = folder / "transcript.jsonl"
    path.write_text("".join(f"{json.dumps(line)}\n" for line in lines), encoding="utf-8")
    return str(path)


@pytest.mark.parametrize("host", payloads.HOSTS)
def test_a_call_in_flight_when_its_session_ended_is_asked_about_once(root: str, hosts: Any, host: str) -> None:
    ended(root, host)
    assert in_flight(root) == [], "boot reports the calls of crashed sessions alone"
    later = hosts(host)

    assert "ended. Its result is unknown. Check first, then run `" in later.act(PAY)
    assert later.act(PAY) == ""
    (closing,) = events(root, "result")
    assert closing["body"]["text"] == "unknown; an identical call was made after a warning"


def test_the_ended_session_resumed_and_another_host_are_asked_too(root: str, hosts: Any) -> None:
    ended(root, "claude-code")

    assert hosts("codex", "other").act(PAY).startswith(QUESTION)
    assert hosts("claude-code", "ends").act(PAY).startswith(QUESTION)


def test_a_call_of_agentws_itself_is_not_asked_about(root: str, hosts: Any) -> None:
    ends = Host(root, "claude-code", session="ends").start()
    ends.act("agentws handoff --next x")
    ends.hook(call.ENDED)
    ends.kill()

    assert hosts().act("agentws handoff --next x") == ""


def test_a_call_of_an_ended_session_that_has_an_end_is_not_asked_about(root: str, hosts: Any) -> None:
    ended(root, "claude-code")
    agentws(root, "event", "result", "it was paid", "--call", "ends-1")

    assert hosts().act(PAY) == ""


def test_a_call_refused_before_the_agent_went_on_is_not_asked_about(root: str, hosts: Any) -> None:
    ends = Host(root, "copilot", session="ends").start()
    ends.act(PAY)
    ends.hook(call.REPLY)
    ends.hook(call.ENDED)
    ends.kill()

    assert hosts("copilot").act(PAY) == ""


USED = {"type": "tool_use", "id": "ends-1", "name": "Bash", "input": {"command": PAY}}


@pytest.mark.parametrize(
    ("says", "is_error", "asks"),
    [
        ("This command requires approval", True, False),
        ("The user doesn't want to proceed with this tool use. The tool use was rejected.", True, True),
        ("It was paid.", False, False),
        ("[Request interrupted by user for tool use]", True, True),
        ("Exit code 137", True, True),
        (None, True, True),
    ],
    ids=["refused", "refused or broken off by Escape", "done", "interrupted", "killed", "no result"],
)
def test_claude_codes_transcript_tells_a_refused_call_from_one_that_ran(
    root: str, hosts: Any, tmp_path: Path, says: str | None, is_error: bool, asks: bool
) -> None:
    answer = {"type": "tool_result", "tool_use_id": "ends-1", "content": says, "is_error": is_error}
    lines = [{"type": "assistant", "message": {"content": [USED]}}]
    lines += [{"type": "user", "message": {"content": [answer]}}] if says else []
    ended(root, "claude-code", transcript_path=transcript(tmp_path, lines))

    assert bool(hosts().act(PAY)) is asks


@pytest.mark.parametrize(
    ("has_result", "is_error", "asks"), [(True, False, False), (True, True, True), (False, False, True)]
)
def test_droids_transcript_tells_a_call_that_is_done(
    root: str, hosts: Any, tmp_path: Path, has_result: bool, is_error: bool, asks: bool
) -> None:
    known = payloads.of("droid")["PreToolUse"]
    used = {"type": "tool_use", "id": "1", "name": "Bash", "input": {"command": PAY}}
    parts = [used, {"type": "tool_result", "tool_use_id": "1", "content": "It ran.", "is_error": is_error}]
    lines = [{"id": "m", "message": {"role": "user", "content": parts if has_result else [used]}}]
    assert "tool_use_id" not in known, "a call has no id"
    ended(root, "droid", transcript_path=transcript(tmp_path, lines))

    assert bool(hosts("droid").act(PAY)) is asks
