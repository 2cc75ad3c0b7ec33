"""Eight threads in each of four processes of two agents do everything at once; a second workspace notices nothing."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

from agentws.workspace import Environment, Workspace
from tests.core.journal import journals
from tests.thorough import THOROUGH

PROCESSES, THREADS, ROUNDS = 4, 8, 20 if THOROUGH else 2
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
            slug = patiently(lambda: workspace.tasks.add(f"Task {what}")).slug
            patiently(lambda: workspace.tasks.start(slug))
            patiently(lambda: workspace.tasks.done(slug))
            ack("task", slug)
        if thread == 2:
            slug = patiently(lambda: workspace.tasks.add(f"Wait {what}", start=True)).slug
            patiently(lambda: workspace.tasks.wait(slug, path="SOUL.md"))
            ack("waits", slug)
            for one in patiently(workspace.tasks.due).woken:
                ack("woken", one.slug)
        if thread in (3, 4):
            run = workspace.session.start(session=f"run-{what}", process=os.getpid()).session
            written = patiently(lambda: workspace.handoff(doing=f"handed {what}", session=run))
            ack("handoff", [written.path, run])
            assert written.path in [row.path for row in workspace.handoff.list(all=True).rows]
            if thread == 3:
                ack("closed", patiently(lambda: workspace.handoff.ack(written.path)).path)
            workspace.session.end(session=run)
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
        (root, subprocess.Popen(words(root, number, tmp_path), stdout=subprocess.PIPE, text=True))
        for number in range(PROCESSES)
        for root in (roots if number == 0 else roots[:1])
    ]

    for _, process in running:
        printed, _ = process.communicate(timeout=300)
        assert process.returncode == 0, printed

    for root in roots:
        check(root, tmp_path)


KEEPER = """
import sys, threading
from agentws.errors import ChangedUnderneathError, LockHeldError
from agentws.workspace import Environment, Workspace
root, name = sys.argv[1:]
environment = Environment(timezone="UTC")

def work(thread):
    workspace = Workspace.open(root, environment=environment)
    for number in range(2):
        while True:
            try:
                workspace.remember(f"fact {name}-{thread}-{number}")
                break
            except (ChangedUnderneathError, LockHeldError):
                pass
        workspace.status()

failed = []
def guarded(thread):
    try:
        work(thread)
    except BaseException:
        import traceback
        failed.append(traceback.format_exc())
