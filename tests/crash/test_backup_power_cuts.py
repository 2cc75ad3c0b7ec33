"""Backups on real file systems: the power of the machine and of the medium is cut while they are made again and again;
the newest backup that is listed restores with all that it was said to hold, and the drill counts the rest.

Needs root; how it is done says test_power_cuts.py.
"""

from __future__ import annotations

import os
import random
import shutil
from collections.abc import Callable
from pathlib import Path

from agentws.features.copies.backup.restore import restore_backup
from agentws.features.copies.backup.verify import verify_backup
from tests.crash import scenarios, test_power_cuts
from tests.crash.test_backup_load import lines
from tests.crash.test_power_cuts import each_disk, powered
from tests.thorough import THOROUGH

disk = test_power_cuts.disk

CUTS = 30 if THOROUGH else 2
MOST, LEAST = 20, 6
COPIED = "copied:"


def copying(root: str, name: str, ack: Callable[[str], None]) -> None:
    """Record an event, and let a backup hold it, for ever: one that a person makes, or one that hooks make."""
    number = 0
    while True:
        scenarios.opened(root).event("note", f"{name}-{number} has happened")
        ack(f"written:{name}-{number}")
        if number % 3:
            scenarios.opened(root).plumbing.backup_aside()
        else:
            scenarios.opened(root).copies.create(rule="2")
        ack(f"{COPIED}{name}-{number}")
        number += 1


def check(root: str, stick: str, acked: list[str]) -> None:
    assert verify_backup(stick).well
    back = Path(root).parent / "back"
    restore_backup(stick, str(back))
    here, there = lines(Path(root)), lines(back)
    shutil.rmtree(back)
    for token in (each.partition(":")[2] for each in acked if each.startswith(COPIED)):
        assert any(f'"{token} has happened"'.encode() in line for line in there), f"copied and lost: {token}"
    assert there <= here
    drilled = scenarios.opened(root).copies.drill(stick)
    assert drilled.well
    assert drilled.events == len(here - there)


@each_disk
def test_what_was_backed_up_outlives_a_power_cut(disk: Path, kind: str, how: int) -> None:
    dice = random.Random(f"{kind} {how}")
    with powered(disk, kind) as image:
        root, stick = f"{image.place}/robin", f"{image.place}/stick"
        scenarios._workspace(root)
        scenarios.opened(root).copies.create(stick)
        os.sync()
        acked: list[str] = []
        for number in range(CUTS):
            told = test_power_cuts.run(image, root, {f"cut{number}": copying}, how, dice, most=MOST, least=LEAST)
            acked += [token for tokens in told.values() for token in tokens]
            check(root, stick, acked)
    assert sum(token.startswith(COPIED) for token in acked) >= CUTS, "hardly anything was copied"
