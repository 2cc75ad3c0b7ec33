"""Many at once: every verb that was acknowledged is in its file and in the journal, once."""

from __future__ import annotations

import multiprocessing
import threading

from agentws.workspace import Environment, Workspace
from tests.conftest import NOW
from tests.operations.task.events import kinds, told

PROCESSES, THREADS, EACH = 3, 2, 3


def _work(root: str) -> None:
    threads = [threading.Thread(target=_add_and_finish, args=(root,)) for _ in range(THREADS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def _add_and_finish(root: str) -> None:
    workspace = Workspace.open(root, environment=Environment(now=NOW, timezone="UTC"))
    for _ in range(EACH):
        workspace.finish_task(workspace.add_task("The same title", start=True).slug)


def test_processes_and_threads_take_turns_and_nothing_is_told_twice(workspace: Workspace) -> None:
    starting = multiprocessing.get_context("spawn")
    processes = [starting.Process(target=_work, args=(workspace.root,)) for _ in range(PROCESSES)]
    for process in processes:
        process.start()
    for process in processes:
        process.join()

    count = PROCESSES * THREADS * EACH
    found = workspace.tasks(all=True).tasks
    assert [process.exitcode for process in processes] == [0] * PROCESSES
    assert {one.status for one in found} == {"done"}
    assert len(found) == count
    assert sorted(kinds(workspace)) == sorted(
        line for one in found for line in (f"added {one.slug}: None → active", f"done {one.slug}: active → done")
    )
    assert not any("noticed" in event for event in told(workspace))
