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
