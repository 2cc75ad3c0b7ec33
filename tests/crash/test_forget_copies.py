"""Forgetting in backups, killed at any file operation and on a medium that dies: every backup can be restored all the
time, what was told to be gone is gone, and the same command finishes it."""

from __future__ import annotations

import errno
import shutil
from pathlib import Path
from typing import Any

import pytest

from agentws.errors import AgentwsError
from agentws.features.copies.backup.restore import restore_backup
from agentws.features.copies.backup.verify import verify_backup
from agentws.workspace import Environment, Workspace, list_backups
from tests.crash import harness, scenarios
from tests.crash.harness import HALF, Fail, Kill
from tests.crash.scenarios import NOW
from tests.thorough import some

WORDS = b"Anna Lind"


class World:
    """An agent with two backups on a stick that share what they hold of a person; made anew each time."""

    def __init__(self, base: Path) -> None:
        self.kept, self.world = base / "kept", base / "world"
        self.root, self.stick = str(self.world / "robin"), str(self.world / "stick")
        self.environment = Environment(now=NOW, timezone="UTC")
        made = Workspace.init(self.root, environment=self.environment, name="Robin", git=False)
        made.log("Anna Lind sends the survey")
        made.remember("Anna Lind owns the house", section="People")
        made.event("note", "rang Anna Lind")
        made.event("note", "Anna Lind " + "has much to say. " * 5000)
        made.copies.create(self.stick)
        made.log("The roof has 300 tiles")
        made.event("note", "nothing of it")
        made.copies.create()
        self.world.rename(self.kept)
        self.fresh()
        self.whole = harness.run(self.act, self.root)
        assert self.whole.error is None, self.whole.error
        assert self.whole.acks == ["gone"]
        self.check(self.whole.acks)

    def fresh(self) -> None:
        shutil.rmtree(self.world, ignore_errors=True)
        shutil.copytree(self.kept, self.world, symlinks=True)
        scenarios.rebind(self.root)

    def act(self, root: str, ack: Any) -> None:
        done = Workspace.open(root, environment=self.environment).memory.forget(subjects=["Anna Lind"], copies=True)
        ack("left" if done.is_left else "gone")

    def holding(self) -> list[str]:
        files = (path for path in Path(self.stick).rglob("*") if path.is_file())
        return [str(path) for path in files if WORDS in path.read_bytes()]

    def check(self, acks: list[str]) -> None:
        """Both backups are what their manifests say, and what is restored of them verifies."""
        if "gone" in acks:
            assert self.holding() == []
        names = [one.name for one in list_backups(self.stick)]
        assert len(names) == 2
        for name in names:
            back = self.world / f"back-{name}"
            shutil.rmtree(back, ignore_errors=True)
            assert verify_backup(self.stick, at=name).findings == ()
            restore_backup(self.stick, str(back), at=name)
            assert ("300 tiles" in (back / "memory" / "2026-11-20.md").read_text()) == (name == names[-1])

    def finish(self) -> None:
        outcome = harness.run(self.act, self.root)
        assert outcome.error is None, outcome.error[3]
        assert outcome.acks == ["gone"]
        self.check(outcome.acks)


@pytest.fixture
def world(tmp_path: Path) -> World:
    return World(tmp_path)


def test_killed_anywhere_every_backup_restores_and_the_same_command_finishes_it(world: World) -> None:
    changing = world.whole.changing
    torn = [Kill(at, HALF) for at, name in enumerate(changing) if "write" in name]
    for point in [*some([Kill(at) for at in range(len(changing))], 10), *some(torn, 3)]:
        world.fresh()
        outcome = harness.run(world.act, world.root, point)
        assert outcome.killed, point
        try:
            world.check(outcome.acks)
            world.finish()
        except (AssertionError, AgentwsError) as error:
            raise AssertionError(f"{point} ({changing[point.at]}): {error}") from error


@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EIO])
def test_a_disk_that_fails_anywhere_is_told_and_every_backup_restores(world: World, code: int) -> None:
    every = world.whole.every
    points = [at for at, kind in enumerate(every) if kind in harness.ERRNOS[code]]
    for at in some(points, 5):
        world.fresh()
        outcome = harness.run(world.act, world.root, Fail(at, code))
        try:
            assert outcome.error is None or outcome.error[1], outcome.error and outcome.error[3]
            world.check(outcome.acks)
            world.finish()
        except (AssertionError, AgentwsError) as error:
            raise AssertionError(f"{code} at {at} ({every[at]}): {error}") from error
