"""What hosts write into their transcripts, and no hook says: why a headless session failed, calls without a record."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from agentws.core.findings import WARNING, Finding
from agentws.features.hosts import transcripts
from agentws.workspace import Environment, Workspace, hear as hear_call
from tests.features.doctor.test_doctor_hooks import wire
from tests.features.hosts import payloads
from tests.features.hosts.hook.test_hook_recording import hear, recorded

LATER, EARLIER = "2999-01-01T00:00:00.000Z", "2001-01-01T00:00:00.000Z"
WHY = "API Error: heron limit reached"


def write(path: Path, *lines: Any) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(line if isinstance(line, str) else json.dumps(line) + "\n" for line in lines))
    return path


def claude(home: Path, *lines: Any) -> Path:
    return write(home / ".claude/projects/-home-leo-app/s1.jsonl", *lines)


def codex(home: Path, *lines: Any) -> Path:
    return write(home / ".codex/sessions/2999/01/01/rollout-2999-01-01T00-00-00-s1.jsonl", *lines)


def qwen(home: Path, *lines: Any) -> Path:
    return write(home / ".qwen/projects/-home-leo-app/chats/q1.jsonl", *lines)


def of_claude(name: str, tool: str = "Bash", at: str = LATER, **more: Any) -> dict[str, Any]:
    part = {"type": "tool_use", "id": name, "name": tool, "input": {}}
    return {"type": "assistant", "timestamp": at, "message": {"content": [part]}, **more}


def of_codex(name: str, tool: str = "exec_command", at: str = LATER) -> dict[str, Any]:
    payload = {"type": "function_call", "call_id": name, "name": tool}
    return {"type": "response_item", "timestamp": at, "payload": payload}


SAID: dict[str, Any] = {"type": "assistant", "message": {"content": [{"type": "text", "text": "Seven."}]}}
FAILED: dict[str, Any] = {
    "type": "assistant",
    "isApiErrorMessage": True,
    "message": {"content": [{"type": "text", "text": WHY}]},
}
TELEMETRY = {"event.name": "qwen-code.api_error", "error_message": WHY}
QWEN_FAILED: dict[str, Any] = {"type": "system", "systemPayload": {"uiEvent": TELEMETRY}}
TYPED = {"type": "user", "message": {"content": "Count the herons"}}


# Calls that are not in the journal


@pytest.fixture
def gone() -> int:
    """The id of a process that is over."""
    process = subprocess.Popen(["true"])
    process.wait()
    return process.pid


@pytest.fixture
def wired(workspace: Workspace, tmp_path: Path) -> Workspace:
    """A workspace with hooks."""
    script = tmp_path / "agentws"
    script.touch(0o755)
    wire("claude-code", Path(workspace.root), workspace.root, script)
    return workspace


def begin(workspace: Workspace, host: str, session: str = "s1", process: int | None = None) -> None:
    workspace.session.start("x", session=session, via=f"agent:{host}", process=process or os.getpid())


def called(workspace: Workspace, session: str, call: str) -> None:
    workspace.event("action", tool="Bash", call=call, session=session)


def missing(workspace: Workspace, home: Path) -> list[Finding]:
    done = workspace.doctor(variables={"HOME": str(home)})
    return [one for one in done.findings if one.name == "calls-unrecorded"]


@pytest.mark.parametrize(
    ("host", "make", "line"), [("claude-code", claude, of_claude), ("codex", codex, of_codex)], ids=["claude", "codex"]
)
def test_calls_whose_hooks_did_not_record_them_are_counted(
    wired: Workspace, tmp_path: Path, gone: int, host: str, make: Any, line: Any
) -> None:
    begin(wired, host, process=gone)
    called(wired, "s1", "c1")
    make(tmp_path, line("c1"), line("c2"), line("c3"), line("c3"))

    (told,) = missing(wired, tmp_path)

    assert told.says.startswith("2 tool calls of session s1 (")
    assert (told.severity, told.remedy) == (WARNING, "agentws journal list --session s1 --kind hook.failed")


@pytest.mark.parametrize(
    "line",
    [
        of_claude("c2", at=EARLIER),
        of_claude("c2", "TodoWrite"),
        of_claude("c2", isSidechain=True),
        {"type": "user", "message": of_claude("c2")["message"]},
        {"type": "assistant", "message": {"content": "c2"}},
        "{",
        "[1]\n",
    ],
    ids=["before the session", "without a hook", "of a subagent", "quoted", "text", "torn", "no object"],
)
def test_what_no_hook_has_to_record_is_not_missing(wired: Workspace, tmp_path: Path, gone: int, line: Any) -> None:
    begin(wired, "claude-code", process=gone)
    claude(tmp_path, line)

    assert missing(wired, tmp_path) == []


def test_a_session_without_a_transcript_or_of_a_host_without_any_misses_nothing(
    wired: Workspace, tmp_path: Path, gone: int
) -> None:
    begin(wired, "claude-code", "unknown", gone)
    begin(wired, "opencode", "another", gone)

    assert missing(wired, tmp_path) == []


def test_a_call_of_a_running_session_whose_hook_has_not_run_yet_is_not_missing(
    wired: Workspace, tmp_path: Path, gone: int
) -> None:
    begin(wired, "claude-code")
    claude(tmp_path, of_claude("c1"))
    assert missing(wired, tmp_path) == []

    wired.session.end("Counted the herons", session="s1")
    assert len(missing(wired, tmp_path)) == 1


def test_a_forgotten_call_is_not_missing(wired: Workspace, tmp_path: Path, gone: int) -> None:
    begin(wired, "claude-code", process=gone)
    wired.event("action", tool="Bash", call="c1", input={"command": "count herons"}, session="s1")
    claude(tmp_path, of_claude("c1"))
    wired.memory.forget(matching=["herons"], confirm=True)

    assert missing(wired, tmp_path) == []


def test_a_session_with_more_calls_than_are_read_misses_nothing(
    wired: Workspace, tmp_path: Path, gone: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(transcripts, "_MOST_EVENTS", 2)
    begin(wired, "claude-code", process=gone)
    for name in ("c1", "c2", "c3"):
        called(wired, "s1", name)
    claude(tmp_path, *map(of_claude, ("c1", "c2", "c3")))

    assert missing(wired, tmp_path) == []


def test_a_call_that_the_granularity_leaves_out_is_not_missing(wired: Workspace, tmp_path: Path, gone: int) -> None:
    begin(wired, "claude-code", process=gone)
    wired.config.set("journal.granularity", "milestones")
    claude(tmp_path, of_claude("c1"))

    assert missing(wired, tmp_path) == []


def test_doctor_makes_no_writer_for_an_installation_that_has_not_written(
    wired: Workspace, tmp_path: Path, gone: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    begin(wired, "claude-code", process=gone)
    claude(tmp_path, of_claude("c1"))
    writers = Path(wired.root, "identity/writers.jsonl")
    before = writers.read_bytes()
    other = Workspace.open(wired.root, environment=Environment(state=(str(tmp_path / "elsewhere"), None)))

    assert missing(other, tmp_path) == []
    assert writers.read_bytes() == before


# Why a session failed


def fail(workspace: Workspace, home: Path) -> list[str]:
    workspace.plumbing.note_failures({"HOME": str(home)}, besides="new")
    return [str((one.body or {})["text"]) for one in recorded(workspace) if one.kind == "error"]


def test_a_failure_that_the_program_left_unreported_is_recorded_once_after_its_end(
    workspace: Workspace, tmp_path: Path, gone: int
) -> None:
    begin(workspace, "qwen", "q1", gone)
    qwen(tmp_path, TYPED, QWEN_FAILED, QWEN_FAILED)

    assert fail(workspace, tmp_path) == [WHY]
    assert fail(workspace, tmp_path) == [WHY]
    assert WHY in workspace.boot().text


@pytest.mark.parametrize(
    "lines", [(QWEN_FAILED, SAID), (QWEN_FAILED, TYPED), (SAID,), ()], ids=["answered", "asked again", "well", "empty"]
)
def test_a_turn_that_went_on_after_a_failure_is_none(
    workspace: Workspace, tmp_path: Path, gone: int, lines: tuple[Any, ...]
) -> None:
    begin(workspace, "qwen", "q1", gone)
    qwen(tmp_path, *lines)

    assert fail(workspace, tmp_path) == []


def test_a_crashed_session_is_looked_at_once_after_each_start(
    workspace: Workspace, tmp_path: Path, gone: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    read: list[object] = []
    monkeypatch.setattr(transcripts.transcript, "newest", lambda path, most: read.append(path) or [])
    begin(workspace, "qwen", "q1", gone)
    qwen(tmp_path, TYPED)

    fail(workspace, tmp_path)
    fail(workspace, tmp_path)
    assert len(read) == 1

    begin(workspace, "qwen", "q1", gone)
    fail(workspace, tmp_path)
    assert len(read) == 2


def test_a_program_that_still_runs_may_try_again(workspace: Workspace, tmp_path: Path) -> None:
    begin(workspace, "qwen", "q1")
    qwen(tmp_path, TYPED, QWEN_FAILED)

    assert fail(workspace, tmp_path) == []


def turn(kind: str, **more: Any) -> dict[str, Any]:
    """A line of Codex about a turn."""
    return {"type": "event_msg", "payload": {"type": kind, **more}}


BEGUN, ENDED = turn("task_started"), turn("task_complete", error=None)
BROKEN = turn("task_complete", error={"message": WHY})


@pytest.mark.parametrize(
    ("host", "make", "lines", "why"),
    [
        ("claude-code", claude, (TYPED, FAILED), WHY),
        ("claude-code", claude, (FAILED, TYPED), ""),
        ("claude-code", claude, (FAILED, SAID), ""),
        ("codex", codex, (BEGUN, BROKEN), WHY),
        ("codex", codex, (BROKEN, BEGUN), ""),
        ("codex", codex, (BROKEN, BEGUN, ENDED), ""),
        ("codex", codex, (), ""),
    ],
)
def test_the_end_of_a_session_says_why_the_service_ended_its_last_turn(
    tmp_path: Path, host: str, make: Any, lines: tuple[Any, ...], why: str
) -> None:
    path = make(tmp_path, *lines, {"type": "cost-state"})
    heard = hear_call(host, "SessionEnd")

    heard.take(json.dumps({**payloads.of(host)["SessionEnd"], "transcript_path": str(path)}).encode())

    assert heard.call.text == why


def test_copilot_says_that_a_session_failed_and_not_why() -> None:
    heard = hear_call("copilot", "SessionEnd")

    heard.take(json.dumps({**payloads.of("copilot")["SessionEnd"], "reason": "error"}).encode())

    assert heard.call.text == "Copilot CLI ended the session with an error."


def test_a_failure_that_was_reported_is_not_recorded_again_at_the_end(workspace: Workspace, tmp_path: Path) -> None:
    failed = {**payloads.of("claude-code")["StopFailure"], "error": WHY}
    hear(workspace, "claude-code", "StopFailure", failed)

    assert workspace.plumbing.has_failed(failed["session_id"])
    assert not workspace.plumbing.has_failed("another")


def test_the_end_of_a_transcript_is_read_without_the_json_package(tmp_path: Path) -> None:
    transcript = tmp_path / "one.jsonl"
    transcript.write_text('half a line", "type": "user"}\n{"type": "assistant"}\n')
    code = (
        "import sys; from agentws.features.hosts.family.transcript import newest; "
        "assert newest(sys.argv[1]) == [{'type': 'assistant'}]; sys.exit('json' in sys.modules)"
    )

    assert subprocess.run([sys.executable, "-c", code, str(transcript)]).returncode == 0
