"""The end of a turn: where its owner wants that, the agent is asked once a day to curate MEMORY.md."""

from __future__ import annotations

import json
import shlex
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from agentws.core.disk import local_dir
from agentws.core.formats import layout
from agentws.workspace import Workspace
from tests import forked
from tests.features.hosts import payloads
from tests.features.hosts.entry.test_hook import Done, agentws, hook, kinds, locked, started

ENDS = (("claude-code", "Stop"), ("codex", "Stop"))
GO_ON = {"stop_hook_active": False}
FRIDAY = "2026-11-20T20:00:00+01:00"
DAYS = [f"memory/2026-11-{day}.md" for day in (16, 17, 18)]


@pytest.fixture
def root(workspace: Workspace) -> Path:
    """A workspace with three days of notes, whose owner wants the agent to be asked."""
    root = Path(workspace.root)
    wants(root, "turn")
    (root / "memory").mkdir(exist_ok=True)
    for path in DAYS:
        (root / path).write_text("- [rule] Ask Sam before a push\n")
    return root


def wants(root: Path, when: str) -> None:
    manifest = root / layout.MANIFEST
    text = manifest.read_text().partition("\n[curation]")[0]
    manifest.write_text(f'{text}\n[curation]\nask = "{when}"\n')


def stop(root: Path, host: str = "claude-code", event: str = "Stop", now: str = FRIDAY, **said: Any) -> Done:
    told = {**payloads.of(host)[event], **GO_ON, **said}
    return hook(root, host, event, told, AGENTWS_NOW=now, TZ="Europe/Berlin")


def asked(done: Done) -> str:
    """What the agent is to go on with; empty where its turn ends."""
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert found.keys() in ({"decision", "reason"}, set()), "the host takes nothing else"
    assert found.get("decision") in ("block", None)
    return str(found.get("reason", ""))


@pytest.mark.parametrize(("host", "event"), ENDS)
def test_the_agent_is_asked_once_a_day_and_what_it_said_is_recorded(root: Path, host: str, event: str) -> None:
    said = asked(stop(root, host, event))

    assert "3 days of notes for MEMORY.md" in said
    assert f"-C {root} curate --apply -" in said
    assert [asked(stop(root, host, event)) for _ in range(2)] == ["", ""]
    assert kinds(root).count("note") == 3
    assert asked(stop(root, host, event, now="2026-11-21T07:00:00+01:00")) == said
    command = shlex.split(said.rstrip().split("\n")[-2])
    assert b"## Candidates" in subprocess.run(command, capture_output=True, check=True).stdout


def test_a_clock_that_is_set_back_asks_no_second_time(root: Path) -> None:
    assert asked(stop(root))

    assert asked(stop(root, now="2026-11-19T20:00:00+01:00")) == ""
    assert asked(stop(root)) == ""
    assert asked(stop(root, now="2026-11-21T07:00:00+01:00"))


def test_a_day_that_a_wrong_clock_has_noted_far_ahead_silences_nobody(root: Path) -> None:
    assert asked(stop(root, now="2038-01-19T04:14:08+01:00"))

    assert asked(stop(root))


def test_two_days_of_notes_are_few(root: Path) -> None:
    (root / DAYS[0]).unlink()

    assert asked(stop(root)) == ""


def _shared(root: Path) -> None:
    Workspace.open(str(root)).session.start(session="s-shared", audience="shared")


QUIET: dict[str, tuple[Callable[[Path], object], dict[str, Any]]] = {
    "a hook has it go on already": (lambda root: None, {"stop_hook_active": True}),
    "the host does not say whether": (lambda root: None, {"stop_hook_active": None}),
    "by default": (lambda root: wants(root, "session"), {}),
    "never": (lambda root: wants(root, "never"), {}),
    "nothing waits": (lambda root: (root / DAYS[0]).unlink(), {}),
    "others listen": (_shared, {"session_id": "s-shared"}),
    "a file where a folder should be": (lambda root: (root / local_dir.CURATION).mkdir(parents=True), {}),
    "no manifest to read": (lambda root: (root / layout.MANIFEST).write_text("agent = ["), {}),
}


@pytest.mark.parametrize("why", QUIET)
@pytest.mark.parametrize(("host", "event"), ENDS)
def test_else_the_turn_ends(root: Path, host: str, event: str, why: str) -> None:
    prepare, said = QUIET[why]
    prepare(root)

    assert asked(stop(root, host, event, **said)) == ""


@pytest.mark.parametrize("event", ["SubagentStop", "PostToolUse", "UserPromptSubmit"])
def test_nothing_but_the_end_of_a_turn_asks(root: Path, event: str) -> None:
    said = {**payloads.of("claude-code")["Stop"], **GO_ON, "hook_event_name": event, "prompt": "Count the herons"}

    assert "block" not in hook(root, "claude-code", event, said, AGENTWS_NOW=FRIDAY).stdout.decode()


def test_a_day_on_which_it_has_answered_is_over(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AGENTWS_NOW", FRIDAY)
    assert forked.run("-C", str(root), "curate").returncode == 0
    answer = root / "answer"
    answer.write_text("NONE\n")
    assert forked.run("-C", str(root), "curate", "--apply", str(answer)).returncode == 0
    for day in (21, 22, 23):
        (root / f"memory/2026-11-{day}.md").write_text("- measured the garden wall once more\n")

    assert asked(stop(root)) == ""
    assert asked(stop(root, now="2026-11-24T07:00:00+01:00"))


def test_whoever_curates_at_that_moment_is_not_disturbed(root: Path) -> None:
    with locked(root, "curation"):
        assert asked(stop(root)) == ""
    assert asked(stop(root))


def test_of_two_sessions_that_end_a_turn_at_once_one_is_asked(root: Path) -> None:
    from concurrent.futures import ThreadPoolExecutor

    def ended(number: int) -> str:
        said = json.dumps({**payloads.of("claude-code")["Stop"], **GO_ON, "session_id": f"s{number}"}).encode()
        words = ("-C", str(root), "hook", "claude-code", "Stop")
        return asked(started(*words, given=said, AGENTWS_NOW=FRIDAY, TZ="Europe/Berlin"))

    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(ended, range(4)))

    assert sum(map(bool, found)) == 1


def test_boots_header_says_nothing_where_nobody_wants_to_be_told(root: Path) -> None:
    def header() -> bool:
        return "of notes for MEMORY.md" in agentws(root, "boot")["text"]

    (root / "memory/sources.jsonl").write_text("")
    assert header(), "beside the end of a turn"
    wants(root, "never")
    assert not header()
    wants(root, "session")
    assert header()
