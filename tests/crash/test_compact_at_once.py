"""P5, P6, P11: of runs of compaction at once one gives way; nothing is lost while others log, remember, replace facts
and answer briefs."""

from __future__ import annotations

import json
import subprocess
import sys
from collections import Counter
from pathlib import Path

from agentws.workspace import Environment, Workspace
from tests.thorough import THOROUGH

FOLDING, WRITING, CURATING = 4, 3, 2
ROUNDS = 30 if THOROUGH else 3
WORKER = """
import json, os, sys
from agentws.errors import ChangedUnderneathError, LockHeldError, NothingToUndoError
from agentws.workspace import Environment, Workspace
root, state, name, rounds, acks = sys.argv[1], sys.argv[2], sys.argv[3], int(sys.argv[4]), sys.argv[5]
workspace = Workspace.open(root, environment=Environment(timezone="UTC", state=(state, None)))
out = os.open(acks, os.O_WRONLY | os.O_CREAT | os.O_APPEND)

def ack(kind, text):
    os.write(out, (json.dumps([kind, text]) + "\\n").encode())

def patiently(call, *give_up):
    while True:
        try:
            return call()
        except (ChangedUnderneathError, LockHeldError):
            pass
        except give_up:
            return None

def fold(number):
    what = f"{name}-{number}"
    # Days of long ago, written by hand: now and then under a name that is archived already.
    names = [f"2020-01-{number % 28 + 1:02}-{what}.md", f"2020-02-01-{name}.md"]
    for path in {f"{root}/memory/{each}" for each in names}:
        with open(path + ".tmp", "w") as file:
            value = hash((what, path)) % 9973
            file.write(f"## Decisions\\n- [decision] Chose the value {value} for {what} in {os.path.basename(path)}\\n")
        try:
            os.link(path + ".tmp", path)
            ack("day", open(path + ".tmp").read())
        except FileExistsError:
            pass
        os.unlink(path + ".tmp")
    done = patiently(lambda: workspace.memory.compact())
    ack("run", len(done.days))
    if name == "fold-0" and number % 2:
        ack("undone", bool(patiently(workspace.memory.undo, NothingToUndoError)))

def write(number):
    what = f"{name}-{number}"
    workspace.log(f"log {what}")
    ack("log", what)
    patiently(lambda: workspace.remember(f"fact {what}"))
    patiently(lambda: workspace.remember(f"the new fact {what}", replaces=f"fact {what}"))
    ack("fact", what)

def curate(number):
    workspace.log(f"[rule] Ask {name} about number {number} first")
    shown = patiently(workspace.memory.brief).brief
    said = [f"ADD [{one.kind or 'fact'}] {one.text} {{{one.refs[0]}}}" for one in shown.candidates if one.refs]
    said += [f"UPDATE {row.number} {row.entry.text}, again" for row in shown.rows if "Ask" in row.entry.text][-1:]
    done = patiently(lambda: workspace.memory.curate("\\n".join(said[-4:] or ["NONE"])))
    for one in done.applied:
        if one.text:
            ack("curated", one.text)

for number in range(rounds):
    {"fold": fold, "write": write, "curate": curate}[name.partition("-")[0]](number)
"""


def start(root: Path, folder: Path, name: str) -> subprocess.Popen[str]:
    words = [str(root), str(folder / "state"), name, str(ROUNDS), str(folder / "acks")]
    return subprocess.Popen([sys.executable, "-c", WORKER, *words], stderr=subprocess.PIPE, text=True)


def test_nothing_is_lost_when_many_fold_while_others_write(tmp_path: Path) -> None:
    root = tmp_path / "robin"
    workspace = Workspace.init(
        str(root), environment=Environment(timezone="UTC", state=(str(tmp_path / "state"), None)), git=False
    )
    names = [*(f"fold-{number}" for number in range(FOLDING)), *(f"write-{number}" for number in range(WRITING))]
    names += [f"curate-{number}" for number in range(CURATING)]

    for process in [start(root, tmp_path, name) for name in names]:
        _, said = process.communicate(timeout=600)
        assert process.returncode == 0, said

    workspace.memory.compact()
    told = [json.loads(line) for line in (tmp_path / "acks").read_text().splitlines()]
    acks = {kind: [what for each, what in told if each == kind] for kind, _ in told}
    logs = [path.read_text() for path in (root / "memory").rglob("2*.md")]
    memory = (root / "MEMORY.md").read_text().split("\n")
    assert Counter(text for text in logs if text.startswith("## Decisions")) == Counter(acks["day"])
    assert not list((root / "memory").glob("2020-*"))
    assert all("".join(logs).count(f" log {what}\n") == 1 for what in acks["log"])
    assert all(memory.count(f"- the new fact {what}") == 1 for what in acks["fact"])
    assert acks["curated"]
    left = (root / "memory/archive/superseded.md").read_text()
    assert all(left.count(f"- fact {what} → ") == 1 for what in acks["fact"])
    assert not [text for text in acks["curated"] if f"- {text}" not in {*memory} and f"- {text} " not in left]
    assert len(acks["log"]) == len(acks["fact"]) == WRITING * ROUNDS
    assert any(acks["run"])
    assert any(acks["undone"])
    found = workspace.memory.verify()
    assert (found.faults, found.edited) == ([], [])
    assert found.days == len(acks["day"])
    assert found.sourced > 0
    assert workspace.memory.compact().changes.changes == ()
    assert [one.says for one in workspace.status().checks if not one.ok] == []
    assert not list(root.rglob("*.agentws-*")), "left behind"


RACER = """
import sys
from agentws.errors import AgentwsError
from agentws.workspace import Environment, Workspace
workspace = Workspace.open(sys.argv[1], environment=Environment(timezone="UTC"))
print("ready", flush=True)
sys.stdin.readline()
try:
    print(len(workspace.memory.compact().days))
except AgentwsError as error:
    print(-error.exit_code)
"""


def test_of_two_runs_at_once_one_folds_and_the_other_gives_way(tmp_path: Path) -> None:
    for number in range(20 if THOROUGH else 2):
        root = tmp_path / f"robin-{number}"
        Workspace.init(str(root), environment=Environment(timezone="UTC"), git=False)
        for day in range(1, 10):
            (root / f"memory/2020-01-0{day}.md").write_text(f"- Chose the value {day} for good\n")
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
        racers = [subprocess.Popen([sys.executable, "-c", RACER, str(root)], **pipes) for _ in range(2)]  # type: ignore[call-overload]
        for racer in racers:
            assert racer.stdout.readline() == "ready\n"
        for racer in racers:
            racer.stdin.write("go\n")
            racer.stdin.flush()

        said = sorted(int(racer.communicate(timeout=120)[0]) for racer in racers)

        assert said in ([-11, 9], [0, 9])
        assert Workspace.open(str(root), environment=Environment(timezone="UTC")).memory.verify().faults == []
