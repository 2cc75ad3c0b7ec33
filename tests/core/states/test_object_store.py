"""The objects of a private repository: written durably, read within bounds, and refused if they are damaged."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from agentws.core.disk import files as _files
from agentws.core.formats.git import objects
from agentws.core.states import object_store, plumbing
from agentws.core.states.object_store import FILE, FOLDER, ObjectStore
from agentws.errors import DamagedError, OutsideProgramError

AUTHOR = "Sam <sam@example.org> 0 +0000"
NOWHERE = "1" * 40


def git(store: ObjectStore, *words: str, stdin: bytes = b"") -> str:
    done = subprocess.run(["git", f"--git-dir={store.git_dir}", *words], input=stdin, capture_output=True, check=True)
    return done.stdout.decode().strip()


@pytest.fixture
def store(tmp_path: Path) -> Iterator[ObjectStore]:
    plumbing.create_bare(f"{tmp_path}/repo.git")
    made = ObjectStore(f"{tmp_path}/repo.git", "backup", "Make a new one.")
    yield made
    made.close()


def committed(store: ObjectStore, *contents: bytes) -> str:
    files = {f"memory/{number}.md": store.add(objects.BLOB, data) for number, data in enumerate(contents)}
    return store.add_commit(store.add_trees(files), (), author=AUTHOR, message=b"one\n")


def test_what_is_added_is_read_before_it_is_stored_and_after(store: ObjectStore) -> None:
    commit = committed(store, b"- a\n", b"- b\n")
    for _ in range(2):
        tree, parents, when = store.links(commit)
        assert (parents, when, store.message(commit)) == ([], 0, b"one\n")
        rows = list(store.walk(tree))
        assert [(mode, folder, name) for mode, folder, name, _ in rows] == [
            (FOLDER, "", "memory"),
            (FILE, "memory/", "0.md"),
            (FILE, "memory/", "1.md"),
        ]
        assert [*store.blobs([oid for mode, *_, oid in rows if mode == FILE]).values()] == [b"- a\n", b"- b\n"]
        store.flush()


def test_the_ids_are_those_of_git_and_git_finds_no_fault(store: ObjectStore) -> None:
    commit = committed(store, b"- a\n")
    store.flush()
    assert git(store, "hash-object", "--stdin", stdin=b"- a\n") == git(store, "rev-parse", f"{commit}:memory/0.md")
    tree = store.links(commit)[0]
    rows = [(FOLDER, "memory", git(store, "rev-parse", f"{commit}:memory"))]
    assert store.add_tree(*rows) == tree == git(store, "rev-parse", f"{commit}^{{tree}}")
    assert git(store, "fsck", "--strict", "--no-dangling") == ""


def test_what_is_stored_is_durable_before_it_is_told(store: ObjectStore, monkeypatch: pytest.MonkeyPatch) -> None:
    synced = []
    monkeypatch.setattr(_files, "sync", lambda fd: synced.append(os.readlink(f"/proc/self/fd/{fd}")))
    committed(store, b"- a\n")
    store.after_flush(lambda: synced.append("told"))
    store.flush()
    assert synced == [os.path.realpath(f"{store.git_dir}/objects/pack"), "told"]


def test_a_state_that_names_what_is_missing_is_not_stored(store: ObjectStore) -> None:
    store.add_commit(store.add_trees({"a.md": NOWHERE}), (), author=AUTHOR, message=b"x\n")
    with pytest.raises(OutsideProgramError, match="git index-pack failed"):
        store.flush()
    assert not [name for name in os.listdir(f"{store.git_dir}/objects/pack") if name.endswith(".pack")]


def test_what_is_of_another_kind_or_missing_is_damage(store: ObjectStore) -> None:
    commit = committed(store, b"- a\n")
    store.flush()
    tree = store.links(commit)[0]
    for ask, message in (
        (lambda: store.links(tree), "is not a state of a backup"),
        (lambda: store.rows([commit]), "is not a folder of a backup"),
        (lambda: store.blobs([tree]), "is not a file of a backup"),
        (lambda: store.blobs([NOWHERE]), "is not a file of a backup"),
        (lambda: store.raw([NOWHERE]), "is missing in the backup's repository"),
        (lambda: store.links("HEAD"), "is not an id of git"),
    ):
        with pytest.raises(DamagedError, match=message):
            ask()
    assert not store.has(NOWHERE)
    assert store.has(commit)


def test_an_object_that_is_too_large_is_refused_and_the_next_one_is_read(store: ObjectStore) -> None:
    large, small = store.add(objects.BLOB, bytes(2 << 20)), store.add(objects.BLOB, b"- a\n")
    store.flush()
    with pytest.raises(DamagedError, match="An object of the backup has 2 MiB; agentws takes at most 1"):
        store.blobs([large], 1 << 20)
    assert store.blobs([small], 1 << 20) == {small: b"- a\n"}


def test_a_repository_that_is_gone_is_damage_with_the_remedy(store: ObjectStore) -> None:
    commit = committed(store, b"- a\n")
    store.flush()
    os.rename(f"{store.git_dir}/objects", f"{store.git_dir}/elsewhere")
    with pytest.raises(DamagedError, match="git cannot read an object of the backup") as caught:
        store.links(commit)
    assert caught.value.hint == "Make a new one."


def test_states_are_copied_with_all_that_they_hold(store: ObjectStore, tmp_path: Path) -> None:
    first = committed(store, b"- a\n")
    second = store.add_commit(store.links(first)[0], (first,), author=AUTHOR, message=b"two\n")
    alone = store.add_trees({"b.md": store.add(objects.BLOB, b"- b\n")})
    store.flush()
    plumbing.create_bare(f"{tmp_path}/other.git")
    other = ObjectStore(f"{tmp_path}/other.git", "backup")
    object_store.copy([first, second], store, other, (alone,))
    assert other.links(second)[1] == [first]
    assert [name for _, _, name, _ in other.walk(alone)] == ["b.md"]
    assert git(other, "fsck", "--strict", "--no-dangling") == ""
    other.close()
