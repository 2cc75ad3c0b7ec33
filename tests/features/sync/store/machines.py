"""Machines of one agent that meet at a repository, for tests of what lies beneath `sync`."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from agentws.core.disk.files import Files
from agentws.core.formats.travel.sync_state import Told
from agentws.core.installation import keys
from agentws.core.installation.keys import Key
from agentws.features.sync.store import snapshot
from agentws.features.sync.store.remote import Remote, Tip
from agentws.features.sync.store.repo import Repo
from agentws.features.sync.store.snapshot import Snapshot

AGENT = "0f3c9a52d4e84c6f9b7a1d2e3f405162"
WRITER = "006b0070611a6f64"
FILES = {
    "agentws.toml": 'id = "robin"\n',
    "MEMORY.md": "- Ada likes herons\n",
    "memory/2026-11-20.md": "- 07:15 A line\n",
    f"journal/{WRITER}/00000001.jsonl": '{"seq":1}\n',
}


class Machine:
    """A workspace on a machine, with its private repository open."""

    def __init__(self, root: Path, files: Mapping[str, str] = FILES, *, key: Key | None = None) -> None:
        self.root, self.key = root, key
        root.mkdir(parents=True, exist_ok=True)
        for path, text in files.items():
            self.write(path, text)
        self.files = Files(str(root))
        self.repo = Repo(self.files)

    def write(self, path: str, text: str) -> None:
        at = self.root / path
        at.parent.mkdir(parents=True, exist_ok=True)
        at.write_text(text)

    def reopen(self) -> Repo:
        self.repo.close()
        self.repo = Repo(self.files)
        return self.repo

    def snapshot(self, **words: Sequence[str]) -> Snapshot:
        head = self.repo.head()
        return snapshot.take(self.repo, self.files, self.repo.tree(head) if head else {}, **words)

    def told(self, epoch: int = 1, *, agent: str = AGENT, renews: str = "") -> Told:
        key = self.key.public if self.key else ""
        return Told(agent, WRITER, key, "desk", "2026-11-20T07:15:00.123456Z", epoch, renews=renews)

    def state(self, parents: Sequence[str] = (), tree: Mapping[str, str] | None = None, **words: object) -> str:
        """A commit of the files as they are, which is the local head then."""
        found = self.snapshot().tree if tree is None else tree
        commit = self.repo.commit(found, parents, self.told(**words), self.key)  # type: ignore[arg-type]
        self.write(".agentws/sync/head", f"{commit}\n")
        return commit

    def sync(self, remote: Remote) -> Tip:
        """What a machine alone does: its files, after what is there."""
        tip = remote.fetch(self.repo, AGENT)
        commit = self.state([tip.commit] if tip else [], epoch=tip.epoch if tip else 1)
        return remote.push(self.repo, AGENT, commit, tip)


def bare(path: Path) -> Path:
    git("init", "-q", "--bare", str(path))
    return path


def git(*words: str, cwd: Path | None = None, stdin: bytes = b"") -> str:
    """What git says, in a repository that somebody else writes in."""
    env = {**os.environ, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
    env |= {f"GIT_{role}_{part}": "x@y" for role in ("AUTHOR", "COMMITTER") for part in ("NAME", "EMAIL")}
    done = subprocess.run(["git", *words], cwd=cwd, env=env, input=stdin, capture_output=True, check=True)
    return done.stdout.decode(errors="replace").strip()


def key(folder: Path) -> Key:
    folder.mkdir(mode=0o700, parents=True)
    made = keys.ensure(str(folder), comment="desk")
    assert made is not None
    return made


@contextmanager
def machines(*found: Machine) -> Iterator[None]:
    try:
        yield
    finally:
        for each in found:
            each.repo.close()
