"""Which past states hold certain words: found in files, names and messages, wherever a ref leads."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from agentws.core.states import grep_history

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="git is not here: NOT TESTED")


def git(root: Path, *words: str) -> str:
    who = ["-c", "user.name=Sam", "-c", "user.email=sam@example.org", "-c", "commit.gpgSign=false"]
    done = subprocess.run(["git", "-C", str(root), *who, *words], capture_output=True, check=True, text=True)
    return done.stdout.strip()


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "robin"
    folder.mkdir()
    git(folder, "init", "-q", "-b", "main")
    (folder / "x").mkdir()
    commit(folder, "first", **{"a.md": "one\n"})
    return folder


def commit(root: Path, message: str, **files: str) -> str:
    for path, text in files.items():
        (root / path).write_text(text)
        git(root, "add", "--", path)
    git(root, "commit", "-q", "--allow-empty", "-m", message)
    return git(root, "rev-parse", "HEAD")


def holding(root: Path) -> grep_history.Past:
    found = grep_history.holding(str(root), str(root / "x"), lambda data: b"secret" in data)
    assert found is not None
    return found


def test_a_state_that_held_it_is_named_though_a_later_one_does_not(root: Path) -> None:
    held = commit(root, "second", **{"a.md": "a secret\n"})
    commit(root, "third", **{"a.md": "none\n"})

    found = holding(root)

    assert (found.commits, found.paths, found.refs) == ([held], ["a.md"], ["refs/heads/main"])


def test_names_of_files_and_messages_are_looked_at(root: Path) -> None:
    named = commit(root, "second", **{"secret.md": "x\n"})
    said = commit(root, "about the secret\n\nand more")

    found = holding(root)

    assert (found.commits, found.paths) == ([said, named], ["secret.md"])


def test_another_branch_and_what_only_the_reflog_knows_are_found(root: Path) -> None:
    git(root, "switch", "-q", "-c", "other")
    branch = commit(root, "second", **{"a.md": "a secret\n"})
    git(root, "switch", "-q", "main")
    lost = commit(root, "third", **{"b.md": "a secret, too\n"})
    git(root, "reset", "-q", "--hard", "HEAD~1")

    found = holding(root)

    assert set(found.commits) == {branch, lost}
    assert found.refs == ["refs/heads/other"]


def test_where_nothing_holds_it_there_is_nothing(root: Path) -> None:
    found = holding(root)

    assert (found.commits, found.paths, found.refs, found.unread) == ([], [], [], 0)


def test_a_repository_without_a_state_and_a_folder_without_a_repository(tmp_path: Path) -> None:
    empty = tmp_path / "empty"
    empty.mkdir()
    (empty / "x").mkdir()
    assert grep_history.holding(str(empty), str(empty / "x"), lambda data: True) is None

    git(empty, "init", "-q")

    assert holding(empty).commits == []


def test_a_file_that_is_too_large_is_counted(root: Path) -> None:
    commit(root, "second", **{"large.md": "secret " * (2 << 20)})

    assert (holding(root).unread, holding(root).paths) == (1, [])


def test_the_same_text_at_another_path_is_named_too(root: Path) -> None:
    commit(root, "second", **{"a.md": "a secret\n"})
    (root / "old").mkdir()
    git(root, "mv", "a.md", "old/a.md")
    moved = commit(root, "moved")

    found = holding(root)

    assert found.paths == ["a.md", "old/a.md"]
    assert found.commits[0] == moved


@pytest.mark.parametrize("shell", ["sh", "bash"])
def test_the_command_that_is_named_takes_it_out_of_every_state(root: Path, shell: str) -> None:
    commit(root, "second", **{"a.md": "a secret\n", "odd 'name' [1].md": "a secret\n", "b.md": "kept\n"})
    git(root, "tag", "-a", "v1", "-m", "x")
    git(root, "switch", "-q", "-c", "other")
    commit(root, "third", **{"a.md": "a secret, still\n"})
    git(root, "switch", "-q", "main")
    commit(root, "fourth", **{"a.md": "none\n", "b.md": "kept, too\n", "odd 'name' [1].md": "none\n"})
    (root / "draft.md").write_text("not in git\n")
    before = {path.name: path.read_bytes() for path in root.glob("*.md")}

    done = rewritten(root, shell)

    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert "secret" not in git(root, "log", "-p", "--all", "--reflog")
    assert "secret" not in git(root, "grep", "--cached", "-h", "e")
    assert git(root, "tag").split() == ["v1"]
    assert git(root, "show", "main:b.md", "other:b.md") == "kept, too\nkept"
    assert {path.name: path.read_bytes() for path in root.glob("*.md")} == before
    objects = git(root, "cat-file", "--batch-all-objects", "--batch-check").split("\n")
    blobs = [line.split()[0] for line in objects if line.split()[1] == "blob"]
    assert not any("secret" in git(root, "cat-file", "blob", oid) for oid in blobs)
    assert holding(root).commits == []


def test_the_rewrite_keeps_merges_and_commits_that_become_empty(root: Path) -> None:
    commit(root, "second", **{"a.md": "a secret\n"})
    git(root, "switch", "-q", "-c", "side")
    commit(root, "tried", **{"b.md": "x\n"})
    git(root, "rm", "-q", "b.md")
    git(root, "commit", "-q", "-m", "taken back")
    git(root, "switch", "-q", "main")
    commit(root, "third", **{"c.md": "kept\n"})
    git(root, "merge", "-q", "--no-ff", "-m", "joined", "side")
    shape = git(root, "log", "--graph", "--format=%s", "--all")

    done = rewritten(root)

    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert git(root, "log", "--graph", "--format=%s", "--all") == shape
    assert "secret" not in git(root, "log", "-p", "--all", "--reflog")


def test_the_rewrite_refuses_while_there_is_a_stash(root: Path) -> None:
    commit(root, "second", **{"a.md": "a secret\n"})
    for text in ("older\n", "newer\n"):
        (root / "a.md").write_text(text)
        git(root, "stash", "push", "-q")
    before = git(root, "stash", "list"), git(root, "log", "--all", "--format=%H")

    done = rewritten(root)

    assert (done.returncode, done.stdout) == (1, "")
    assert "Apply or drop the stashes first" in done.stderr
    assert (git(root, "stash", "list"), git(root, "log", "--all", "--format=%H")) == before


def rewritten(root: Path, shell: str = "sh") -> subprocess.CompletedProcess[str]:
    command = holding(root).rewrite(str(root))
    return subprocess.run([shell, "-c", command], capture_output=True, text=True, check=False)


def test_messages_alone_are_named_and_no_file_is_taken_out(root: Path) -> None:
    said = commit(root, "about the secret")

    found = holding(root)

    assert (found.said, found.rewrite(str(root))) == ([said], "")
