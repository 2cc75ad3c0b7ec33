"""What any destination of backups keeps to: a folder, a git repository, restic."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import closing
from datetime import timedelta
from pathlib import Path

import pytest

from agentws.errors import AgentwsError, MissingFileError, UsageError
from agentws.features.copies.backup.restore import restore_backup
from agentws.features.copies.backup.store import reach
from agentws.features.copies.backup.verify import verify_backup
from agentws.workspace import Environment, Workspace, list_backups
from tests.conftest import NOW
from tests.features.copies.backup import restic_init
from tests.features.copies.backup.trees import held

pytestmark = pytest.mark.slow

KINDS = ("folder", "git", "restic")


@pytest.fixture(params=KINDS)
def dest(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """A destination that is ready, as a person writes it."""
    place = tmp_path / "there"
    if request.param == "restic":
        if shutil.which("restic") is None:
            pytest.skip("restic is not installed")
        request.getfixturevalue("monkeypatch").setenv("RESTIC_PASSWORD", restic_init.PASSWORD)
        restic_init.make(place)
        return f"restic:{place}"
    if request.param == "git":
        subprocess.run(["git", "init", "-q", "--bare", str(place)], check=True)
        return f"git:{place}"
    return str(place)


@pytest.fixture
def environment(tmp_path: Path) -> Environment:
    return Environment(now=NOW, timezone="UTC", state=(None, str(tmp_path / "state")), cache=str(tmp_path / "cache"))


@pytest.fixture
def robin(tmp_path: Path, environment: Environment) -> Workspace:
    made = Workspace.init(str(tmp_path / "robin"), environment=environment, name="Robin", git=False)
    made.log("The roof has 300 tiles")
    made.event("note", "rang the office")
    plans = tmp_path / "robin" / "plans"
    (plans / "deep").mkdir(parents=True, mode=0o750)
    (plans / "draw.sh").write_bytes(b"#!/bin/sh\n\xff\n")
    (plans / "draw.sh").chmod(0o755)
    (plans / "latest").symlink_to("../nowhere")
    (plans / "empty").write_bytes(b"")
    (plans / os.fsdecode(b"not utf-8 \xff")).write_bytes(b"x")
    (plans / ".git").mkdir()
    (plans / ".git" / "HEAD").write_text("ref: refs/heads/main\n")
    (plans / "large.bin").write_bytes(os.urandom(1 << 20) * 3 + b"end")
    return made


@pytest.fixture(autouse=True)
def _settled(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("agentws.features.copies.transfer.tree._TICK_NS", 0)


@pytest.fixture
def later(environment: Environment) -> Iterator[timedelta]:
    """Each use is a day later."""

    def days() -> Iterator[timedelta]:
        day = 0
        while True:
            day += 1
            environment.now = NOW + timedelta(days=day)
            yield timedelta(days=day)

    return days()


def test_what_comes_back_is_what_was_copied(robin: Workspace, dest: str, tmp_path: Path) -> None:
    (made,) = robin.copies.create(dest)

    done = restore_backup(dest, str(tmp_path / "back"))

    assert held(tmp_path / "back") == held(robin.root)
    assert (done.name, done.events, done.agent) == (made.name, 2, "Robin")
    assert not os.path.exists(tmp_path / "back" / ".agentws" / "arrival.json")
    assert verify_backup(dest).well


def test_the_next_one_takes_only_what_changed_and_the_former_stays_as_it_was(
    robin: Workspace, dest: str, tmp_path: Path
) -> None:
    robin.copies.create(dest)
    before = held(robin.root)
    robin.log("Another line")
    shutil.rmtree(f"{robin.root}/plans/deep")

    (second,) = robin.copies.create()

    assert (second.copied_files, second.changed, second.added, second.removed) == (1, 1, 0, 0)
    restore_backup(dest, str(tmp_path / "first"), at="1")
    restore_backup(dest, str(tmp_path / "second"))
    assert held(tmp_path / "first") == before
    assert held(tmp_path / "second") == held(robin.root)
    with pytest.raises(UsageError):
        restore_backup(dest, str(tmp_path / "other"), at="7")
    listed = list_backups(dest)
    assert [one.name for one in listed][-1] == second.name
    assert [(one.agent, one.events, one.changed) for one in listed] == [("Robin", 2, 0), ("Robin", 2, 1)]


def test_the_rule_removes_older_ones(
    robin: Workspace, dest: str, later: Iterator[timedelta], environment: Environment
) -> None:
    for _ in range(3):
        next(later)
        (made,) = Workspace.open(robin.root, environment=environment).copies.create(dest, rule="2")

    assert [one.name[:4] for one in list_backups(dest)] == ["0002", "0003"]
    assert made.expired == ("0001-2026-11-21T071500Z",)
    assert verify_backup(dest, at="2").well


def test_a_drill_restores_boots_and_tells_what_would_be_lost(robin: Workspace, dest: str) -> None:
    robin.copies.create(dest)
    robin.event("note", "newer")

    done = robin.copies.drill()

    assert (done.well, done.events) == (True, 1)
    assert done.differ.changed


def test_it_is_remembered_listed_in_status_and_detached(robin: Workspace, dest: str) -> None:
    (made,) = robin.copies.create(dest)
    (known,) = robin.copies.list()
    assert (known.to, known.name) == (dest, made.name)
    (check,) = [one for one in robin.status().checks if one.name == "backup"]
    assert (check.ok, dest in check.says) == (True, True)

    robin.copies.detach(dest)

    assert robin.copies.list() == []
    assert len(list_backups(dest)) == 1
    with pytest.raises(MissingFileError, match="not a known destination"):
        robin.copies.detach(dest)


def test_a_known_one_that_is_empty_now_gets_no_backup(robin: Workspace, dest: str) -> None:
    robin.copies.create(dest)
    place = Path(dest.removeprefix("git:").removeprefix("restic:"))
    shutil.rmtree(place)
    if dest.startswith("git:"):
        subprocess.run(["git", "init", "-q", "--bare", str(place)], check=True)
    elif dest.startswith("restic:"):
        restic_init.make(place)
    else:
        place.mkdir()

    with pytest.raises(MissingFileError, match="no backups of this agent"):
        robin.copies.create()

    assert robin.copies.list()[0].failed
    assert not robin.status().well
    assert "backup-failing" in {one.name for one in robin.doctor().findings}


def test_several_agents_share_it(robin: Workspace, dest: str, tmp_path: Path, environment: Environment) -> None:
    robin.copies.create(dest)
    Workspace.init(str(tmp_path / "wren"), environment=environment, name="Wren").copies.create(dest)

    listed = list_backups(dest)

    assert {one.agent for one in listed} == {"Robin", "Wren"}
    with pytest.raises(UsageError, match="backups of 2 agents"):
        verify_backup(dest)
    for one in listed:
        assert verify_backup(one.place).well


def test_an_older_state_that_was_put_back_removes_no_backup(robin: Workspace, dest: str, tmp_path: Path) -> None:
    robin.copies.create(dest, rule="1")
    restore_backup(dest, str(tmp_path / "back"))
    robin.event("note", "one")
    (better,) = robin.copies.create()
    elsewhere = Environment(now=NOW, timezone="UTC", state=(None, str(tmp_path / "b")), cache=str(tmp_path / "c"))

    (made,) = Workspace.open(str(tmp_path / "back"), environment=elsewhere).copies.create(dest, rule="1")
    (later,) = Workspace.open(str(tmp_path / "back"), environment=elsewhere).copies.create(dest, rule="1")

    assert (made.missing, made.expired, made.previous) == (1, (), better.name)
    assert later.expired == (made.name,), "what alone holds the event stays, whenever"
    assert [one.name for one in list_backups(dest)] == [better.name, later.name]


def test_a_journal_that_is_damaged_is_copied_and_said(robin: Workspace, dest: str) -> None:
    robin.copies.create(dest, rule="1")
    (segment,) = Path(robin.root, "journal").glob("*/000001.jsonl")
    segment.write_bytes(segment.read_bytes().replace(b"rang the office", b"rang the orifce"))

    (made,) = robin.copies.create()
    (again,) = robin.copies.create()

    assert made.damage
    assert made.expired == ()
    assert (again.damage, again.expired) == (made.damage, ())
    assert verify_backup(dest).well, "it is what was copied"
    assert verify_backup(dest).original


def test_a_backup_that_is_removed_is_none_and_the_others_stay_whole(robin: Workspace, dest: str) -> None:
    robin.copies.create(dest)
    robin.log("Another line")
    robin.copies.create()
    with closing(reach.at(reach.named(dest), robin.stores.manifest.agent_id, "Robin", known=True)) as place:
        place.remove(place.names()[0])
        assert [name[:4] for name in place.names()] == ["0002"]

    assert [one.name[:4] for one in list_backups(dest)] == ["0002"]
    assert verify_backup(dest).well


def test_the_path_that_is_told_names_the_backup(robin: Workspace, dest: str, tmp_path: Path) -> None:
    (first,) = robin.copies.create(dest)
    robin.log("Another line")
    robin.copies.create()

    assert restore_backup(first.path, str(tmp_path / "back")).name == first.name
    assert verify_backup(first.path).name == first.name
    assert [one.name for one in list_backups(first.path)] == [first.name]
    with pytest.raises(UsageError, match="--at names another"):
        verify_backup(first.path, at="2")


def test_what_is_not_there_is_named(dest: str, tmp_path: Path) -> None:
    with pytest.raises(AgentwsError):
        verify_backup(dest)
    with pytest.raises(AgentwsError):
        list_backups(f"{dest}-nowhere")


def test_a_dry_run_sends_nothing(robin: Workspace, dest: str) -> None:
    robin.copies.create(dest)
    robin.log("Another line")

    (planned,) = robin.copies.create(dry_run=True)

    assert (planned.copied_files, planned.name) == (1, "")
    assert len(list_backups(dest)) == 1
