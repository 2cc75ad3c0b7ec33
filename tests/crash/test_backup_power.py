"""The power is cut while a backup is made, of the machine and of the medium at once: the newest backup that
is listed restores, what was acknowledged is in it, and the drill says the truth about what is not.

By the model of the harness, in which the file system is synced a file at a time.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from agentws.features.copies.transfer import disk
from tests.crash import harness, power, scenarios
from tests.crash.harness import Model
from tests.crash.test_backup_kill import World
from tests.crash.test_mutants import no_folder_sync, no_sync
from tests.thorough import THOROUGH

EVERY = 1 if THOROUGH else 29
AT_THE_END = 1 << 20
"""Where nothing is synced, that shows at the acknowledgement."""


class Copied(World):
    """A backup is made."""

    keeps_modes = False


def one_file_at_a_time() -> None:
    """A sync of a whole file system is made of calls that the model knows."""
    disk._syncfs = lambda root: False  # type: ignore[assignment]


def cuts(world: World, mutant: Callable[[], None], every: int) -> Iterator[str]:
    """Cut the power after so many operations, in each way in turn, in all of them at the acknowledgement."""
    world.fresh()
    model = Model(str(world.world))
    outcome = harness.run(world.act, world.root, mutant=mutant)

    def place() -> str:
        shutil.rmtree(world.world)
        return str(world.world)

    def check(_: str, acks: list[str]) -> None:
        scenarios.rebind(world.root, world.environment)
        world.check(acks)

    yield from power.wrongs(model, outcome, every, place, check)


def test_a_power_cut_at_any_moment_leaves_one_that_restores(tmp_path: Path) -> None:
    for problem in cuts(Copied(tmp_path), one_file_at_a_time, EVERY):
        pytest.fail(problem)


@pytest.mark.parametrize("mutant", [no_sync, no_folder_sync])
def test_code_that_does_not_sync_is_caught(mutant: Callable[[], None], tmp_path: Path) -> None:
    def broken() -> None:
        one_file_at_a_time()
        mutant()

    assert next(cuts(Copied(tmp_path), broken, AT_THE_END), None) is not None


def test_a_tree_that_is_not_synced_is_caught(tmp_path: Path) -> None:
    def broken() -> None:
        disk.sync_tree = lambda root: None

    assert next(cuts(Copied(tmp_path), broken, AT_THE_END), None) is not None
