"""Backups beside processes that write as fast as they can, killed with `kill -9` again and again: what was acknowledged
before a backup began is in it, what is in it was written, and the drill counts what is not."""

from __future__ import annotations

import os
import random
import subprocess
import sys
from pathlib import Path

import pytest

from agentws.features.copies.backup.restore import restore_backup
from agentws.features.copies.backup.verify import verify_backup
from agentws.workspace import Environment, Workspace, list_backups
from tests.thorough import THOROUGH

ROUNDS = 20 if THOROUGH else 3
WRITES = """
import sys
from agentws.workspace import Environment, Workspace
opened = Workspace.open(sys.argv[1], environment=Environment(timezone="UTC", state=(None, sys.argv[2])))
number = 0
while True:
    number += 1
    opened.event("note", f"said {sys.argv[3]}-{number}")
    if number % 5 == 0:
        opened.log(f"logged {sys.argv[3]}-{number}")
    print(number, flush=True)
"""
COPIES = """
import sys
from agentws.workspace import Environment, Workspace
opened = Workspace.open(sys.argv[1], environment=Environment(timezone="UTC", state=(None, sys.argv[2])))
print("begins", flush=True)
(made,) = opened.copies.create(sys.argv[3], rule="all")
print(made.name, flush=True)
"""


def started(program: str, *words: str) -> subprocess.Popen[str]:
    return subprocess.Popen([sys.executable, "-c", program, *words], stdout=subprocess.PIPE, text=True)


@pytest.mark.parametrize("kind", ["folder", "git"])
def test_a_backup_under_load_holds_what_was_acknowledged_before_it_began(tmp_path: Path, kind: str) -> None:
    root, stick, state = (str(tmp_path / name) for name in ("robin", "stick", "state"))
    if kind == "git":
        subprocess.run(["git", "init", "-q", "--bare", stick], check=True)
    environment = Environment(timezone="UTC", state=(None, state))
    Workspace.init(root, environment=environment, name="Robin", git=False)
    chance = random.Random(11)
    acked: dict[str, int] = {}
    """What was acknowledged before the backup of this name began."""
    for round_ in range(ROUNDS):
        writer = started(WRITES, root, state, str(round_))
        assert writer.stdout
        known = [int(writer.stdout.readline()) for _ in range(10)][-1]
        copier = started(COPIES, root, state, stick)
        assert copier.stdout
        copier.stdout.readline()
        if round_ % 2:
            for _ in range(chance.randrange(40)):
                writer.stdout.readline()
            copier.kill()
        name = copier.stdout.readline().strip()
        copier.communicate()
        writer.kill()
        writer.communicate()
        if name:
            acked[name] = known
            check(tmp_path, environment, name, f"{round_}-{known}")
    assert len(acked) >= ROUNDS // 2


def check(base: Path, environment: Environment, name: str, last: str) -> None:
    assert list_backups(str(base / "stick"))[-1].name == name
    assert verify_backup(str(base / "stick")).well
    back = base / f"back-{name}"
    restore_backup(str(base / "stick"), str(back))
    said, here = lines(back), lines(base / "robin")
    assert any(f'"said {last}"'.encode() in line for line in said)
    assert said <= here, "what is in it was written"
    drilled = Workspace.open(str(base / "robin"), environment=environment).copies.drill()
    assert drilled.well
    assert drilled.events == len(here - said)
    assert not os.path.exists(back / ".agentws" / "arrival.json")


def lines(root: Path) -> set[bytes]:
    return {line for path in (root / "journal").rglob("*.jsonl") for line in path.read_bytes().split(b"\n")[:-1]}
