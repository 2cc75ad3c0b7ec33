"""Sync on real file systems: the power is cut while a machine writes and syncs; what it was told has gone out is with
the others, and what it was told is written goes out with the next one.

Needs root; how it is done says test_power_cuts.py.
"""

from __future__ import annotations

import os
import random
from collections.abc import Callable
from pathlib import Path

import pytest

from agentws.workspace import Environment, Workspace, join
from tests.crash import scenarios, test_power_cuts
from tests.crash.test_power_cuts import each_disk, powered
from tests.sync_real import oracle
from tests.thorough import THOROUGH

disk = test_power_cuts.disk

CUTS = 30 if THOROUGH else 2
MOST, LEAST = 12, 3
Ack = Callable[[str], None]


def syncing(root: str, name: str, ack: Ack) -> None:
    """Write and sync, for ever."""
    number = 0
    while True:
        workspace = scenarios.opened(root)
        workspace.log(f"{name}-{number} is logged")
        workspace.event("note", f"{name}-{number} has happened")
        ack(f"written:{name}-{number}")
        for one in scenarios.opened(root).sync():
            assert not one.failed, one.failed
        ack(f"synced:{name}-{number}")
        number += 1


def lines(root: str) -> list[str]:
    """The tokens that a workspace's logs and journals tell of, each as often as it stands there."""
    found = []
    for path, content in oracle.travelling(Path(root)).items():
        if path.startswith(("memory/2", "journal/")):
            for line in content.decode().split("\n"):
                found += [word for word in line.replace('"', " ").split() if word.startswith("cut")]
    return found


def check(root: str, other: str, environment: Environment, acked: list[str]) -> None:
    """What was synced is with the other machine; after one more sync on both sides they are equal, nothing is twice."""
    for one in Workspace.open(other, environment=environment).sync():
        assert not one.failed, one.failed
    there = lines(other)
    lost = [each for each in acked if each.startswith("synced:") and each.removeprefix("synced:") not in there]
    assert not lost, f"synced and lost: {lost}"
    for place in (root, other):
        where = scenarios.HERE if place == root else environment
        for one in Workspace.open(place, environment=where).sync():
            assert not one.failed, (place, one.failed)
    here, there = lines(root), lines(other)
    assert sorted(here) == sorted(there)
    for token in {each.partition(":")[2] for each in acked}:
        assert here.count(token) == 2, token
    assert scenarios.opened(root).journal.verify().sound
    files = [oracle.travelling(Path(place)) for place in (root, other)]
    for each in files:
        each.pop("notes.txt", None)  # somebody's own, which does not travel
    assert files[0] == files[1]


def cut(disk: Path, kind: str, how: int, cuts: int, *, is_here: bool) -> int:
    """Cut the power of the machine, or of it and of the repository, so many times; how much was synced."""
    dice, count = random.Random(f"{kind} {how} {is_here}"), 0
    with powered(disk, kind) as image:
        root, other = f"{image.place}/robin", str(disk / f"other-{kind}-{how}-{is_here}")
        remote = f"{image.place}/stick" if is_here else str(disk / f"stick-{kind}-{how}")
        environment = Environment(now=scenarios.NOW, timezone="UTC", state=(f"{other}-state", None))
        os.mkdir(remote)  # a repository that others made syncs as they have set it
        scenarios._workspace(root)
        scenarios.opened(root).log("the first line")
        scenarios.opened(root).sync(remote)
        joined = join(remote, other, environment)
        scenarios.opened(root).identity.vouch(joined.writer, key=joined.key)
        os.sync()
        acked: list[str] = []
        for number in range(cuts):
            told = test_power_cuts.run(image, root, {f"cut{number}": syncing}, how, dice, most=MOST, least=LEAST)
            acked += [token for tokens in told.values() for token in tokens]
            check(root, other, environment, acked)
            count = sum(token.startswith("synced:") for token in acked)
    return count


@pytest.mark.parametrize("is_here", [False, True], ids=["the machine", "the machine and the repository"])
@each_disk
def test_what_was_synced_outlives_a_power_cut(disk: Path, kind: str, how: int, is_here: bool) -> None:
    assert cut(disk, kind, how, CUTS, is_here=is_here) >= CUTS, "hardly anything was synced"