running = [threading.Thread(target=guarded, args=(n,)) for n in range(4)]
[thread.start() for thread in running]
[thread.join() for thread in running]
print("".join(failed))
sys.exit(bool(failed))
"""


def test_no_verb_fails_for_the_history_that_all_of_them_keep_at_once(tmp_path: Path) -> None:
    root = tmp_path / "robin"
    workspace = Workspace.init(str(root), environment=Environment(timezone="UTC"), git=True)
    running = [
        subprocess.Popen([sys.executable, "-c", KEEPER, str(root), str(number)], stdout=subprocess.PIPE, text=True)
        for number in range(PROCESSES)
    ]

    for process in running:
        printed, _ = process.communicate(timeout=300)
        assert process.returncode == 0, printed

    facts = [line for line in (root / "MEMORY.md").read_text().split("\n") if line.startswith("- fact ")]
    assert len(facts) == len({fact.split()[2] for fact in facts}) == PROCESSES * 4 * 2
    assert not (root / ".agentws" / "history-failure").exists()
    assert [one.says for one in workspace.status().checks if not one.ok] == []
    newest = subprocess.run(["git", "show", "HEAD:MEMORY.md"], cwd=root, capture_output=True, check=True).stdout
    assert newest == (root / "MEMORY.md").read_bytes()


def words(root: Path, number: int, folder: Path) -> list[str]:
    """The command line of one process, whose acknowledgements go to a file of the workspace's.

    The odd ones are another agent: an installation of its own, with a journal of its own.
    """
    place = root.parent.name
    state, acks = str(folder / f"state-{place}-{number % 2}"), str(folder / f"acks-{place}")
    return [sys.executable, "-c", WORKER, str(root), state, f"{place}-p{number}", str(THREADS), str(ROUNDS), acks]


def check(root: Path, folder: Path) -> None:
    """Every acknowledged thing is there once, and nothing of the other workspace."""
    acks = [json.loads(line) for line in (folder / f"acks-{root.parent.name}").read_text().splitlines()]
    log = "".join(file.read_text() for file in (root / "memory").glob("2*.md"))
    memory = (root / "MEMORY.md").read_text().split("\n")
    workspace = Workspace.open(
        str(root), environment=Environment(state=(str(folder / f"state-{root.parent.name}-0"), None))
    )
    # Who of the two agents began a moment later is a stranger to the other, until a person vouches for it.
    journals.knows(workspace)
    events = Counter((event.kind, event.call or (event.body or {}).get("text")) for event in workspace.journal.list())
    for kind, what in acks:
        if kind == "log":
            assert log.count(f" log {what}\n") == 1
        elif kind == "fact":
            assert memory.count(f"- fact {what}") == 1
        elif kind == "action":
            assert events["action", f"call-{what}"] == events["result", f"call-{what}"] == 1
        elif kind == "decision":
            assert events["decision", f"decided {what}"] == 1
        elif kind == "task":
            assert "status: done" in (root / "tasks" / f"{what}.md").read_text()
    check_waiting(workspace, acks)
    check_handoffs(workspace, acks)
    assert len(acks) == len({json.dumps(ack) for ack in acks})
    assert workspace.journal.verify().sound
    assert [one.says for one in workspace.status().checks if not one.ok] == []
    other = {"one": "two-", "two": "one-"}[root.parent.name]
    everything = [path.read_text() for folder in ("tasks", "handoffs") for path in (root / folder).glob("*.md")]
    assert not any(other in text for text in (log, *memory, *everything))
    assert len(list(root.glob("journal/*/000001.jsonl"))) == (2 if root.parent.name == "one" else 1)
    assert not list(root.rglob("*.agentws-*")), "left behind"
    assert len(acks) == (PROCESSES if root.parent.name == "one" else 1) * ROUNDS * (4 * THREADS + 2 + 2 + 3)


def check_waiting(workspace: Workspace, acks: list[list[Any]]) -> None:
    """Every task that waited for a file that is there was woken by one of the many that looked, and once."""
    waited = [what for kind, what in acks if kind == "waits"]
    told = [(event.body or {})["task"] for event in workspace.journal.list() if event.kind == "task.woken"]

    assert sorted(what for kind, what in acks if kind == "woken") == sorted(waited) == sorted(told)
    assert {one.status for one in workspace.tasks.list(all=True).tasks if one.slug in waited} == {"active"}
    assert not workspace.tasks.due().woken


def check_handoffs(workspace: Workspace, acks: list[list[Any]]) -> None:
    """Every handoff is there once, in words and in the journal, of the session that wrote it; those closed are so."""
    written = {path: run for kind, what in acks if kind == "handoff" for path, run in [what]}
    closed = {what for kind, what in acks if kind == "closed"}
    rows = {row.path: row for row in workspace.handoff.list(all=True).rows}
    events = Counter((event.kind, (event.body or {}).get("path")) for event in workspace.journal.list())

    assert rows.keys() == written.keys()
    for path, run in written.items():
        text = Path(workspace.root, path).read_text()
        assert text.count(f"handed {run.removeprefix('run-')}\n") == 1
        assert rows[path].session == run
        assert events["handoff.written", path] == 1
        assert events["handoff.closed", path] == (path in closed)
        assert path not in closed or rows[path].status == "closed"
    runs = [event for event in workspace.journal.list() if event.session in written.values()]
    assert Counter(event.kind for event in runs if event.kind.startswith("session.")) == {
        "session.started": len(written), "session.ended": len(written),
    }  # fmt: skip
