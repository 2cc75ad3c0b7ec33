"""An agent on two machines, and a stick that goes between them."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest

from agentws.core.formats import layout
from agentws.core.identity import pinned_writers
from agentws.core.stores.stores import Stores
from agentws.features.sync.join import join
from agentws.workspace import Environment, Workspace
from tests.conftest import NOW


class Machines:
    """Machines with a state each, on which the agent is brought with `join`; the first one has made it."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._names = ["desk"]
        self.stick = folder / "stick"
        self.stick.mkdir()

    def environment(self, name: str, minutes: int = 0) -> Environment:
        now = NOW + timedelta(minutes=minutes)
        return Environment(now=now, timezone="UTC", state=(None, str(self._folder / f"state-{name}")))

    def root(self, name: str) -> Path:
        return self._folder / name

    def first(self, *, git: bool = True) -> Workspace:
        """The workspace on the machine that made the agent, by default with a history of its own."""
        return Workspace.init(str(self.root("desk")), environment=self.environment("desk"), name="Robin", git=git)

    def another(self, name: str, *, known: bool = True, remote: str = "") -> Workspace:
        """One more machine, which the earlier ones know, unless it is to be a stranger to them."""
        joined = join(remote or str(self.stick), str(self.root(name)), self.environment(name))
        for other in self._names if known and joined.writer else ():
            self.introduce(joined.writer, name, to=other)
        self._names.append(name)
        return self.opened(name)

    def introduce(self, writer: str, name: str, *, to: str) -> None:
        """Let a machine know the writer of another one: its lines are in `identity/`, and a person has accepted it."""
        stores = Stores(str(self.root(to)), self.environment(to))
        stores.load()
        for path in (layout.WRITERS, layout.SIGNERS):
            there, here = self.root(name) / path, self.root(to) / path
            known = here.read_text().splitlines()
            new = [line for line in there.read_text().splitlines() if writer in line and line not in known]
            here.write_text("".join(f"{line}\n" for line in [*known, *new]))
        own = pinned_writers.of(stores.files, stores.manifest.agent_id, stores.environment.state)
        told = pinned_writers.keys_told(stores.files).get(writer, set())
        pinned_writers.add(stores.files, own, {writer: told}, by=pinned_writers.PERSON, at=stores.now_text())

    def opened(self, name: str, *, minutes: int = 0) -> Workspace:
        """The workspace of a machine, whose clock has gone on for so many minutes."""
        return Workspace.open(str(self.root(name)), environment=self.environment(name, minutes))

    def files(self, name: str) -> dict[str, bytes]:
        """What travels of the files of a machine."""
        root = self.root(name)
        found = (path for path in root.rglob("*") if path.is_file())
        told = {str(path.relative_to(root)): path for path in found}
        return {
            path: at.read_bytes() for path, at in sorted(told.items()) if path.split("/")[0] not in (".git", ".agentws")
        }


@pytest.fixture
def machines(tmp_path: Path) -> Machines:
    return Machines(tmp_path)
