"""Which files travel, and that a file which is as it was is not read again."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from agentws.core.disk.files import Files
from agentws.core.formats.git import objects
from agentws.core.states.object_store import ObjectStore
from agentws.errors import DiskError
from agentws.features.sync.store import snapshot
from tests.core.states.test_document_index import opened_by
from tests.features.sync.store.machines import FILES, WRITER, Machine, git, machines

TOKEN = "ghp_" + "a8F3kQ9zL2mX7vB4nC6tR1yW5uJ0hD8sEqPo"


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Machine]:
    """A machine that remembers each file, however new it is."""
    monkeypatch.setattr(snapshot, "COARSEST_NS", -(10**18))
    machine = Machine(tmp_path / "desk")
    with machines(machine):
        yield machine


def texts(machine: Machine, tree: dict[str, str]) -> dict[str, str]:
    return {path: machine.repo.blob(oid).decode() for path, oid in tree.items()}


def test_what_travels_and_what_stays(desk: Machine) -> None:
    goes = {
        ".gitignore": "x\n", "memory/.gitattributes": "* -text\n", "SOUL.md": "s\n", "tasks/a.md": "t\n",
        "identity/writers.jsonl": "{}\n", "identity/allowed_signers": "k\n", "memory/archive/2025/2025-11-20.md": "d\n",
        "memory/archive/2025/2025-11.jsonl": "{}\n", "conflicts/0a1b2c3d.json": "{}\n",
        "conflicts/0a1b2c3d/a-plan.bin": "x", f"journal/{WRITER}/packed/00000001.jsonl.gz": "x",
        "knowledge/birds/heron.txt": "h\n",
    }  # fmt: skip
    stays = {
        "notes.txt": "n\n", "drafts/plan.md": "p\n", ".env": "x\n", ".agentws/undo/1": "x\n",
        "identity/moved.json": "{}", "memory/.obsidian/x.md": "x\n", "knowledge/sub/.git": "gitdir: x\n",
        "knowledge/sub/x.txt": "x\n", "knowledge/bare/HEAD": "ref\n",
        "knowledge/bare/objects/x": "x", "knowledge/bare/refs/x": "x",
    }  # fmt: skip
    for path, text in {**goes, **stays}.items():
        desk.write(path, text)
    os.symlink("/etc/passwd", desk.root / "memory/link.md")
    os.symlink("tasks", desk.root / "contexts")
    os.mkfifo(desk.root / "memory/fifo.md")
    found = desk.snapshot(include=["knowledge/**"])
    assert texts(desk, found.tree) == {**FILES, **goes}
    assert sorted(found.others) == [
        "contexts", "drafts/", "knowledge/bare/", "knowledge/sub/", "memory/fifo.md", "memory/link.md", "notes.txt",
    ]  # fmt: skip
    assert not found.held
    assert not found.unread


def test_a_file_that_is_as_it_was_is_not_read(desk: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(1, 29):
        desk.write(f"memory/2026-02-{number:02}.md", f"- {number}\n")
    first = desk.snapshot()
    desk.state()
    opened = opened_by(monkeypatch)
    again = desk.snapshot()
    assert opened == [".agentws/sync/head"]
    assert again.tree == first.tree
    desk.write("memory/2026-02-03.md", "- four\n")
    (desk.root / "memory/2026-02-04.md").unlink()
    opened.clear()
    changed = desk.snapshot()
    assert opened[1:] == ["memory/2026-02-03.md"]
    assert "memory/2026-02-04.md" not in changed.tree
    assert texts(desk, changed.tree)["memory/2026-02-03.md"] == "- four\n"


def test_what_is_as_in_another_sync_is_known_after_a_new_start(desk: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    first = desk.snapshot()
    desk.state()
    desk.reopen()
    opened = opened_by(monkeypatch)
    assert desk.snapshot().tree == first.tree
    assert opened == [".agentws/sync/head"]


@pytest.mark.parametrize("edit", ["same-size-and-time", "renamed-over", "touched"])
def test_a_change_that_hides_is_found(desk: Machine, edit: str) -> None:
    at = desk.root / "MEMORY.md"
    desk.state()
    before = at.stat()
    other = FILES["MEMORY.md"].replace("herons", "finchs")
    if edit == "same-size-and-time":
        at.write_text(other)
        os.utime(at, ns=(before.st_atime_ns, before.st_mtime_ns))
    elif edit == "renamed-over":
        (desk.root / "x").write_text(other)
        os.utime(desk.root / "x", ns=(before.st_atime_ns, before.st_mtime_ns))
        os.rename(desk.root / "x", at)
    else:
        other = FILES["MEMORY.md"]
        at.write_text(other)
    assert texts(desk, desk.snapshot().tree)["MEMORY.md"] == other


def test_a_file_that_changed_just_now_is_read_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    desk = Machine(tmp_path / "desk")
    with machines(desk):
        desk.state()
        opened = opened_by(monkeypatch)
        desk.snapshot()
        assert set(opened) >= set(FILES)


def test_what_was_not_stored_is_not_remembered(desk: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    desk.snapshot()  # killed here: nothing of it is in the repository
    desk.reopen()
    tree = desk.snapshot().tree
    desk.state(tree=tree)
    assert texts(desk, tree) == FILES
    packs = git("cat-file", "--batch-all-objects", "--batch-check", cwd=Path(desk.repo.git_dir))
    assert all(oid in packs for oid in tree.values())


@pytest.mark.parametrize("damage", [b"", b"x", b"\0" * 4096])
def test_a_damaged_memory_of_files_is_no_harm(desk: Machine, damage: bytes) -> None:
    tree = desk.snapshot().tree
    desk.state()
    at = Path(desk.repo.git_dir) / "agentws-seen"
    whole = at.read_bytes()
    for data in (damage, whole[: len(whole) // 2], whole[:-1] + bytes([whole[-1] ^ 1])):
        at.write_bytes(data)
        assert desk.snapshot().tree == tree


def test_a_repository_that_went_takes_along_what_was_remembered(desk: Machine) -> None:
    tree = desk.snapshot().tree
    desk.state()
    desk.repo.close()
    shutil.rmtree(desk.repo.git_dir)
    desk.reopen()
    assert desk.repo.head() is None
    assert texts(desk, desk.snapshot().tree) == texts(desk, tree)


def test_what_looks_like_a_secret_is_held_back_and_stays_as_it_was_agreed_on(desk: Machine) -> None:
    commit = desk.state()
    agreed = desk.repo.tree(commit)
    desk.write("MEMORY.md", f"- token {TOKEN}\n")
    desk.write("tasks/new.md", f"- token {TOKEN}\n")
    for _ in range(2):
        found = desk.snapshot()
        assert found.held == dict.fromkeys(("MEMORY.md", "tasks/new.md"), snapshot.SECRETIVE)
        assert found.tree == agreed
    assert desk.snapshot(allow=["MEMORY.md"]).tree["MEMORY.md"] != agreed["MEMORY.md"]
    desk.state()
    assert set(desk.snapshot().held) == {"MEMORY.md", "tasks/new.md"}
    assert TOKEN not in "".join(texts(desk, desk.snapshot().tree).values())


def test_a_picture_is_not_looked_through_for_words(desk: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    (desk.root / "knowledge").mkdir()
    (desk.root / "knowledge/heron.png").write_bytes(b"\x89PNG" + TOKEN.encode())
    (desk.root / "knowledge/key.txt").write_text(TOKEN)
    (desk.root / "SOUL.md").write_bytes(b"\xff " + TOKEN.encode())
    found = desk.snapshot(include=["knowledge/**"])
    assert set(found.held) == {"knowledge/key.txt", "SOUL.md"}
    assert "knowledge/heron.png" in found.tree


def test_of_a_segment_that_is_written_to_the_whole_lines_go(desk: Machine) -> None:
    path = f"journal/{WRITER}/00000001.jsonl"
    desk.write(path, '{"seq":1}\n{"seq":2')
    desk.write(f"journal/{WRITER}/00000002.jsonl", '{"seq":')
    found = desk.snapshot()
    assert texts(desk, found.tree)[path] == '{"seq":1}\n'
    assert f"journal/{WRITER}/00000002.jsonl" not in found.tree


def test_a_folder_that_cannot_be_looked_into_is_not_taken_for_empty(
    desk: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk.state()
    real = os.listdir

    def refuses(folder: object) -> list[str]:
        names = real(folder)  # type: ignore[call-overload]
        if "2026-11-20.md" in names:
            raise OSError(5, "I/O error")
        return list(names)

    monkeypatch.setattr(os, "listdir", refuses)
    with pytest.raises(DiskError):
        desk.snapshot()


def test_a_file_that_cannot_be_read_stays_as_it_was_agreed_on(desk: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    agreed = desk.repo.tree(desk.state())
    desk.write("MEMORY.md", "- more\n")
    real = Files._opened

    def refuses(files: Files, path: str, flags: int, mode: int) -> object:
        if path == "MEMORY.md":
            raise PermissionError(13, "no")
        return real(files, path, flags, mode)

    monkeypatch.setattr(Files, "_opened", refuses)
    found = desk.snapshot()
    assert found.tree == agreed
    assert set(found.unread) == {"MEMORY.md"}


def test_many_contents_are_stored_before_they_fill_the_memory(desk: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("agentws.core.states.object_store._PENDING_BYTES", 1 << 10)
    for number in range(1, 29):
        desk.write(f"memory/2026-02-{number:02}.md", f"- {number}\n" * 2000)
    found = desk.snapshot()
    assert desk.repo.objects._waiting.size < 1 << 11
    commit = desk.state(tree=found.tree)
    assert texts(desk, desk.repo.tree(commit)) == texts(desk, found.tree)
    assert git("fsck", "--strict", cwd=Path(desk.repo.git_dir)) in ("", f"dangling commit {commit}")


def test_ids_are_those_of_git(desk: Machine) -> None:
    tree = desk.snapshot().tree
    for path, text in FILES.items():
        assert git("hash-object", "--stdin", stdin=text.encode()) == tree[path]
    assert objects.rows(b"100644 a\0" + bytes(20)) == [("100644", "a", "0" * 40)]
    assert ObjectStore(desk.repo.git_dir, "sync").has("1" * 40) is False
