"""A backup that is killed at any file operation, on a medium that dies in the middle: the newest one that is complete
always restores, nothing that was acknowledged before it was made is missing in it, and the drill says what is."""

from __future__ import annotations

import errno
import os
import shutil
from pathlib import Path
from typing import Any

import pytest

from agentws.features.copies.backup.restore import restore_backup
from agentws.features.copies.backup.verify import verify_backup
from agentws.workspace import Environment, Workspace, list_backups
from tests.crash import harness, points, scenarios
from tests.crash.harness import AFTER, BEFORE, HALF, INTERRUPT, Fail, Kill
from tests.crash.scenarios import NOW
from tests.thorough import some


class World:
    """An agent with one backup on a stick, and work that is not in it; made anew each time."""

    keeps_modes = True
    """A world that a model builds again has other modes, and so other files, than the one that was copied."""

    def __init__(self, base: Path) -> None:
        self.kept, self.world = base / "kept", base / "world"
        self.root, self.stick = str(self.world / "robin"), str(self.world / "stick")
        self.environment = Environment(now=NOW, timezone="UTC", state=(str(self.world / "state"), None))
        made = Workspace.init(self.root, environment=self.environment, name="Robin", git=False)
        made.log("written before")
        made.event("note", "recorded before")
        made.copies.create(self.stick, rule="1")
        made.log("written after")
        made.event("note", "recorded after")
        os.rename(self.world, self.kept)
        self.fresh()
        self.whole = harness.run(self.act, self.root)
        assert self.whole.error is None, self.whole.error

    def fresh(self) -> None:
        shutil.rmtree(self.world, ignore_errors=True)
        shutil.copytree(self.kept, self.world, symlinks=True)
        scenarios.rebind(self.root, self.environment)

    def opened(self) -> Workspace:
        return Workspace.open(self.root, environment=self.environment)

    def act(self, root: str, ack: Any) -> None:
        (made,) = Workspace.open(root, environment=self.environment).copies.create(self.stick, rule="1")
        ack(made.name)

    def events(self) -> int:
        return sum(1 for event in self.opened().journal.list() if event.kind == "note")

    def check(self, acks: list[str]) -> None:
        """The newest complete backup restores, and what it lacks is what the drill says."""
        names = [one.name for one in list_backups(self.stick)]
        assert names, "the backup that was there is gone"
        assert set(acks) <= set(names)
        assert verify_backup(self.stick).well
        back = self.world / "back"
        restore_backup(self.stick, str(back))
        text = (back / "memory" / "2026-11-20.md").read_text()
        journal = b"".join(path.read_bytes() for path in (back / "journal").rglob("*.jsonl"))
        newer = len(names) > 1 or names[-1].startswith("0002")
        assert "written before" in text
        assert b"recorded before" in journal
        assert ("written after" in text) == (b"recorded after" in journal) == newer
        missing = self._lines(Path(self.root)) - self._lines(back)
        drilled = self.opened().copies.drill(self.stick)
        assert drilled.well
        assert drilled.events == missing
        assert bool(drilled.differ.count) == (not newer) or not self.keeps_modes

    @staticmethod
    def _lines(root: Path) -> int:
        return sum(path.read_bytes().count(b"\n") for path in (root / "journal").rglob("*.jsonl"))


class Aside(World):
    """A backup is made by hooks, when a session has ended."""

    def act(self, root: str, ack: Any) -> None:
        Workspace.open(root, environment=self.environment).plumbing.backup_aside()
        ack(list_backups(self.stick)[-1].name)


@pytest.fixture
def world(tmp_path: Path) -> World:
    return World(tmp_path)


@pytest.mark.parametrize("kind", [World, Aside])
def test_a_killed_backup_leaves_one_that_restores_and_the_next_one_is_whole(kind: type[World], tmp_path: Path) -> None:
    world = kind(tmp_path)
    changing = world.whole.changing
    torn = [Kill(at, HALF) for at, name in enumerate(changing) if "write" in name]
    early = [Kill(at, BEFORE) for at in range(len(changing))]
    kills = [*some(early, 5), *early[-2:], Kill(len(changing) - 1, AFTER), *some(torn, 2)]
    for point in kills:
        world.fresh()
        outcome = harness.run(world.act, world.root, point)
        assert outcome.killed, point
        with points.named(f"{point} ({changing[point.at]})"):
            world.check(outcome.acks)
            shutil.rmtree(world.world / "back")
            (made,) = world.opened().copies.create(world.stick, rule="1")
            assert [one.name for one in list_backups(world.stick)] == [made.name]
            (place,) = Path(world.stick).iterdir()
            assert sorted(os.listdir(place)) == sorted([made.name, "README.txt"]), "nothing is left behind"


def test_ctrl_c_at_any_moment_leaves_one_that_restores(world: World) -> None:
    for at in some(list(range(len(world.whole.changing))), 5):
        world.fresh()
        harness.run(world.act, world.root, Kill(at, INTERRUPT))
        world.check([])


@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EIO, errno.EROFS])
def test_a_medium_that_dies_in_the_middle_is_an_error_and_the_former_backup_stays(world: World, code: int) -> None:
    every = world.whole.every
    places = [at for at, kind in enumerate(every) if kind in harness.ERRNOS[code]]
    tried = 0
    for at in some(places, 4):
        world.fresh()
        outcome = harness.run(world.act, world.root, Fail(at, code, sticky=True))
        assert outcome.finished
        if outcome.error is None:
            continue  # it was no operation that anything rests on
        tried += 1
        assert outcome.error[1], outcome.error[3]
        world.check(outcome.acks)
    assert tried, "no operation failed"
