"""Machines that never were: each with an id, a home and a clock of its own, told through the Environment."""

from __future__ import annotations

import shutil
from datetime import datetime, timedelta
from pathlib import Path

from agentws.core.formats.journal import event
from agentws.core.formats.journal.event import Event
from agentws.workspace import Environment, Workspace
from tests.conftest import NOW


class Machine:
    """A machine: its id, and the folder that is the home of its user; `ahead` is how far its clock is off."""

    def __init__(self, place: Path, name: str, *, ahead: timedelta = timedelta()) -> None:
        self.name = name
        self.home = place / f"home-of-{name}"
        self.ahead = ahead

    def environment(self, now: datetime = NOW) -> Environment:
        """Its surroundings: state and cache lie in its home."""
        state = (None, str(self.home / "state"), f"machine-{self.name}")
        return Environment(now=now + self.ahead, timezone="UTC", state=state, cache=str(self.home / "cache"))

    def opens(self, root: Path, now: datetime = NOW) -> Workspace:
        """The workspace at `root`, on this machine."""
        return Workspace.open(str(root), environment=self.environment(now))

    def makes(self, root: Path, *, git: bool = False) -> Workspace:
        """A new workspace at `root`; its state lies in the home, also where the tests run in a container."""
        Workspace.init(str(root), environment=self.environment(), name="Robin", git=git)
        shutil.rmtree(root / ".agentws/state", ignore_errors=True)
        return self.opens(root)


def warned(workspace: Workspace) -> list[str]:
    """What boot says of the standing of this installation."""
    words = ("New copy", "older than", "Different history", "has moved", "was retired")
    return [notice for notice in workspace.boot().notices if any(word in notice for word in words)]


def writers(root: Path) -> list[str]:
    """The writers of a workspace, the first that joined first."""
    return sorted(path.name for path in (root / "journal").glob("0*"))


def events(root: Path, writer: str) -> list[Event]:
    """The events of a writer, in their order."""
    segments = sorted((root / "journal" / writer).glob("0*.jsonl"))
    lines = [line for path in segments for line in path.read_bytes().split(b"\n")[:-1]]
    return [event.decode(line, writer=writer) for line in lines]


def said(root: Path) -> list[str]:
    """The texts of all notes, of every writer."""
    found = (one for writer in writers(root) for one in events(root, writer))
    return [str(one.body["text"]) for one in found if one.kind == "note" and one.body]
