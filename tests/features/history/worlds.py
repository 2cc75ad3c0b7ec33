"""A workspace that has lived for some days, with a moment for each thing that happened."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from agentws.workspace import Environment, Workspace

BEGAN = datetime(2026, 11, 16, 8, tzinfo=UTC)
NEEDS_GIT = pytest.mark.skipif(shutil.which("git") is None, reason="git is not here")


def at(hours: float) -> datetime:
    """So many hours after the beginning."""
    return BEGAN + timedelta(hours=hours)


class World:
    """A workspace, opened at any moment of its life; `git` as `init` takes it."""

    def __init__(self, folder: Path, *, git: bool = True) -> None:
        self.root = folder / "robin"
        Workspace.init(str(self.root), environment=Environment(now=BEGAN, timezone="UTC"), name="Robin", git=git)

    def open(self, hours: float) -> Workspace:
        """The workspace so many hours after its beginning."""
        return Workspace.open(str(self.root), environment=Environment(now=at(hours), timezone="UTC"))

    def as_it_was(self, then: float, *, now: float) -> Workspace:
        """The workspace looked back at."""
        environment = Environment(now=at(now), timezone="UTC").as_it_was(at(then))
        return Workspace.open(str(self.root), environment=environment)

    def write(self, path: str, text: str) -> None:
        """An edit by hand."""
        (self.root / path).parent.mkdir(parents=True, exist_ok=True)
        (self.root / path).write_text(text)

    def text(self, path: str) -> str:
        """What stands in a file now."""
        return (self.root / path).read_text()

    def record(self, hours: float, change: Callable[[], object] = lambda: None) -> str:
        """Make a change and let a state be recorded; returns its id."""
        change()
        self.open(hours).stores.record("remember")
        return self.newest()

    def newest(self) -> str:
        """The id of the newest state."""
        from agentws.core.states import versions

        opened = self.open(0)
        past = versions.open_past(opened.stores.files, opened.stores.manifest)
        assert past is not None
        return past.states()[0][0]
