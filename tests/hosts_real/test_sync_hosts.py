"""One agent on three hosts: synced over ssh through a repository on one of them, while the network is cut."""

from __future__ import annotations

import random
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest

from tests.hosts_real import rig
from tests.hosts_real.rig import BIN
from tests.hosts_real.test_three_hosts import Net
from tests.sync_real.machine import Cut, Done, Machine
from tests.sync_real.program import World
from tests.thorough import THOROUGH

SEEDS = range(20 if THOROUGH else 4)
STEPS = 40
MOST_BYTES = 60_000
"""A push of these is smaller."""


class Host(Machine):
    """A machine of the programs in a network namespace of its own, whose repository is on host c."""

    def __init__(self, net: Net, host: rig.Machine) -> None:
        self.net, self.host = net, host
        super().__init__(net.base / "agents", host.name)

    def bare(self, *words: str, cut: Cut | None = None) -> Done:
        """As for any machine; a cut is one of the network, after some bytes towards the repository."""
        at = self.net.machines[2]
        if cut is not None and cut != Cut():
            self.net.cut_after(at, round((cut.after_s or (cut.at or 1) / 200) * MOST_BYTES))
        try:
            done = self.host.run(
                "env", *(f"{name}={value}" for name, value in self.environment().items() if name != "PATH"),
                f"{BIN}/agentws", *words, check=False,
            )  # fmt: skip
        finally:
            if cut is not None and cut != Cut():
                self.net.mend(at)
        code = done.returncode
        # A command that says that it did not reach the other side has acknowledged nothing.
        return Done(-9 if code and cut is not None else code, done.stdout, done.stderr)


@pytest.fixture
def net(tmp_path: Path) -> Iterator[Net]:
    made = Net(tmp_path)
    try:
        made.begin()
        with rig.machines(made.base, *made.machines):
            yield made
    finally:
        made.end()


@pytest.mark.parametrize("seed", SEEDS)
def test_three_hosts_end_equal_with_all_that_was_acknowledged(net: Net, seed: int) -> None:
    at = net.machines[2]
    at.run("git", "init", "-q", "--bare", str(at.place("robin.git")))
    hosts: list[Machine] = [Host(net, host) for host in net.machines]
    world = World(net.base, seed, hosts, f"ssh://c{at.place('robin.git')}", at.place("robin.git"))
    world.chance = random.Random(f"hosts {seed}")
    hosts[1].skew = timedelta(hours=-5)

    world.begin()
    world.play(STEPS)
    world.settle()
    world.check()
