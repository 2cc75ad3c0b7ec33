"""P9: a migration that is killed at any file operation, on this side or the other, leaves one complete copy at least
and one at most that may be written; and a rerun brings the agent there with all that was written meanwhile."""

from __future__ import annotations

import os
import shutil
from bisect import bisect_left
from pathlib import Path
from typing import Any

import pytest

from agentws.core.formats.travel.inventory import TreeEntry
from agentws.errors import MayNotWriteError, UsageError
from agentws.features.copies.transfer.tree import Tree
from agentws.workspace import Environment, Workspace
from tests.crash import harness, scenarios
from tests.crash.harness import AFTER, BEFORE, HALF, Kill
from tests.crash.scenarios import NOW
from tests.thorough import THOROUGH, some

FROM_HERE_EACH = 0.8
"""Of the last part of the operations, in which the agent changes hands, most are cut."""


class Move:
    """An agent at `source` that is on its way to `there`, both in a folder that is made anew each time."""

    def __init__(self, base: Path) -> None:
        self.base = base
        self.kept = base / "kept"
        self.world = base / "world"
        self.source = str(self.world / "robin")
        self.there = str(self.world / "moved")
        self.environment = Environment(now=NOW, timezone="UTC", state=(None, str(self.world / "state")))
        made = Workspace.init(self.source, environment=self.environment, name="Robin", git=False)
        made.log("written before")
        (self.world / "robin" / "mine").mkdir(mode=0o750)
        (self.world / "robin" / "mine" / "tool.sh").write_bytes(b"#!/bin/sh\n\xff\n")
        (self.world / "robin" / "mine" / "tool.sh").chmod(0o755)
        (self.world / "robin" / "mine" / "link").symlink_to("../nowhere")
        os.rename(self.world, self.kept)
        self.fresh()
        self.whole = harness.run(self.act, self.source)
        assert self.whole.error is None, self.whole.error

    def fresh(self) -> None:
        shutil.rmtree(self.world, ignore_errors=True)
        shutil.copytree(self.kept, self.world, symlinks=True)
        scenarios.rebind(self.source, self.environment)

    def act(self, root: str, ack: Any) -> None:
        ack(Workspace.open(root, environment=self.environment).copies.migrate(self.there).state)

    def abort(self, root: str, ack: Any) -> None:
        ack(Workspace.open(root, environment=self.environment).copies.abort_migration().state)

    def points(self) -> list[Kill]:
        changing = self.whole.changing
        late = round(len(changing) * FROM_HERE_EACH)
        early, last = ([Kill(at, BEFORE) for at in part] for part in (range(late), range(late, len(changing))))
        torn = [Kill(at, HALF) for at, name in enumerate(changing) if "write" in name]
        return [*some(early, 3), *some(last, 7), Kill(len(changing) - 1, AFTER), *some(torn, 2)]

    # What must be true

    def copies(self) -> list[str]:
        return sorted(str(found.parent) for found in self.world.glob("*/agentws.toml"))

    def writable(self) -> list[str]:
        return [copy for copy in self.copies() if self.may_write(copy)]

    def may_write(self, copy: str) -> bool:
        try:
            Workspace.open(copy, environment=self.environment).stores.check_writable()
        except MayNotWriteError:
            return False
        return True

    def check(self) -> None:
        assert len(self.writable()) <= 1, self.writable()
        here, there = tree(self.source), tree(self.there)
        assert before(self.kept / "robin") <= set(here), "the source is kept whole"
        if there:
            assert there == here, "what is in its place is all of it"
            assert self.source not in self.writable()


def tree(root: str) -> dict[str, tuple[Any, ...]]:
    """What a workspace holds that leaves a machine, with modes and times; but what grows by whom is signed in."""
    if not os.path.isdir(root):
        return {}
    found = {path: told(entry) for path, entry in Tree(root).scan().items()}
    return {path: what for path, what in found.items() if not path.startswith("identity")}


def told(entry: TreeEntry) -> tuple[Any, ...]:
    return (entry.kind, entry.mode, entry.content, 0 if entry.kind == "d" else entry.mtime_ns // 10**9)


def before(root: Path) -> set[str]:
    return {path for path, entry in tree(str(root)).items() if entry[0] != "d"}


@pytest.fixture
def move(tmp_path: Path) -> Move:
    return Move(tmp_path)


def test_an_undisturbed_move_hands_all_of_it_over(move: Move) -> None:
    assert move.whole.acks == ["moved"]
    assert move.writable() == [move.there]
    move.check()


def test_a_killed_move_leaves_one_agent_and_a_rerun_finishes_it(move: Move) -> None:
    for point in some(move.points(), 7):
        move.fresh()
        assert harness.run(move.act, move.source, point).killed, point
        try:
            move.check()
            said = "in between"
            for copy in move.writable():
                Workspace.open(copy, environment=move.environment).log(said)
            written = bool(move.writable())

            again = Workspace.open(move.source, environment=move.environment).copies.migrate(move.there)

            assert again.state in ("moved", "already")
            assert move.writable() == [move.there]
            days = [path.read_text() for path in (move.world / "moved" / "memory").glob("*.md")]
            assert written == (said in "".join(days)), "what was written in between is lost"
            assert "written before" in "".join(days)
            assert [name for name in os.listdir(move.world) if "incoming" in name] == []
        except AssertionError as error:
            raise AssertionError(f"{point} ({move.whole.changing[point.at]}): {error}") from error


def test_a_killed_move_can_be_given_up_until_the_agent_has_arrived(move: Move) -> None:
    for point in some(move.points(), 4):
        move.fresh()
        assert harness.run(move.act, move.source, point).killed, point
        arrived = os.path.isdir(move.there)

        try:
            Workspace.open(move.source, environment=move.environment).copies.abort_migration()
        except (UsageError, MayNotWriteError):
            pass  # it had not begun, or it is too late

        assert len(move.writable()) == 1, point
        assert move.writable() == [move.there if arrived else move.source], point
        assert [name for name in os.listdir(move.world) if "incoming" in name] == [], point


def test_giving_it_up_can_be_killed_too(move: Move) -> None:
    last = last_before_arrival(move)

    for point in (last, last - 4, last - 30):
        for at in range(0, 300, 1 if THOROUGH else 70):
            move.fresh()
            assert harness.run(move.act, move.source, Kill(point, BEFORE)).killed
            outcome = harness.run(move.abort, move.source, Kill(at, BEFORE))
            assert len(move.writable()) <= 1, (point, at)
            if not outcome.killed:
                break

            try:
                Workspace.open(move.source, environment=move.environment).copies.abort_migration()
            except UsageError:
                pass  # nothing is under way any more

            assert move.writable() == [move.source], (point, at)


def last_before_arrival(move: Move) -> int:
    """The last operation before which the agent has not arrived; the tombstone stands by then."""

    def has_arrived(at: int) -> bool:
        move.fresh()
        harness.run(move.act, move.source, Kill(at, BEFORE))
        return os.path.isdir(move.there)

    # Who has arrived stays there: halving finds it.
    at = bisect_left(range(len(move.whole.changing)), True, key=has_arrived) - 1
    assert not has_arrived(at)
    assert move.writable() == [], "nobody may write in between"
    return at
