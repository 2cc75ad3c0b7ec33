"""How many processes of git a sync takes, and what of the repository it reads."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from agentws.core.states import object_store, remote
from agentws.core.states.object_store import ObjectStore
from agentws.features.sync.store import snapshot
from agentws.features.sync.store.remote import Remote
from tests.features.sync.store.machines import AGENT, Machine, bare, git, machines


def started_by(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The command of git of each process that is started from now on."""
    started: list[str] = []

    def note(argv: list[str]) -> None:
        words = [each for each in argv if each in ("cat-file", "index-pack", "merge-base")]
        started.append(words[0] if words else " ".join(argv))

    def noted(real: object, at: int) -> object:
        def start(*args: object, **words: object) -> object:
            note(args[at])  # type: ignore[arg-type]
            return real(*args, **words)  # type: ignore[operator]

        return start

    def spoken(word: str, *words: str, **rest: object) -> bytes:
        before = [*started, word]
        answer = real(word, *words, **rest)  # type: ignore[arg-type]
        started[:] = before  # how that starts git is its own business
        return answer

    real = remote.run
    monkeypatch.setattr(remote, "run", spoken)
    monkeypatch.setattr(os, "posix_spawn", noted(os.posix_spawn, 1))
    monkeypatch.setattr(os, "posix_spawnp", noted(os.posix_spawnp, 1))
    return started


@pytest.mark.parametrize("kind", ["repository", "folder"])
def test_the_processes_of_a_sync(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str) -> None:
    monkeypatch.setattr(snapshot, "COARSEST_NS", -(10**18))
    if kind == "folder":
        (tmp_path / "there").mkdir()
    there = Remote(str(bare(tmp_path / "there") if kind == "repository" else tmp_path / "there"))
    desk, lap = Machine(tmp_path / "desk"), Machine(tmp_path / "lap", {})
    with machines(desk, lap):
        first = desk.sync(there)
        there.fetch(lap.repo, AGENT)
        lap.state([first.commit])
        for _ in range(2):
            desk.write("MEMORY.md", f"- {os.urandom(4).hex()}\n")
            desk.sync(there)
        lap.reopen()
        started = started_by(monkeypatch)

        # What both have changed is merged: the bases, their contents and the new ones are read.
        lap.write("tasks/a.md", "- a\n")
        tip, head = there.fetch(lap.repo, AGENT), lap.repo.head()
        assert tip is not None
        assert head is not None
        ours, theirs = lap.snapshot().tree, lap.repo.tree(tip.commit)
        (base,) = lap.repo.bases(head, tip.commit)
        lap.repo.blobs([*lap.repo.tree(base).values(), *theirs.values()])
        lap.repo.store([b"merged\n"])
        merged = lap.state([tip.commit, head], tree={**theirs, **ours})
        there.push(lap.repo, AGENT, merged, tip)
        pushes = ["push"] * (2 if kind == "folder" else 1)
        assert started == ["fetch", "cat-file", "merge-base", "index-pack", *pushes]

        # Where nothing has changed anywhere, two.
        lap.reopen()
        started.clear()
        tip, head = there.fetch(lap.repo, AGENT), lap.repo.head()
        assert tip is not None
        assert head == tip.commit == merged
        assert {*lap.snapshot().tree} < {*lap.repo.tree(head)}
        assert started == ["fetch", "cat-file"]


def test_a_sync_reads_no_content_that_it_is_not_asked_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    there = Remote(str(bare(tmp_path / "there")))
    desk, lap = Machine(tmp_path / "desk"), Machine(tmp_path / "lap", {})
    with machines(desk, lap):
        for number in range(1, 29):
            desk.write(f"memory/2026-02-{number:02}.md", f"- {number}\n")
        desk.sync(there)
        read: list[str] = []
        real = object_store.Reader.read

        def noted(reader: object, oids: list[str], **words: int) -> object:
            read.extend(oids)
            return real(reader, oids, **words)  # type: ignore[arg-type]

        monkeypatch.setattr(object_store.Reader, "read", noted)
        tip = there.fetch(lap.repo, AGENT)
        assert tip is not None
        tree = lap.repo.tree(tip.commit)
        assert not set(read) & set(tree.values())
        assert len(read) == len(set(read))


def test_small_packs_are_folded_once_there_are_many(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(object_store, "_MOST_PACKS", 5)
    there = Remote(str(bare(tmp_path / "there")))
    desk = Machine(tmp_path / "desk")
    with machines(desk):
        states = []
        for number in range(12):
            desk.write("MEMORY.md", f"- {number}\n")
            states.append(desk.sync(there).commit)
        packs = list(Path(desk.repo.git_dir, "objects/pack").glob("*.pack"))
        assert len(packs) <= 7
        assert all(desk.repo.has(each) for each in states)


def test_a_state_after_another_stores_what_is_new_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    desk = Machine(tmp_path / "desk")
    with machines(desk):
        for number in range(1, 29):
            desk.write(f"memory/2026-02-{number:02}.md", f"- {number}\n")
        first = desk.state()
        desk.reopen()
        added: list[str] = []
        real = ObjectStore.add

        def noted(here: ObjectStore, kind: str, data: bytes) -> str:
            added.append(kind)
            return real(here, kind, data)

        monkeypatch.setattr(ObjectStore, "add", noted)
        desk.write("MEMORY.md", "- more\n")
        desk.state([first])
        # The file, the workspace, what is told, the root, the commit.
        assert sorted(added) == ["blob", "blob", "commit", "tree", "tree"]
        assert git("fsck", "--strict", cwd=Path(desk.repo.git_dir)) == ""
