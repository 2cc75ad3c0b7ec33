"""Git's objects, made and read without it."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from agentws.core.formats.git import objects, tree_state

A, B, C = "a" * 40, "b" * 40, "c" * 40
AUTHOR = "agentws <agentws@localhost> 7 +0000"


@pytest.mark.parametrize(
    "files",
    [
        {}, {"a": A}, {"a/b/c/d": A, "a/b": B}, {"a.md": A, "a/x": B, "a0": C, "a-b/x": A}, {"é/ß": A, "\udcff": B},
        {f"memory/2026-02-{day:02}.md": A for day in range(1, 29)} | {"memory/archive/2025/x": B, "MEMORY.md": C},
    ],
)  # fmt: skip
def test_trees_are_those_of_a_state_that_was_made_a_path_at_a_time(files: dict[str, str]) -> None:
    files = {path: oid for path, oid in files.items() if not any(each.startswith(f"{path}/") for each in files)}
    top, made = objects.trees(files, "sha1")
    state, one_by_one, _ = tree_state.empty().changed({path: ("100644", oid) for path, oid in files.items()}, "sha1")
    assert top == state.ids.get("", "4b825dc642cb6eb9a060e54bf8d69288fbee4904")
    assert made == (one_by_one or {top: b""})


def test_the_deepest_tree_comes_first() -> None:
    top, made = objects.trees({"a/b/c": A, "d": B}, "sha1")
    assert list(made)[-1] == top
    named = [[oid for mode, _, oid in objects.rows(data) if mode == "40000"] for data in made.values()]
    inner, middle, _ = made
    assert named == [[], [inner], [middle]]


def test_rows_are_read_as_they_were_written() -> None:
    top, made = objects.trees({"b": A, "a": B, "c/d": C}, "sha1")
    assert objects.rows(made[top])[:2] == [("100644", "a", B), ("100644", "b", A)]


@pytest.mark.parametrize("torn", [b"100644", b"100644 a\0" + bytes(19), b"a\0" + bytes(20), b"\xff a\0" + bytes(20)])
def test_a_torn_tree(torn: bytes) -> None:
    with pytest.raises(ValueError, match=r"."):
        objects.rows(torn)


def test_links_are_those_that_a_commit_was_made_with() -> None:
    assert objects.links(objects.commit(A, (B, C), author=AUTHOR, message=b"tree x\n")) == (A, [B, C], 7)
    assert objects.links(objects.commit(A, (), author=AUTHOR, message=b"")) == (A, [], 7)


@pytest.mark.parametrize("torn", [b"", b"tree x", b"tree x\n\ncommitter a <b> 1 +0000", b"committer a <b> x +0000"])
def test_a_torn_commit(torn: bytes) -> None:
    with pytest.raises(ValueError, match=r"."):
        objects.links(torn)


def test_a_pack_that_was_asked_for_goes_on_and_is_what_git_reads(tmp_path: Path) -> None:
    contents = [b"", b"- a\n", b"x" * 5000, bytes(range(256)) * 30]
    made = objects.Pack("sha1")
    for number, data in enumerate(contents):
        oid = objects.object_id(objects.BLOB, data, "sha1")
        made.add(oid, objects.BLOB, data)
        assert (made.get(oid), oid in made, len(made)) == ((objects.BLOB, data), True, number + 1)
        assert made.data() == made.data()

    subprocess.run(["git", "init", "-q", "--bare", str(tmp_path)], check=True)
    words = ["git", f"--git-dir={tmp_path}", "index-pack", "--stdin", "--strict"]
    told = subprocess.run(words, input=made.data(), check=True, capture_output=True).stdout.decode()
    assert told.split() == ["pack", made.data()[-20:].hex()]
    for data in contents:
        words = ["git", f"--git-dir={tmp_path}", "cat-file", "blob", objects.object_id(objects.BLOB, data, "sha1")]
        assert subprocess.run(words, check=True, capture_output=True).stdout == data
