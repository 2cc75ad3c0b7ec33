"""No call is in flight whose host went on without a result: each reader of the journal says the same of it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import Any

import pytest

from agentws import workspace as _workspace
from agentws.core.formats.journal import segment, thread
from agentws.core.journal import reference
from agentws.core.journal.events import replay
from agentws.features.journal import render
from agentws.workspace import Workspace
from tests.features.hosts import payloads

BEFORE = {"claude-code": "PreToolUse", "codex": "PreToolUse", "gemini": "BeforeTool", "opencode": "tool.before"}
AFTER = {"claude-code": "PostToolUse", "codex": "PostToolUse", "gemini": "AfterTool", "opencode": "tool.after"}
TURNS = [
    *(("claude-code", event) for event in ("UserPromptSubmit", "Stop", "SessionEnd")),
    *(("codex", event) for event in ("UserPromptSubmit", "Stop", "SessionEnd")),
    *(("gemini", event) for event in ("BeforeAgent", "AfterAgent", "SessionEnd")),
    *(("opencode", event) for event in ("chat.message", "session.ended")),
]
WITHIN = {"agent_id": "a6431166000f04f89", "agent_type": "general-purpose"}
ANOTHER = {"agent_id": "a7daca7f96130b57a", "agent_type": "general-purpose"}
NOTICE = (
    "<task-notification>\n<task-id>b1</task-id>\n<tool-use-id>toolu_1</tool-use-id>\n<status>completed</status>\n"
    '<summary>Background command "Count" completed (exit code 0)</summary>\n</task-notification>'
)


def hear(workspace: Workspace, host: str, event: str, **more: Any) -> None:
    said = {**payloads.of(host).get(event, {}), **more}
    if event.endswith(("SessionEnd", "session.ended")):
        workspace.session.end(session=said["session_id"], via=f"agent:{host}")
        return
    heard = _workspace.hear(host, event)
    heard.take(json.dumps(said).encode())
    workspace.plumbing.record_call(heard)


def begin(workspace: Workspace, host: str = "claude-code") -> None:
    workspace.session.start(session=payloads.of(host)[BEFORE[host]]["session_id"], via=f"agent:{host}")


def in_flight(workspace: Workspace) -> set[str]:
    """The calls in flight, about which the readers of the journal agree."""
    found = {
        str(ref["call"])
        for _, ref in reference.open_calls(workspace.stores.files, [workspace.stores.appender().writer])
    }
    assert {call for _, call in replay.replay(workspace.journal.list()).actions} == found
    rows = [row for row in workspace.journal.audit().rows if row.outcome == "no result"]
    assert {row.call for row in rows if row.result_text != thread.UNREPORTED} == found
    booted = workspace.boot().text
    assert {call for call in found if f"call {call} ·" in booted} == found
    assert ("## In flight: 1 action" in booted) == (len(found) == 1)
    return found


@pytest.mark.parametrize(("host", "turn"), TURNS)
def test_a_call_that_got_no_result_is_over_with_the_next_turn(workspace: Workspace, host: str, turn: str) -> None:
    begin(workspace, host)
    hear(workspace, host, BEFORE[host])
    assert len(in_flight(workspace)) == 1, "killed here, nobody knows"

    hear(workspace, host, turn)

    assert not in_flight(workspace)
    (row,) = (row for row in workspace.journal.audit().rows if row.kind == "action")
    assert row.result_text == "refused, interrupted or still running; the host reported no result"
    assert "refused, interrupted or still running" in workspace.boot().text


def test_what_a_session_that_runs_does_now_is_no_riddle_until_it_breaks_off(workspace: Workspace) -> None:
    session = payloads.of("claude-code")["PreToolUse"]["session_id"]
    with subprocess.Popen([sys.executable, "-S", "-c", "input()"], stdin=subprocess.PIPE) as host:
        workspace.session.start(session=session, process=host.pid, via="agent:claude-code")
        hear(workspace, "claude-code", "PreToolUse")
        runs = reopened(workspace).boot().text

    broke_off = reopened(workspace).boot().text

    assert "In flight" not in runs
    assert "Write /home/sam/notes.txt" in runs.partition("## Recent activity")[2]
    assert "Write /home/sam/notes.txt" in broke_off.partition("## In flight: 1 action")[2].partition("## ")[0]


def test_what_no_host_reports_is_in_flight_although_its_session_runs(workspace: Workspace) -> None:
    workspace.session.start(session="shell", process=os.getpid())
    workspace.event("action", tool="send_mail", input={"to": "ana@example.org"}, session="shell")

    assert "send_mail" in reopened(workspace).boot().text.partition("## In flight: 1 action")[2].partition("## ")[0]


def reopened(workspace: Workspace) -> Workspace:
    return Workspace.open(workspace.root, environment=workspace.stores.environment)


@pytest.mark.parametrize("host", BEFORE)
def test_a_result_that_comes_late_counts(workspace: Workspace, host: str) -> None:
    begin(workspace, host)
    hear(workspace, host, BEFORE[host])
    hear(workspace, host, TURNS[0][1] if host == "claude-code" else next(e for h, e in TURNS if h == host))

    hear(workspace, host, AFTER[host])

    assert not in_flight(workspace)
    (row,) = (row for row in workspace.journal.audit().rows if row.kind == "action")
    assert row.outcome == "ok"
    assert "refused, interrupted or still running" not in workspace.boot().text


def test_what_a_host_made_of_a_task_in_the_background_is_a_turn_too(workspace: Workspace) -> None:
    begin(workspace)
    hear(workspace, "claude-code", "PreToolUse")

    hear(workspace, "claude-code", "UserPromptSubmit", prompt=NOTICE)

    assert not in_flight(workspace)


def test_an_answer_without_words_is_a_turn_too(workspace: Workspace) -> None:
    begin(workspace)
    hear(workspace, "claude-code", "PreToolUse")

    hear(workspace, "claude-code", "Stop", last_assistant_message="")

    assert not in_flight(workspace)


def test_an_agent_within_it_has_turns_of_its_own(workspace: Workspace) -> None:
    begin(workspace)
    hear(workspace, "claude-code", "PreToolUse", tool_use_id="one", **WITHIN)
    hear(workspace, "claude-code", "PreToolUse", tool_use_id="two", **ANOTHER)
    hear(workspace, "claude-code", "PreToolUse", tool_use_id="three")

    hear(workspace, "claude-code", "Stop")
    assert in_flight(workspace) == {"one", "two"}

    hear(workspace, "claude-code", "SubagentStop", **payloads.of("claude-code")["Stop"], **WITHIN)
    assert in_flight(workspace) == {"two"}

    hear(workspace, "claude-code", "SessionEnd")
    assert not in_flight(workspace)


def test_an_agent_within_it_that_stops_without_a_name_ends_nothing_of_the_session(workspace: Workspace) -> None:
    begin(workspace)
    hear(workspace, "claude-code", "PreToolUse")
    flying = in_flight(workspace)

    hear(workspace, "claude-code", "SubagentStop", agent_id=None, agent_type="explorer")

    assert in_flight(workspace) == flying
    assert len(flying) == 1


def test_the_audit_tells_agents_within_it_apart(workspace: Workspace) -> None:
    for more in (WITHIN, ANOTHER, {}):
        hear(workspace, "claude-code", "PreToolUse", **more)

    rows = [(row.agent, row.agent_type) for row in workspace.journal.audit().rows]
    whos = [render.who(row).rpartition("/")[2] for row in workspace.journal.audit().rows]

    own = payloads.of("claude-code")["PreToolUse"]["session_id"]
    assert rows == [(one["agent_id"], one["agent_type"]) for one in (WITHIN, ANOTHER)] + [(None, None)]
    assert whos == [WITHIN["agent_id"], ANOTHER["agent_id"], own]


def test_the_turn_of_another_session_or_host_ends_nothing(workspace: Workspace) -> None:
    begin(workspace)
    hear(workspace, "claude-code", "PreToolUse", tool_use_id="one")

    hear(workspace, "claude-code", "Stop", session_id="another")
    hear(workspace, "codex", "Stop", session_id=payloads.of("claude-code")["Stop"]["session_id"])
    workspace.event("note", "a page says so", via="tool:web", session=payloads.of("claude-code")["Stop"]["session_id"])

    assert in_flight(workspace) == {"one"}


def test_what_no_host_reports_stays_in_flight_until_somebody_says_how_it_ended(workspace: Workspace) -> None:
    workspace.session.start(session="s")
    workspace.event("action", tool="pay", call="one", session="s")
    workspace.event("note", "Pay the bill", via="user", session="s")

    workspace.session.end(session="s")

    assert in_flight(workspace) == {"one"}


@pytest.mark.parametrize("turn", ["UserPromptSubmit", "Stop", "SessionEnd"])
def test_it_is_so_in_another_segment(workspace: Workspace, monkeypatch: pytest.MonkeyPatch, turn: str) -> None:
    begin(workspace)
    hear(workspace, "claude-code", "PreToolUse", tool_use_id="one")
    hear(workspace, "claude-code", "PreToolUse", tool_use_id="two", **WITHIN)
    rotate(workspace, monkeypatch)
    assert in_flight(workspace) == {"one", "two"}

    hear(workspace, "claude-code", turn)

    assert in_flight(workspace) == (set() if turn == "SessionEnd" else {"two"})


def test_segments_of_earlier_versions_refer_to_no_session_of_which_one_that_ended_left_nothing(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("agentws.core.formats.journal.segment_index._thread", lambda _stored: {})
    monkeypatch.setattr("agentws.core.formats.journal.segment_index.Outline._close", lambda *_: None)
    begin(workspace)
    hear(workspace, "claude-code", "PreToolUse", tool_use_id="one")
    hear(workspace, "claude-code", "PreToolUse", tool_use_id="two", session_id="it-runs")
    workspace.session.start(session="it-runs", via="agent:claude-code")
    hear(workspace, "claude-code", "SessionEnd")
    rotate(workspace, monkeypatch)
    monkeypatch.undo()

    assert in_flight(workspace) == {"two"}


def rotate(workspace: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patched:
        patched.setattr(segment, "LIMIT_BYTES", 1)
        workspace.event("note", "the next segment begins")


@pytest.mark.parametrize("host", BEFORE)
def test_the_handoff_of_a_session_that_its_host_ends_has_nothing_in_flight(workspace: Workspace, host: str) -> None:
    begin(workspace, host)
    hear(workspace, host, BEFORE[host])
    session = payloads.of(host)[BEFORE[host]]["session_id"]

    own = workspace.handoff(auto=True, session=session, dry_run=True).text
    of_host = workspace.handoff(auto=True, session=session, via=f"agent:{host}").text

    assert "## In flight" in own
    assert "refused, interrupted or still running" not in own
    assert "In flight" not in of_host
    failed = of_host.partition("## Failed attempts")[2].partition("## ")[0]
    assert "→ refused, interrupted or still running; the host reported no result" in failed


MAY_RUN = "interrupted by the user; may still run or have run"


@pytest.mark.parametrize("turn", ["UserPromptSubmit", "Stop", "SessionEnd"])
@pytest.mark.parametrize("other_segment", [False, True])
def test_a_call_that_the_user_interrupted_is_in_flight_until_somebody_says_how_it_ended(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch, turn: str, other_segment: bool
) -> None:
    begin(workspace, "codex")
    hear(workspace, "codex", "PreToolUse", tool_use_id="one")
    hear(workspace, "codex", "Interrupt")
    if other_segment:
        rotate(workspace, monkeypatch)

    hear(workspace, "codex", turn)

    assert in_flight(workspace) == {"one"}
    (row,) = (row for row in workspace.journal.audit().rows if row.kind == "action")
    assert (row.outcome, row.result_text) == ("no result", MAY_RUN)
    session = payloads.of("codex")["PreToolUse"]["session_id"]
    noted = workspace.handoff(auto=True, session=session, via="agent:codex", dry_run=True).text
    for text in (workspace.boot().text, noted):
        flying = text.partition("\n## In flight")[2].partition("\n## ")[0]
        assert f"pytest -q · call one · {MAY_RUN}" in flying
        assert thread.UNREPORTED not in text

    workspace.event("result", "It had run", call="one")

    assert not in_flight(workspace)


def test_an_interrupted_call_is_in_flight_although_its_session_runs(workspace: Workspace) -> None:
    session = payloads.of("codex")["PreToolUse"]["session_id"]
    workspace.session.start(session=session, process=os.getpid(), via="agent:codex")
    hear(workspace, "codex", "PreToolUse", tool_use_id="one")

    hear(workspace, "codex", "Interrupt")

    assert MAY_RUN in reopened(workspace).boot().text.partition("## In flight: 1 action")[2].partition("## ")[0]


def test_an_interrupted_call_whose_result_comes_late_has_ended(workspace: Workspace) -> None:
    begin(workspace, "codex")
    hear(workspace, "codex", "PreToolUse")
    hear(workspace, "codex", "Interrupt")

    hear(workspace, "codex", "PostToolUse")

    assert not in_flight(workspace)


def test_an_interruption_touches_no_other_thread_and_no_later_call(workspace: Workspace) -> None:
    begin(workspace, "codex")
    hear(workspace, "codex", "PreToolUse", tool_use_id="within", **WITHIN)
    hear(workspace, "codex", "Interrupt")
    hear(workspace, "codex", "PreToolUse", tool_use_id="later")

    hear(workspace, "codex", "SessionEnd")

    assert not in_flight(workspace)
    assert {row.result_text for row in workspace.journal.audit().rows if row.kind == "action"} == {thread.UNREPORTED}
