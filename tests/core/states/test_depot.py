"""Copies in another repository: what comes back is compared, and nothing there is larger than agentws makes it."""

from __future__ import annotations

import hashlib
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from agentws.core.formats.travel import parcel
from agentws.core.formats.travel.inventory import FILE, TreeEntry
from agentws.core.states import depot as _depot
from agentws.core.states.depot import Depot
from agentws.errors import ChangedUnderneathError, DamagedError, OutsideProgramError, TooLargeError

REF = parcel.ref("0123abcd", parcel.READY)


def git(place: Path, *words: str, stdin: bytes = b"") -> str:
    env = {**os.environ, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
    env |= {f"GIT_{role}_{part}": "x@y" for role in ("AUTHOR", "COMMITTER") for part in ("NAME", "EMAIL")}
    done = subprocess.run(["git", *words], cwd=place, env=env, input=stdin, capture_output=True, check=True)
    return done.stdout.decode().strip()


@pytest.fixture
def there(tmp_path: Path) -> Path:
    git(tmp_path, "init", "-q", "--bare", "there.git")
    return tmp_path / "there.git"


@pytest.fixture
def depot(there: Path, tmp_path: Path) -> Iterator[Depot]:
    (tmp_path / "scratch").mkdir()
    made = Depot(str(there), str(tmp_path / "scratch"))
    yield made
    made.close()


def entry(path: str, data: bytes) -> TreeEntry:
    return TreeEntry(path, FILE, 0o600, 0, len(data), hashlib.sha256(data).hexdigest())


def sent(depot: Depot, *contents: bytes) -> tuple[str, dict[str, str]]:
    paths = [parcel.pieces(entry("", data).content, len(data))[0] for data in contents]
    held = dict(zip(paths, depot.store(contents), strict=True))
    commit = depot.commit(held, b"one\n")
    depot.push([(REF, "", commit)])
    return commit, held


def test_what_was_sent_comes_back(depot: Depot, there: Path) -> None:
    commit, held = sent(depot, b"- a\n", b"- b\n")
    assert depot.refs() == {REF: commit}
    assert depot.fetch(REF) == commit
    assert depot.tree(commit) == held
    assert depot.message(commit) == "one\n"
    entries = [entry("a.md", b"- a\n"), entry("b.md", b"- b\n")]
    assert [b"".join(pieces) for _, pieces in depot.content(held, entries)] == [b"- a\n", b"- b\n"]
    assert [sound for _, sound in depot.verified(held, entries)] == [True, True]
    assert git(there, "fsck", "--strict", "--no-dangling") == ""


def test_the_same_files_and_words_make_the_same_commit(depot: Depot) -> None:
    commit, held = sent(depot, b"- a\n")
    assert depot.commit(held, b"one\n") == commit
    assert depot.commit_tree(depot.tree_of(commit), b"one\n") == commit
    assert depot.commit(held, b"one\n", [commit]) != commit


def test_what_is_missing_or_differs_is_not_sound(depot: Depot) -> None:
    commit, held = sent(depot, b"- a\n")
    depot.fetch(REF)
    (path,), (oid,) = held, held.values()
    other = entry("b.md", b"- b\n")
    swapped = {parcel.pieces(other.content, other.size)[0]: oid}
    for tree, one in ((held, other), (swapped, other), ({path: "1" * 40}, entry("a.md", b"- a\n"))):
        assert [sound for _, sound in depot.verified(tree, [one])] == [False]
    with pytest.raises(DamagedError, match="is not a file of a copy"):
        depot.blob(depot.tree_of(commit))


def test_a_blob_that_no_copy_holds_is_refused_before_it_is_read(depot: Depot, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_depot, "LARGEST_BLOB_BYTES", 1 << 20)
    _, held = sent(depot, bytes(2 << 20))
    depot.fetch(REF)
    with pytest.raises(TooLargeError, match="2 MiB"):
        depot.blob(*held.values())
    with pytest.raises(TooLargeError, match="2 MiB"):
        list(depot.verified(held, [entry("a.md", bytes(2 << 20))]))


def test_a_tree_of_trees_without_end_is_not_walked(depot: Depot, there: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_depot, "_MOST_ROWS", 2_000)
    row = f"100644 blob {git(there, 'hash-object', '-w', '--stdin', stdin=b'x')}"
    for _ in range(12):  # 10^12 files in twelve objects
        made = git(there, "mktree", stdin="".join(f"{row}\td{number}\n" for number in range(10)).encode())
        row = f"040000 tree {made}"
    commit = git(there, "commit-tree", "-m", "x", made)
    git(there, "update-ref", REF, commit)
    with pytest.raises(DamagedError, match="more than 2,000 files"):
        depot.tree(depot.fetch(REF))


def test_a_ref_that_names_no_commit_is_refused(depot: Depot, there: Path) -> None:
    git(there, "update-ref", REF, git(there, "hash-object", "-w", "--stdin", stdin=b"x"))
    with pytest.raises(OutsideProgramError):
        depot.fetch(REF)


def test_a_ref_that_another_has_moved_stays(depot: Depot) -> None:
    commit, held = sent(depot, b"- a\n")
    other = depot.commit(held, b"two\n")
    with pytest.raises(ChangedUnderneathError, match="Another process is working on the same refs"):
        depot.push([(REF, "", other)])
    assert depot.refs() == {REF: commit}
    depot.push([(REF, "", commit)])  # it was taken, and its answer lost


def test_a_repository_that_stays_is_not_fetched_again(there: Path, tmp_path: Path) -> None:
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        made = Depot(str(there), str(tmp_path / name), back=str(tmp_path / "back"))
        if name == "one":
            commit, held = sent(made, b"- a\n")
            made.fetch(REF)
        else:
            assert made.tree(commit) == held  # without a fetch
        made.close()
