"""Eight threads in each of four processes do everything at once; a second workspace beside notices nothing."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections import Counter
from pathlib import Path

from agentws.workspace import Environment, Workspace
from tests.crash import scenarios

PROCESSES, THREADS, ROUNDS = 4, 8, 20 if scenarios.THOROUGH else 4
WORKER = """
import json, os, sys, threading
from agentws.errors import ChangedUnderneathError, LockHeldError
from agentws.workspace import Environment, Workspace
root, state, name, threads, rounds, acks = sys.argv[1:4] + [int(sys.argv[4]), int(sys.argv[5]), sys.argv[6]]
workspace = Workspace.open(root, environment=Environment(timezone="UTC", state=(state, None)))
out = os.open(acks, os.O_WRONLY | os.O_CREAT | os.O_APPEND)

def ack(kind, text):
    os.write(out, (json.dumps([kind, text]) + "\\n").encode())

def patiently(call):
    while True:
        try:
            return call()
        except (ChangedUnderneathError, LockHeldError):
            pass

def work(thread):
    for number in range(rounds):
        what = f"{name}-{thread}-{number}"
        workspace.log(f"log {what}")
        ack("log", what)
        with workspace.session(session=f"session-{what}") as session:
            with session.action("touch", {"what": what}, call=f"call-{what}") as call:
                call.result("ok")
            ack("action", what)
            session.decision(f"decided {what}")
            ack("decision", what)
        patiently(lambda: workspace.remember(f"fact {what}"))
        ack("fact", what)
        if thread < 2:
            slug = patiently(lambda: workspace.add_task(f"Task {what}")).slug
            patiently(lambda: workspace.start_task(slug))
            patiently(lambda: workspace.finish_task(slug))
            ack("task", slug)
        workspace.boot(budget=500)

failed = []
def guarded(thread):
    try:
        work(thread)
    except BaseException as error:
        import traceback
        failed.append(traceback.format_exc())
running = [threading.Thread(target=guarded, args=(n,)) for n in range(threads)]
[thread.start() for thread in running]
[thread.join() for thread in running]
print("".join(failed))
sys.exit(bool(failed))
"""


def test_nothing_that_was_acknowledged_is_lost_when_all_happens_at_once(tmp_path: Path) -> None:
    roots = [tmp_path / "one" / "robin", tmp_path / "two" / "robin"]
    for root in roots:
        os.makedirs(root.parent)
        Workspace.init(str(root), environment=Environment(timezone="UTC"), git=False)
    running = [
        (root, subprocess.Popen(words(root, f"p{number}", tmp_path), stdout=subprocess.PIPE, text=True))
        for number in range(PROCESSES)
        for root in (roots if number == 0 else roots[:1])
    ]

    for _, process in running:
        printed, _ = process.communicate(timeout=300)
        assert process.returncode == 0, printed

    for root in roots:
        check(root, tmp_path)


def words(root: Path, name: str, folder: Path) -> list[str]:
    """The command line of one process, whose acknowledgements go to a file of their own."""
    name = f"{root.parent.name}-{name}"
    state, acks = str(folder / f"state-{root.parent.name}"), str(folder / f"acks-{root.parent.name}")
    return [sys.executable, "-c", WORKER, str(root), state, name, str(THREADS), str(ROUNDS), acks]


def check(root: Path, folder: Path) -> None:
    """Every acknowledged thing is there once, and nothing of the other workspace."""
    acks = [json.loads(line) for line in (folder / f"acks-{root.parent.name}").read_text().splitlines()]
    log = "".join(file.read_text() for file in (root / "memory").glob("2*.md"))
    memory = (root / "MEMORY.md").read_text().split("\n")
    workspace = Workspace.open(
        str(root), environment=Environment(state=(str(folder / f"state-{root.parent.name}"), None))
    )
    events = Counter((event.kind, event.call or (event.body or {}).get("text")) for event in workspace.events())
    for kind, what in acks:
        if kind == "log":
            assert log.count(f" log {what}\n") == 1
        elif kind == "fact":
            assert memory.count(f"- fact {what}") == 1
        elif kind == "action":
            assert events["action", f"call-{what}"] == events["result", f"call-{what}"] == 1
        elif kind == "decision":
            assert events["decision", f"decided {what}"] == 1
        else:
            assert "status: done" in (root / "tasks" / f"{what}.md").read_text()
    assert len(acks) == len({tuple(ack) for ack in acks})
    assert workspace.verify_journal().sound
    other = {"one": "two-", "two": "one-"}[root.parent.name]
    assert other not in log + "\n".join(memory)
    assert not list(root.rglob("*.agentws-*")), "left behind"
    assert len(acks) == (PROCESSES if root.parent.name == "one" else 1) * ROUNDS * (4 * THREADS + 2)
