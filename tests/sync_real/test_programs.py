"""Random programs of three machines: nothing acknowledged is lost or doubled, and nothing that went comes back."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests.sync_real.machine import Machine
from tests.sync_real.program import World
from tests.thorough import THOROUGH

SEEDS = range(200 if THOROUGH else 5)
STEPS = 60 if THOROUGH else 40


def world(base: Path, seed: int) -> World:
    """Three machines with a repository between them, and at every third seed a stick."""
    found = [Machine(base, name) for name in ("ash", "birch", "cedar")]
    remote = base / "remote.git"
    subprocess.run(["git", "init", "-q", "--bare", str(remote)], check=True)
    if seed % 3 == 2:
        (base / "stick").mkdir()
    return World(base, seed, found, str(remote), remote)


@pytest.mark.parametrize("seed", SEEDS)
def test_three_machines_end_equal_with_all_that_was_acknowledged(seed: int, tmp_path: Path) -> None:
    programme = world(tmp_path, seed)
    programme.begin()
    programme.play(STEPS)
    programme.settle()
    programme.check()
