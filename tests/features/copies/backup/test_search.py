"""What is forgotten is looked for in backups that nothing can be taken out of, too: these are named, and no others."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from agentws.core.states.depot import Depot
from agentws.features.copies.backup.remove import remove_backup
from agentws.workspace import Environment, Workspace
from tests.conftest import NOW
from tests.features.copies.backup import restic_init

PROGRAMS = ("git", "restic")


@pytest.fixture
def environment(tmp_path: Path) -> Environment:
    return Environment(now=NOW, timezone="UTC", state=(None, str(tmp_path / "state")), cache=str(tmp_path / "cache"))


@pytest.fixture(params=PROGRAMS)
def dest(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    kind = request.param
    if shutil.which(kind) is None:
        pytest.skip(f"{kind} is not installed")
    monkeypatch.setenv("RESTIC_PASSWORD", restic_init.PASSWORD)
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "temporary"))
    os.mkdir(tmp_path / "temporary")
    place = tmp_path / "there"
    if kind == "git":
        subprocess.run(["git", "init", "-q", "--bare", str(place)], check=True)
    elif kind == "restic":
        restic_init.make(place)
    return f"{kind}:{place}"


def test_those_that_hold_it_are_named_until_they_are_gone(robin: Workspace, dest: str, tmp_path: Path) -> None:
    robin.copies.create(dest)
    cursor = robin.event("note", "rang Anna Lind").cursor or ""
    robin.log("Anna Lind rang")
    (made,) = robin.copies.create()

    unseen = robin.memory.forget(subjects=["Anna Lind"], dry_run=True)
    found = robin.memory.forget(subjects=["Anna Lind"], copies=True, dry_run=True)

    assert any("were not searched" in words for words in unseen.elsewhere)
    assert not unseen.is_left
    assert found.backups[0].names == [made.name]
    assert "backup" not in found.planned, "nothing can be taken out of it"
    assert robin.journal.purge([cursor], reason="a test", dry_run=True, copies=True).backups[0].names == [made.name]

    done = robin.memory.forget(subjects=["Anna Lind"], copies=True)

    assert done.is_left
    assert any(f"{made.name} in " in words and "agentws backup remove" in words for words in done.elsewhere)
    again = robin.memory.forget(subjects=["Anna Lind"], copies=True, dry_run=True)
    assert (again.is_empty, again.is_left) == (True, True)
    (newer,) = robin.copies.create()
    assert any("Re-run that agentws forget with --copies" in words for words in newer.notices)

    remove_backup(dest, made.name, agreed=True)
    last = robin.memory.forget(subjects=["Anna Lind"], copies=True)

    assert (last.is_empty, last.is_left) == (True, False)
    assert robin.journal.purge([cursor], reason="a test", copies=True).backups[0].names == []
    assert not any("--copies" in words for words in robin.copies.create()[0].notices)
    assert os.listdir(tmp_path / "temporary") == []


def test_each_content_is_fetched_once(versioned: Workspace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    subprocess.run(["git", "init", "-q", "--bare", f"{tmp_path}/there"], check=True)
    versioned.copies.create(f"git:{tmp_path}/there")
    versioned.log("Another line")
    versioned.copies.create()
    read: list[list[str]] = []
    content = Depot.content

    def counted(self: Depot, tree: object, entries: list[object]) -> object:
        read.append([entry.path for entry in entries])  # type: ignore[attr-defined]
        return content(self, tree, entries)  # type: ignore[arg-type]

    monkeypatch.setattr(Depot, "content", counted)

    versioned.memory.forget(subjects=["Anna Lind"], copies=True, dry_run=True)

    first, second = read
    assert "AGENTS.md" in first
    assert "memory/2026-11-20.md" in second
    assert "AGENTS.md" not in second
    assert not any(path.startswith(".git/") for path in first)
