"""P13, P14: looking back into a repository that somebody else made runs nothing of it and shows nothing outside."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from tests.hostile import worlds
from tests.hostile.test_canaries import (
    _git,
    trap as trap,  # the fixture
)

VERBS = (
    ("init",),
    ("history", "SOUL.md"),
    ("diff",),
    ("diff", "--since", "0d", "--stat"),
    ("diff", "SOUL.md", "--json"),
    ("restore", "SOUL.md", "--dry-run"),
    ("boot", "--now", "2026-11-20T07:14"),
    ("boot", "--now", "yesterday"),
    ("history", "IDENTITY.md"),
    ("diff", "handoffs/x.md"),
    ("restore", "handoffs/x.md", "--yes"),
    ("restore", "IDENTITY.md", "--yes"),
    ("history", "tasks/$(touch x).md"),
    ("restore", "SOUL.md", "--yes"),
    ("undo",),
)


def test_no_look_back_runs_anything_of_the_workspace(tmp_path: Path, trap: Path) -> None:
    outside = worlds.state(tmp_path / "outside")
    well = []
    for verb in VERBS:
        ran = worlds.run(*verb, cwd=trap)
        if verb == ("init",):
            (trap / "SOUL.md").write_text("# Soul\nedited\n")

        assert ran.code in (0, 1, 2, 3), (verb, ran)
        assert b"outside\n" not in ran.out, (verb, ran)
        assert list((tmp_path / "fired").iterdir()) == [], verb
        well += [verb[0]] * (ran.code == 0)

    assert {"history", "diff", "restore", "boot", "undo"} <= set(well)
    assert worlds.state(tmp_path / "outside") == outside
    assert not (trap / "x").exists()
    assert (trap / "IDENTITY.md").is_symlink()


@pytest.fixture
def sent(tmp_path: Path) -> Path:
    """A workspace whose manifest says that the sender's own branch is its history."""
    manifest = worlds.MANIFEST + b'\n[history]\ncommits = "branch"\n'
    root = worlds.make(tmp_path / "w", {"agentws.toml": manifest})
    secret = tmp_path / "secret.md"
    secret.write_text("outside\n")
    _git("init", "-q", "-b", "main", cwd=root)
    (root / "tasks").mkdir()
    (root / "USER.md").unlink()
    (root / "USER.md").symlink_to(secret)
    (root / "tasks" / "link.md").symlink_to("/etc/hostname")
    _git("add", "-A", cwd=root)
    _git("commit", "-q", "-m", "\x1b]0;evil\x07 first", "--date", "@9999999999 +0000", cwd=root)
    return root


def test_a_link_in_a_past_state_is_never_followed_nor_made(sent: Path) -> None:
    (sent / "USER.md").unlink()

    ran = worlds.run("restore", "USER.md", "--yes", cwd=sent)

    assert ran.code == 1, ran
    assert not (sent / "USER.md").is_symlink()
    for words in (["diff"], ["history", "USER.md"], ["boot", "--now", "2026-11-20T07:14"]):
        assert b"outside\n" not in worlds.run(*words, cwd=sent).out


@pytest.mark.parametrize("seconds", ["0", "253402300799", "99999999999999", "4102444800"])
def test_a_state_of_any_time_is_told_or_passed_over(sent: Path, seconds: str) -> None:
    tree = subprocess.run(["git", "write-tree"], cwd=sent, capture_output=True, text=True, check=True).stdout.strip()
    who = f"x <x@example.org> {seconds} +1400"
    body = f"tree {tree}\nauthor {who}\ncommitter {who}\n\nodd\n"
    made = subprocess.run(
        ["git", "hash-object", "-t", "commit", "-w", "--stdin", "--literally"],
        cwd=sent, input=body, capture_output=True, text=True, check=True,
    ).stdout.strip()  # fmt: skip
    _git("update-ref", "refs/heads/main", made, cwd=sent)

    for words in (["history", "SOUL.md"], ["diff", "--since", "2026-11-20"], ["boot", "--now", "2026-11-19"]):
        ran = worlds.run(*words, cwd=sent, env=worlds.surroundings(TZ="Pacific/Kiritimati"))

        assert ran.code in (0, 2), (words, ran)


def test_a_history_of_many_large_files_is_bounded(sent: Path) -> None:
    (sent / "USER.md").unlink()
    for number in range(9):
        (sent / f"TOOLS-{number}.md").write_bytes(b"- %d\n" % number + os.urandom(1) * (9 << 20))
    _git("add", "-A", cwd=sent)
    _git("commit", "-q", "-m", "large", cwd=sent)
    for number in range(9):
        (sent / f"TOOLS-{number}.md").unlink()

    ran = worlds.run("diff", cwd=sent, memory_bytes=worlds.MEMORY_BYTES)

    assert ran.code == 1, ran
    assert "MiB" in ran.said
