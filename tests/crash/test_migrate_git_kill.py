"""P9 through a repository: killed at any file operation, where the agent leaves or is taken, there is one whole copy at
least and one at most that is written, and a rerun brings it there. (Kills at each step of git: test_migrate_git.py.)"""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from agentws import workspace as doors
from agentws.errors import MayNotWriteError
from agentws.workspace import Environment, Workspace
from tests.crash import harness
from tests.crash.harness import BEFORE, Kill
from tests.crash.scenarios import NOW
from tests.thorough import some

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="git is not here")

_CHANCE = 12
_POINTS = 3
"""So many, evenly spread, where nobody asked for all of them."""


class Way:
    """An agent at `source`, an empty repository, and the place `new` where it is to live; made anew each time."""

    def __init__(self, base: Path) -> None:
        self.kept, self.world = base / "kept", base / "world"
        self.source, self.shared, self.new = (str(self.world / name) for name in ("robin", "shared.git", "new"))
        made = Workspace.init(self.source, environment=self.at("home"), name="Robin", git=False)
        made.log("written before")
        subprocess.run(["git", "init", "-q", "--bare", self.shared], check=True)
        os.rename(self.world, self.kept)
        self.fresh()

    def at(self, name: str) -> Environment:
        return Environment(now=NOW, timezone="UTC", state=(None, str(self.world / f"state-{name}"), name))

    def fresh(self) -> None:
        shutil.rmtree(self.world, ignore_errors=True)
        shutil.copytree(self.kept, self.world, symlinks=True)

    def send(self, root: str, ack: Any) -> None:
        ack(Workspace.open(root, environment=self.at("home")).copies.migrate(self.shared, via="git").state)

    def take(self, root: str, ack: Any) -> None:
        ack(doors.take(self.new, self.shared, environment=self.at("away")).state)

    def refs(self) -> set[str]:
        words = ["git", "-C", self.shared, "for-each-ref", "--format=%(refname:lstrip=4)"]
        return set(subprocess.run(words, check=True, capture_output=True, text=True).stdout.split())

    def may_write(self, root: str, name: str) -> bool:
        if not os.path.isdir(root):
            return False
        try:
            Workspace.open(root, environment=self.at(name)).stores.check_writable()
        except MayNotWriteError:
            return False
        return True

    def writable(self) -> list[str]:
        return [root for root, name in ((self.source, "home"), (self.new, "away")) if self.may_write(root, name)]

    def check(self) -> None:
        assert len(self.writable()) <= 1
        assert self.says(self.source).count("written before") == 1, "the source is kept whole"
        if self.refs() & {"ready", "taken"}:
            assert self.source not in self.writable()
        if os.path.isdir(self.new):
            assert "written before" in self.says(self.new)

    def says(self, root: str) -> str:
        return "".join(path.read_text() for path in Path(root).glob("memory/*.md"))


@pytest.fixture
def way(tmp_path: Path) -> Way:
    return Way(tmp_path)


def points(outcome: harness.Outcome) -> list[Kill]:
    assert outcome.error is None, outcome.error
    # git's private files are cleared away at the end; how many they are depends on their names, and so on chance.
    count = len(outcome.changing) - _CHANCE
    return some([Kill(at, BEFORE) for at in range(count)], _POINTS)


def test_killed_where_it_leaves(way: Way) -> None:
    for point in points(harness.run(way.send, way.source)):
        way.fresh()
        assert harness.run(way.send, way.source, point).killed, point
        way.check()
        written = way.writable() == [way.source]
        if written:
            Workspace.open(way.source, environment=way.at("home")).log("in between")

        again = harness.run(way.send, way.source)

        assert again.acks == ["waiting"], (point, again.error)
        way.check()
        assert way.refs() == {"ready"}, point
        assert harness.run(way.take, way.new).acks == ["arrived"]
        assert way.writable() == [way.new], point
        assert ("in between" in way.says(way.new)) == written, point
        left = [name for name in os.listdir(Path(way.source) / ".agentws") if name.startswith("git-parcel")]
        assert left == [], point


def test_killed_where_it_is_taken(way: Way) -> None:
    assert harness.run(way.send, way.source).acks == ["waiting"]
    shutil.rmtree(way.kept)
    shutil.copytree(way.world, way.kept, symlinks=True)
    for point in points(harness.run(way.take, way.new)):
        way.fresh()
        assert harness.run(way.take, way.new, point).killed, point
        way.check()

        again = harness.run(way.take, way.new)

        assert again.acks in (["arrived"], ["already"]), (point, again.error)
        way.check()
        assert way.writable() == [way.new], point
        assert way.refs() == set(), point
        assert [name for name in os.listdir(way.world) if "incoming" in name] == [], point
