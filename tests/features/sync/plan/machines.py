"""One agent on several machines, kept in step by merges of whole trees: no git, no remote but a dictionary."""

from __future__ import annotations

import shutil
from datetime import UTC, datetime, timedelta
from pathlib import Path

from agentws.core.formats import layout
from agentws.workspace import Environment, Workspace
from tests.features.sync.plan.trees import Files, Store, merged

NOON = datetime(2026, 11, 20, 12, tzinfo=UTC)


class Remote:
    """What all machines have agreed on last."""

    def __init__(self) -> None:
        self.files: Files | None = None


class Machine:
    """A copy of a workspace with an installation of its own."""

    def __init__(self, root: Path, name: str) -> None:
        self.root = root / name
        self.state = root / f"{name}-state"
        self.base: Files = {}
        self.notices: list[str] = []
        self.conflicts: list[str] = []

    def at(self, *, days: float = 0) -> Workspace:
        """The workspace so many days after the present."""
        environment = Environment(
            now=NOON + timedelta(days=days), timezone="UTC", state=(str(self.state), str(self.state))
        )
        return Workspace.open(str(self.root), environment=environment)

    def beside(self, name: str) -> Machine:
        """Another machine with the files that this one has."""
        other = Machine(self.root.parent, name)
        shutil.copytree(self.root, other.root, ignore=shutil.ignore_patterns(layout.LOCAL))
        other.base = dict(self.base)
        return other

    @property
    def files(self) -> Files:
        """All files that travel."""
        found = {}
        for path in sorted(self.root.rglob("*")):
            name = path.relative_to(self.root).as_posix()
            if path.is_file() and not name.startswith((".agentws/", ".git/")) and name != layout.MOVED:
                found[name] = path.read_bytes()
        return found

    def text(self, path: str) -> str:
        """A file as a text."""
        return (self.root / path).read_text()

    def put(self, path: str, text: str) -> None:
        """Write a file, as a person would."""
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)

    def sync(self, remote: Remote) -> None:
        """Merge with what the others have agreed on, and agree."""
        if remote.files is None:
            remote.files = self.base = self.files
            return
        ours = self.files
        after, plan = merged(self.base, ours, remote.files)
        turned, other = merged(self.base, remote.files, ours)
        assert {path: data for path, data in after.items() if path not in plan.apart} == {
            path: data for path, data in turned.items() if path not in other.apart
        }
        assert sorted(one.id for one in plan.conflicts) == sorted(one.id for one in other.conflicts)
        self.notices += plan.notices
        self.conflicts += [f"{one.path}: {one.what} {one.where}" for one in plan.conflicts]
        for path in ours:
            if path not in after:
                (self.root / path).unlink()
        for path, data in after.items():
            if ours.get(path) != data:
                file = self.root / path
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_bytes(data)
        agreed = dict(after)
        store = Store()
        store.tree(remote.files)
        for path, oid in plan.apart.items():
            agreed.pop(path, None)
            agreed |= {path: store.blobs[oid]} if oid else {}
        remote.files = self.base = agreed
        here = self.at(days=200)
        for writer in here.stores.unknown_writers():
            here.identity.vouch(writer)

    def faults(self) -> list[str]:
        """What the workspace's own verbs find wrong with it."""
        here = self.at(days=200)
        compaction = here.memory.verify()
        assert here.boot(budget=4_000).text
        wrong = [f"{one.path}:{one.line} {one.wrong}" for one in compaction.faults]
        return wrong + [f"{one.path} {one.what}" for one in here.journal.verify().findings]
