"""A git ref of ours that a power cut emptied: history is read on, and the next change or doctor sets it again."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from agentws.workspace import Environment, Workspace
from tests.conftest import NOW

LEFT = {"nothing": b"", "zeros": bytes(41), "a newline": b"\n", "half an id": b"5784b9d712", "more zeros": bytes(4096)}
FACTS = ("Mira is allergic to peanuts", "The dentist is closed on Fridays")


def git(root: Path, *words: str) -> str:
    return subprocess.run(["git", "-C", str(root), *words], capture_output=True, check=True, text=True).stdout.strip()


class Kept:
    """A workspace with three states of history, on the branch of its own repository or on a ref in another one."""

    def __init__(self, folder: Path, mode: str) -> None:
        self.environment = Environment(
            now=NOW, timezone="UTC", state=(None, str(folder / "state")), cache=str(folder / "cache")
        )
        self.root = folder / "robin"
        if mode == "ref":
            self.root.mkdir()
            git(self.root, "init", "-q", "-b", "main")
            git(self.root, "-c", "user.name=a", "-c", "user.email=a@b", "commit", "-q", "--allow-empty", "-m", "theirs")
        made = Workspace.init(str(self.root), environment=self.environment, name="Robin")
        for fact in FACTS:
            made.remember(fact)
        (self.ref,) = git(self.root, "for-each-ref", "--format=%(refname)").split()[:1]
        assert (self.ref == "refs/heads/main") == (mode == "branch")
        self.tip = git(self.root, "rev-parse", self.ref)
        self.file = self.root / ".git" / self.ref
        self.cache, self.log = folder / "cache", self.root / ".git/logs" / self.ref

    def opened(self) -> Workspace:
        return Workspace.open(str(self.root), environment=self.environment)

    def found(self) -> list[str]:
        return [f"{one.name}: {one.says}" for one in self.opened().doctor().findings if one.name.startswith("history-")]


@pytest.fixture(params=["branch", "ref"])
def kept(request: pytest.FixtureRequest, tmp_path: Path) -> Kept:
    return Kept(tmp_path, request.param)


@pytest.mark.parametrize("left", LEFT)
def test_the_next_change_goes_on_from_the_newest_state(kept: Kept, left: str) -> None:
    theirs = git(kept.root, "rev-parse", "HEAD") if kept.ref != "refs/heads/main" else ""
    kept.file.write_bytes(LEFT[left])

    done = kept.opened().remember("The gate squeaks")

    assert f"Git's file of {kept.ref} was empty, as a power cut leaves it, and was set again." in done.notices
    assert git(kept.root, "rev-parse", f"{kept.ref}^") == kept.tip
    assert kept.opened().stores.history_failure() == ""
    assert kept.found() == []
    assert not theirs or git(kept.root, "rev-parse", "HEAD") == theirs
    assert kept.opened().remember("The hinge is new").notices == []


@pytest.mark.parametrize("left", LEFT)
def test_doctor_names_the_ref_and_sets_it_again(kept: Kept, left: str) -> None:
    kept.file.write_bytes(LEFT[left])

    says = (
        f"history-emptied: git's file of {kept.ref} is empty, as a power cut leaves it, so git itself reads no history"
    )
    assert kept.found() == [says]
    assert [one.name for one in kept.opened().status().findings if one.name.startswith("history-")] == [
        "history-emptied"
    ]
    assert kept.file.read_bytes() == LEFT[left], "who reads writes nothing"
    done = kept.opened().doctor(fix=True)

    assert [one.name for one in done.mended if one.name.startswith("history-")] == ["history-emptied"]
    assert git(kept.root, "rev-parse", kept.ref) == kept.tip
    assert kept.found() == []


@pytest.mark.parametrize("lost", ["cache", "log", "a part of the log", "the end of the log"])
def test_what_else_the_power_cut_took_does_not_matter(tmp_path: Path, lost: str) -> None:
    kept = Kept(tmp_path, "branch")
    log = kept.log.read_bytes()
    if lost == "cache":
        shutil.rmtree(kept.cache)
    else:
        kept.log.write_bytes(
            {"log": b"", "a part of the log": log[:-30] + bytes(30)}.get(lost, log[: log[:-1].rfind(b"\n")])
        )
    kept.file.write_bytes(b"")

    kept.opened().remember("The gate squeaks")

    assert git(kept.root, "rev-parse", f"{kept.ref}^") == kept.tip


def test_where_nothing_says_what_it_held_nothing_begins_anew(kept: Kept) -> None:
    shutil.rmtree(kept.cache)
    kept.log.unlink(missing_ok=True)
    kept.file.write_bytes(b"")

    done = kept.opened().remember("The gate squeaks")

    assert any("its log names no commit" in notice and "git fsck --lost-found" in notice for notice in done.notices)
    assert [one.partition(":")[0] for one in kept.found()] == ["history-failing"]
    assert kept.file.read_bytes() == b""
    kept.file.write_text(f"{kept.tip}\n")
    kept.opened().doctor(fix=True)
    assert kept.found() == []
    assert git(kept.root, "rev-parse", f"{kept.ref}^") == kept.tip


def test_history_is_read_while_the_ref_is_empty(tmp_path: Path) -> None:
    kept = Kept(tmp_path, "branch")
    before = [change.id for change in kept.opened().history("MEMORY.md").changes]
    kept.file.write_bytes(b"")

    assert [change.id for change in kept.opened().history("MEMORY.md").changes] == before
    assert len(before) == 3
