"""P1, P2, P11 on real file systems: the power is cut while days are folded and taken back; every line is there once.

Needs root; how it is done says test_power_cuts.py.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable
from pathlib import Path

from agentws.errors import NothingToUndoError
from tests.crash import harness, scenarios, test_power_cuts
from tests.crash.test_power_cuts import each_disk
from tests.crash.test_verb_power_cuts import assert_caught, cut, facts, patiently
from tests.thorough import THOROUGH

disk = test_power_cuts.disk

CUTS = 20 if THOROUGH else 1
Ack = Callable[[str], None]


def folding(root: str, name: str, ack: Ack) -> None:
    """Write old days by hand and fold them; now and then take a run back; for ever."""
    number = 0
    while True:
        token = f"{name}-{number}"
        write(
            root,
            f"memory/2026-09-{number % 28 + 1:02}-{token}.md",
            f"## Decisions\n- [decision] Chose {token} for good\n".encode(),
        )
        ack(f"day:{token}")
        workspace = scenarios.opened(root)
        patiently(lambda on=workspace: on.memory.compact())
        ack(f"folded:{token}")
        if number % 3 == 2:
            try:
                patiently(workspace.memory.undo)
            except NothingToUndoError:  # the other one has taken back what was there
                continue
            ack(f"undone:{token}")
        number += 1


def write(root: str, path: str, data: bytes) -> None:
    """Write a file as one that is careful does."""
    fd = os.open(f"{root}/{path}", os.O_WRONLY | os.O_CREAT | os.O_EXCL)
    os.write(fd, data)
    os.fsync(fd)
    os.close(fd)
    folder = os.open(os.path.dirname(f"{root}/{path}"), os.O_RDONLY)
    os.fsync(folder)
    os.close(folder)


def check(root: str, acked: list[str]) -> None:
    """Every day that was written is there once, whole; --verify finds no fault; what is remembered is there."""
    workspace = scenarios.opened(root)
    patiently(lambda: workspace.memory.compact())
    found = workspace.memory.verify()
    assert (found.faults, found.edited) == ([], [])
    left = [path for path in Path(root, "memory").glob("2026-09*") if path.read_bytes().strip(b"\0")]
    assert not left, f"not folded: {left}"
    logs = Counter(path.read_bytes() for path in Path(root, "memory/archive").rglob("2026-09*.md"))
    memory = Path(root, "MEMORY.md").read_text(encoding="utf-8").split("\n")
    for what, _, token in (each.partition(":") for each in acked):
        if what == "day":
            assert logs[f"## Decisions\n- [decision] Chose {token} for good\n".encode()] == 1, token
        if what == "fact":
            assert memory.count(f"- {token} is a fact") == 1, token
    # A day of which a cut has left the name alone was not acknowledged.
    assert all(count == 1 or not data.strip(b"\0") for data, count in logs.items())
    assert workspace.journal.verify().sound
    assert harness.contents(f"{root}/notes.txt") == scenarios.NOTES


@each_disk
def test_every_day_is_there_once_after_a_power_cut(disk: Path, kind: str, how: int) -> None:
    counts = cut(disk, kind, how, CUTS, {"c": folding, "f": facts}, check)

    assert all(counts[what] >= CUTS for what in "cf"), f"hardly anything was written: {counts}"


def test_a_run_that_does_not_sync_is_caught_by_a_real_power_cut(disk: Path) -> None:
    assert_caught(disk, {"c": folding, "f": facts}, check)
