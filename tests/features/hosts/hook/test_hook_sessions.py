"""Where a host's session begins, whether it leaves work, and the boot that is due after its agent forgot."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from agentws.core.disk import lock
from agentws.core.installation import host_info
from agentws.workspace import Workspace


@pytest.fixture
def other() -> Iterator[int]:
    """Another process than this one."""
    with subprocess.Popen(["sleep", "600"]) as process:
        yield process.pid
        process.kill()


def begin(workspace: Workspace, session: str, process: int | None = None) -> None:
    workspace.plumbing.begin_once(session, process=process or os.getpid(), text="codex", start=workspace.session.start)


def starts(workspace: Workspace) -> list[str | None]:
    return [one.session for one in workspace.journal.list(kinds=("session.started",))]


def test_a_session_that_runs_is_not_begun_twice(workspace: Workspace) -> None:
    for _ in range(3):
        begin(workspace, "s1")
    begin(workspace, "s2")

    assert starts(workspace) == ["s1", "s2"]


def test_a_session_that_another_process_resumes_begins_again(workspace: Workspace, other: int) -> None:
    begin(workspace, "s1")
    begin(workspace, "s1", other)
    begin(workspace, "s1", other)

    assert starts(workspace) == ["s1", "s1"]


def test_a_session_that_ended_begins_again(workspace: Workspace) -> None:
    begin(workspace, "s1")
    workspace.session.end(session="s1")
    begin(workspace, "s1")

    assert starts(workspace) == ["s1", "s1"]


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="this system has no /proc")
@pytest.mark.parametrize("shell", ["sh", "bash"])
def test_the_process_of_a_session_is_the_host_and_not_the_shell_that_calls_the_hook(
    workspace: Workspace, shell: str
) -> None:
    code = (
        "import os, sys; from agentws.workspace import Workspace; w = Workspace.open(sys.argv[1]);"
        "w.plumbing.begin_once('s1', process=os.getppid(), text='', start=w.session.start)"
    )
    # `true` behind it: else the shell becomes the program.
    words = [shell, "-c", f'{sys.executable} -c "{code}" {workspace.root}; true']
    subprocess.run(words, check=True)

    (started,) = workspace.journal.list(kinds=("session.started",))
    assert started.body is not None
    assert started.body["process"] == os.getpid()
    assert started.body["started"] == host_info.process(os.getpid())["started"]
    (row,) = workspace.session.list().rows
    assert row.likely.state == "running"


def test_one_of_two_hooks_begins_the_session(workspace: Workspace) -> None:
    begun = []

    with lock.Lock(workspace.stores.files, "hook", timeout_s=1):
        notices = workspace.plumbing.begin_once(
            "s1", process=os.getpid(), text="", start=lambda *_, **__: begun.append(1)
        )

    assert begun == []
    assert notices == ["Another hook is already starting this session."]


# Work


def test_a_session_without_work_leaves_none(workspace: Workspace) -> None:
    begin(workspace, "s1")
    workspace.event("action", tool="bash", session="another")

    assert not workspace.plumbing.has_work("s1")
    assert workspace.plumbing.has_work("another")
    assert not workspace.plumbing.has_work("nobody")


def test_what_was_handed_over_is_no_work_any_more(workspace: Workspace) -> None:
    begin(workspace, "s1")
    workspace.event("action", tool="bash", call="c1", session="s1")
    workspace.handoff(doing="the roof", session="s1")

    assert not workspace.plumbing.has_work("s1")

    # The rest of the turn in which the agent wrote it.
    workspace.event("result", call="c1", session="s1", via="tool:bash")
    workspace.event("note", "Handed over.", session="s1", via="agent:codex")

    assert not workspace.plumbing.has_work("s1")

    workspace.event("note", "And now the door", session="s1", via="user")

    assert workspace.plumbing.has_work("s1")


def test_a_transaction_of_somebody_else_is_noticed(workspace: Workspace) -> None:
    assert not workspace.plumbing.is_changing()

    with lock.Lock(workspace.stores.files, lock.TRANSACTION, timeout_s=1):
        assert workspace.plumbing.is_changing()

    assert not workspace.plumbing.is_changing()


# A boot that is due


def test_a_boot_is_due_for_its_session_until_it_was_told(workspace: Workspace) -> None:
    workspace.plumbing.remind_of_boot("s1")
    workspace.plumbing.remind_of_boot("s1")

    assert workspace.plumbing.is_boot_due("s1")
    assert not workspace.plumbing.is_boot_due("s2")

    workspace.plumbing.forget_boot("s1")
    workspace.plumbing.forget_boot("s1")

    assert not workspace.plumbing.is_boot_due("s1")
