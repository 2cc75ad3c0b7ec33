"""What the repository of a workspace has that no other is known to have, without git being run."""

from __future__ import annotations

from pathlib import Path

import pytest

from agentws.storage.disk.files import Files
from agentws.storage.git import remotes

OLD, NEW = "a" * 40, "b" * 40


def told(root: Path, **refs: str) -> str:
    """What is said of a repository with these files below `.git` (`__` stands for `/`)."""
    for name, text in refs.items():
        path = root / ".git" / name.replace("__", "/").replace("packed_refs", "packed-refs")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return remotes.unpushed(Files(str(root)))


HEAD = "ref: refs/heads/main\n"


def test_a_branch_that_a_remote_is_not_known_to_have_is_told(tmp_path: Path) -> None:
    found = told(tmp_path, HEAD=HEAD, refs__heads__main=NEW, refs__remotes__origin__main=OLD)

    assert found.startswith("The workspace's branch main is at bbbbbbb, the remote origin last had aaaaaaa")
    assert told(tmp_path, refs__remotes__backup__main=NEW) == ""


def test_packed_refs_are_read_and_loose_ones_win(tmp_path: Path) -> None:
    packed = f"# pack-refs with: peeled\n{OLD} refs/heads/main\n{OLD} refs/remotes/origin/main\n^{NEW}\n"

    assert told(tmp_path, HEAD=HEAD, packed_refs=packed) == ""
    assert "bbbbbbb" in told(tmp_path, refs__heads__main=NEW)


def test_a_branch_that_no_remote_has_ever_seen_is_told(tmp_path: Path) -> None:
    assert "last had no such branch" in told(
        tmp_path, HEAD=HEAD, refs__heads__main=NEW, refs__remotes__origin__other=OLD
    )


@pytest.mark.parametrize(
    "refs",
    [
        {},
        {"HEAD": OLD},
        {"HEAD": HEAD},
        {"HEAD": HEAD, "refs__heads__main": NEW},
        {"HEAD": "ref: refs/heads/../../../etc/passwd\n"},
        {"HEAD": HEAD, "refs__heads__main": "x" * 40, "refs__remotes__origin__main": OLD},
        {"HEAD": "\0\udcff".encode("utf-8", "surrogateescape").decode("latin-1")},
    ],
)
def test_where_nothing_can_be_told_nothing_is(tmp_path: Path, refs: dict[str, str]) -> None:
    assert told(tmp_path, **refs) == ""
