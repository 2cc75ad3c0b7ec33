"""Random programs of three machines: nothing acknowledged is lost or doubled, and nothing that went comes back."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests.sync_real.machine import Machine
from tests.sync_real.program import World
from tests.sync_real.restored import RestoredWorld
from tests.thorough import THOROUGH

SEEDS = range(200) if THOROUGH else (0, 2)
RESTORED_SEEDS = range(100 if THOROUGH else 1)
STEPS = 60 if THOROUGH else 40


def world(base: Path, seed: int, kind: type[World] = World, *, has_stick: bool) -> World:
    """Three machines with a repository between them, and a stick."""
    found = [Machine(base, name) for name in ("ash", "birch", "cedar")]
    remote = base / "remote.git"
    subprocess.run(["git", "init", "-q", "--bare", str(remote)], check=True)
    if has_stick:
        (base / "stick").mkdir()
    return kind(base, seed, found, str(remote), remote)


@pytest.mark.parametrize("seed", SEEDS)
def test_three_machines_end_equal_with_all_that_was_acknowledged(seed: int, tmp_path: Path) -> None:
    played(world(tmp_path, seed, has_stick=seed % 3 == 2))


@pytest.mark.parametrize("seed", RESTORED_SEEDS)
def test_between_two_remotes_a_restored_machine_brings_nothing_back(seed: int, tmp_path: Path) -> None:
    played(world(tmp_path, seed, RestoredWorld, has_stick=True))


def played(programme: World) -> None:
    """Play a program from its beginning to its end, and check what has become of it."""
    programme.begin()
    programme.play(STEPS)
    programme.settle()
    programme.check()
