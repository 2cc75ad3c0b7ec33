"""Who finds the workspace held waits for a bounded time, then changes nothing and says so (exit code 11)."""

from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from agentws.core.disk import lock
from agentws.core.disk.change import transaction
from agentws.core.disk.files import Files
from agentws.errors import LockHeldError
from agentws.features.tasks import change
from agentws.workspace import Workspace
from tests.crash import harness, journal_reader, scenarios
from tests.thorough import THOROUGH

TASKS = change._LOCK
Verb = Callable[[Workspace], Any]
VERBS: dict[str, Verb] = {
    "handoff": lambda workspace: workspace.handoff(doing="the roof", session="s1"),
    "ack": lambda workspace: workspace.handoff.ack("evening"),
    "remember": lambda workspace: workspace.remember("Leo likes his coffee black"),
    "done": lambda workspace: workspace.done("hedge"),
    "task add": lambda workspace: workspace.tasks.add("Fence"),
    "task step": lambda workspace: workspace.tasks.step("roof", "now"),
    "task wait": lambda workspace: workspace.tasks.wait("roof", on="Sam"),
    "task due": lambda workspace: workspace.tasks.due(),
    "session start": lambda workspace: workspace.session.start(session="s2"),
    "session end": lambda workspace: workspace.session.end(session="s1"),
}
LOCKS = {
    lock.TRANSACTION: ["handoff", "ack", "remember", "done", "task add", "task step", "task wait", "task due"],
    lock.APPEND: list(VERBS),
    TASKS: ["task add", "task step", "task wait", "task due"],
}
CASES = [(name, verb) for name, verbs in LOCKS.items() for verb in verbs]


@pytest.fixture
def root(tmp_path: Path) -> str:
    """A workspace with a running session, an open handoff, and tasks, one of which is ready to be woken."""
    root = str(tmp_path / "robin")
    scenarios._workspace(root)
    workspace = scenarios.opened(root)
    workspace.session.start(session="s1")
    workspace.handoff(doing="the hedge", session="evening")
    workspace.tasks.add("Roof", start=True)
    workspace.tasks.add("Gate", start=True)
    with open(f"{root}/MEMORY.md", "a") as memory:
        memory.write("- [ ] Trim the hedge\n")
    workspace.tasks.wait("gate", path="notes.txt")
    return root


@pytest.fixture
def hurried(monkeypatch: pytest.MonkeyPatch) -> None:
    """Who waits for a lock gives up soon."""
    monkeypatch.setattr(lock, "TIMEOUT_S", 0.02)
    monkeypatch.setattr(transaction, "_LOCK_TIMEOUT_S", 0.02)


@pytest.mark.usefixtures("hurried")
@pytest.mark.parametrize(("name", "verb"), CASES)
def test_what_is_held_too_long_is_an_error_that_changed_nothing(root: str, name: str, verb: str) -> None:
    before, events = harness.documents(root), journal_reader.events(root)

    with lock.Lock(Files(root), name, timeout_s=1), pytest.raises(LockHeldError) as raised:
        VERBS[verb](scenarios.opened(root))

    assert raised.value.exit_code == 11
    assert harness.documents(root) == before
    assert journal_reader.events(root) == events
    assert VERBS[verb](scenarios.opened(root)) is not None, "it works once the lock is free"
    assert harness.documents(root) != before


@pytest.mark.parametrize(("name", "verb"), CASES[:: 1 if THOROUGH else 3])
def test_what_is_held_for_a_moment_is_waited_for(root: str, name: str, verb: str) -> None:
    before = harness.documents(root)
    held, tried = threading.Event(), threading.Event()

    def hold() -> None:
        with lock.Lock(Files(root), name, timeout_s=1):
            held.set()
            tried.wait(10)

    holder = threading.Thread(target=hold)
    holder.start()
    held.wait(10)
    threading.Timer(0.1, tried.set).start()
    VERBS[verb](scenarios.opened(root))
    holder.join()

    assert harness.documents(root) != before


def started(words: list[str]) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "agentws", *words]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def test_commands_that_find_it_held_exit_with_11_and_name_the_holder(root: str) -> None:
    before = harness.documents(root)
    commands = [["handoff", "--doing", "the roof"], ["remember", "a fact"], ["task", "done", "roof"]]

    with lock.Lock(Files(root), lock.TRANSACTION, timeout_s=1, note="undo"):
        running = [started([*words, "-C", root]) for words in commands]
        said = [process.communicate(timeout=60) for process in running]

    assert [process.returncode for process in running] == [11, 11, 11], said
    for printed, complained in said:
        assert printed == ""
        assert "undo" in complained
        assert "Nothing was changed" in complained
    assert harness.documents(root) == before


def test_a_task_that_was_changed_before_the_journal_was_held_says_so(
    root: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def held(*_: object) -> None:
        raise LockHeldError("This workspace is being changed by another process.", hint="nothing was changed")

    monkeypatch.setattr(change.Bench, "_record", held)

    with pytest.raises(LockHeldError, match=r"tasks/fence\.md: changed, but not recorded in the journal") as raised:
        scenarios.opened(root).tasks.add("Fence")

    assert "nothing" not in (raised.value.hint or "").lower()
    monkeypatch.undo()
    assert scenarios.opened(root).tasks.done("fence").noticed == ["fence"]
