"""A sync that is killed at any file operation, and before any program that it starts: whatever it had reached, the
other machine goes on, and a second sync ends with the same files on both, each line once."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from agentws.workspace import Environment, Workspace, join
from tests.crash import harness, scenarios
from tests.crash.harness import _KILLED, AFTER, BEFORE, HALF, INTERRUPT, Kill
from tests.crash.scenarios import NOW
from tests.sync_real import oracle
from tests.thorough import some

ASH, BIRCH = "ash", "birch"
LINES = ("both have this", "said on ash", "said on birch")


class World:
    """An agent on two machines, both with something that the other one lacks; made anew each time."""

    def __init__(self, base: Path) -> None:
        self.kept, self.world = base / "kept", base / "world"
        self.world.mkdir()
        self.remote = str(self.world / "remote.git")
        subprocess.run(["git", "init", "-q", "--bare", self.remote], check=True)
        ash = Workspace.init(self.root(ASH), environment=self.environment(ASH), name="Robin", git=False)
        ash.log(LINES[0])
        ash.remember("Ada likes tea")
        ash.sync(self.remote)
        join(self.remote, self.root(BIRCH), self.environment(BIRCH))
        birch = self.opened(BIRCH)
        birch.event("note", "birch is here")
        birch.sync()
        asked = birch.identity.request_vouch()
        ash.identity.vouch(asked.writer, key=asked.key)
        ash.sync()
        birch.sync()
        for name, workspace in ((ASH, ash), (BIRCH, birch)):
            workspace.log(f"said on {name}")
            workspace.event("note", f"happened on {name}")
            workspace.remember(f"Ada likes {name}")
            workspace.tasks.add(f"Task of {name}")
            self.edit(name)
        birch.sync()
        os.rename(self.world, self.kept)
        self.fresh()
        self.whole = harness.run(self.act, self.root(ASH))
        assert self.whole.error is None, self.whole.error[3]

    def edit(self, name: str) -> None:
        """The same bullet another on both machines: a conflict is made."""
        path = Path(self.root(name)) / "MEMORY.md"
        path.write_text(path.read_text().replace("likes tea", f"likes tea from {name}"))

    def root(self, name: str) -> str:
        return str(self.world / name)

    def environment(self, name: str) -> Environment:
        state = (None, str(self.world / f"{name}-state"))
        return Environment(now=NOW, timezone="UTC", state=state)

    def opened(self, name: str) -> Workspace:
        return Workspace.open(self.root(name), environment=self.environment(name))

    def fresh(self) -> None:
        shutil.rmtree(self.world, ignore_errors=True)
        shutil.copytree(self.kept, self.world, symlinks=True)
        for name in (ASH, BIRCH):
            scenarios.rebind(self.root(name))  # in a container, the state of who made it lies in the workspace
            scenarios.rebind(self.root(name), self.environment(name))

    def act(self, root: str, ack: Any) -> None:
        for one in Workspace.open(root, environment=self.environment(ASH)).sync():
            assert not one.failed, one.failed
        ack("synced")

    def check(self) -> None:
        """The other one goes on at once; then this one ends what it began, and both are equal."""
        for name in (BIRCH, ASH, BIRCH):
            for one in self.opened(name).sync():
                assert not one.failed, (name, one.failed)
        here, there = (oracle.travelling(Path(self.root(name))) for name in (ASH, BIRCH))
        assert here.keys() == there.keys(), set(here) ^ set(there)
        assert here == there, [path for path in here if here[path] != there[path]]
        everything = b"\n".join(here.values()).decode()
        day = here[f"memory/{NOW:%Y-%m-%d}.md"].decode()
        assert [day.count(line) for line in LINES] == [1, 1, 1], day
        memory = here["MEMORY.md"].decode()
        for name in (ASH, BIRCH):
            assert everything.count(f'"happened on {name}"') == 1
            assert memory.count(f"Ada likes {name}\n") == memory.count(f"Ada likes tea from {name}\n") == 1, memory
            assert sum(f"# Task of {name}" in text.decode() for text in here.values()) == 1
            assert self.opened(name).journal.verify().sound
        assert "Ada likes tea\n" not in memory
        assert len(oracle.conflicts(Path(self.root(ASH)))) == 1
        self.opened(ASH).remember("Ada likes it")  # a change clears what a kill has left of an older one's record
        assert not list(Path(self.root(ASH)).rglob("*.agentws-*"))


@pytest.fixture
def world(tmp_path: Path) -> World:
    return World(tmp_path)


def test_an_undisturbed_sync_brings_both_together(world: World) -> None:
    assert world.whole.acks == ["synced"]
    world.check()


def test_a_sync_killed_at_any_file_operation_is_ended_by_the_next_one(world: World) -> None:
    changing = world.whole.changing
    torn = [Kill(at, HALF) for at, name in enumerate(changing) if "write" in name]
    early = [Kill(at, BEFORE) for at in range(len(changing))]
    for point in [*some(early, 6), Kill(len(changing) - 1, AFTER), *some(torn, 2)]:
        world.fresh()
        assert harness.run(world.act, world.root(ASH), point).killed, point
        judged(world, f"{point} ({changing[point.at]})")


def test_a_sync_killed_before_any_program_that_it_starts_is_ended_by_the_next_one(world: World) -> None:
    world.fresh()
    count = len(harness.run(starting(world.act, None), world.root(ASH)).acks) - 1
    assert count > 3, "a sync starts git"
    for at in some(range(count), 6):
        world.fresh()
        assert harness.run(starting(world.act, at), world.root(ASH)).killed, at
        judged(world, f"before program {at}")


def test_ctrl_c_at_any_moment_is_ended_by_the_next_sync(world: World) -> None:
    for at in some(range(len(world.whole.changing)), 5):
        world.fresh()
        harness.run(world.act, world.root(ASH), Kill(at, INTERRUPT))
        judged(world, f"interrupted at {at}")


def test_a_line_that_another_process_writes_at_any_moment_of_a_sync_is_there_once(world: World) -> None:
    def write() -> None:
        if os.fork() == 0:
            try:
                world.opened(ASH).log("said meanwhile")
            finally:
                os._exit(0)

    def act(root: str, ack: Callable[[Any], None]) -> None:
        try:
            world.act(root, ack)
        finally:
            os.wait()

    for at in some(range(len(world.whole.changing)), 6):
        world.fresh()
        outcome = harness.run(act, world.root(ASH), harness.Meanwhile(at, write))
        assert outcome.error is None, outcome.error[3]
        judged(world, f"written at {at}: {outcome.error}")
        day = Path(world.root(BIRCH), f"memory/{NOW:%Y-%m-%d}.md").read_text()
        assert day.count("said meanwhile") == 1, at


def judged(world: World, what: str) -> None:
    try:
        world.check()
    except AssertionError as error:
        raise AssertionError(f"{what}: {error}") from error


def starting(act: harness.Act, at: int | None) -> harness.Act:
    """The same, killed before program number `at` is started; each one is acknowledged."""

    def counted(root: str, ack: Callable[[Any], None]) -> None:
        numbers: Iterator[int] = iter(range(10**6))

        def wrapped(real: Callable[..., Any]) -> Callable[..., Any]:
            def call(*words: Any, **more: Any) -> Any:
                if next(numbers) == at:
                    os._exit(_KILLED)
                ack("program")
                return real(*words, **more)

            return call

        for name in ("posix_spawn", "posix_spawnp"):
            setattr(os, name, wrapped(getattr(os, name)))
        subprocess.Popen._execute_child = wrapped(subprocess.Popen._execute_child)  # type: ignore[attr-defined]
        act(root, ack)

    return counted
