"""Restored backups and drills: what comes back, that it is noticed, how it goes on, and what would be lost."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import pytest

from agentws.errors import MayNotWriteError, MissingFileError, UsageError
from agentws.features.copies.backup.restore import restore_backup
from agentws.workspace import Environment, Workspace
from tests.conftest import NOW
from tests.features.copies.backup.trees import held
from tests.forked import run_text

FUTURE_S = 4_000_000_000


def elsewhere(place: Path, tmp_path: Path) -> Workspace:
    """A workspace as another machine opens it, which has no state of it."""
    return Workspace.open(
        str(place), environment=Environment(now=NOW, timezone="UTC", state=(None, str(tmp_path / "b")))
    )


def test_a_restored_copy_goes_on_where_the_original_was_copied(robin: Workspace, stick: Path, tmp_path: Path) -> None:
    robin.copies.create(str(stick))
    there = Environment(now=NOW, timezone="UTC", state=(None, str(tmp_path / "b")))
    restore_backup(str(stick), str(tmp_path / "back"), environment=there)
    copy = Workspace.open(str(tmp_path / "back"), environment=there)

    assert [one.says.partition(":")[0] for one in copy.status().findings] == ["New copy"]
    assert "backup-unbegun" in {one.name for one in copy.doctor().findings}
    assert not copy.copies.list()[0].by_hooks, "nothing goes there by itself yet"
    assert any("New copy" in one for one in copy.copies.create()[0].notices)
    copy.identity.take_over()

    (made,) = Workspace.open(copy.root, environment=there).copies.create()

    assert made.path.startswith(str(stick))
    assert not any("New copy" in one for one in made.notices)
    assert "backup-unbegun" not in {one.name for one in Workspace.open(copy.root, environment=there).doctor().findings}


def test_a_restored_copy_does_not_take_an_empty_mount_for_its_destination(
    robin: Workspace, stick: Path, tmp_path: Path
) -> None:
    robin.copies.create(str(stick))
    there = Environment(now=NOW, timezone="UTC", state=(None, str(tmp_path / "b")))
    restore_backup(str(stick), str(tmp_path / "back"), environment=there)
    shutil.rmtree(stick)
    stick.mkdir()

    with pytest.raises(MissingFileError, match="no backups of this agent"):
        Workspace.open(str(tmp_path / "back"), environment=there).copies.create()


def test_a_restored_workspace_is_healthy_from_the_start(robin: Workspace, stick: Path, tmp_path: Path) -> None:
    robin.copies.create(str(stick))

    restore_backup(str(stick), str(tmp_path / "back"))

    assert (tmp_path / "back/.agentws/.gitignore").read_text() == "*\n"


def test_nothing_is_restored_over_what_is_there(robin: Workspace, stick: Path, tmp_path: Path) -> None:
    robin.copies.create(str(stick))
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "file").write_text("mine")
    for place in (robin.root, str(tmp_path / "mine"), f"{robin.root}/inner", str(tmp_path / "no/where")):
        with pytest.raises(UsageError):
            restore_backup(str(stick), place)
    (tmp_path / "empty").mkdir()

    restore_backup(str(stick), str(tmp_path / "empty"))

    assert held(tmp_path / "empty") == held(robin.root)


def test_a_dry_run_restores_nothing(robin: Workspace, stick: Path, tmp_path: Path) -> None:
    robin.copies.create(str(stick))

    assert restore_backup(str(stick), str(tmp_path / "back"), dry_run=True).dry_run
    assert not (tmp_path / "back").exists()


def test_a_copy_next_to_a_living_agent_is_noticed(robin: Workspace, stick: Path, tmp_path: Path) -> None:
    robin.copies.create(str(stick))
    restore_backup(str(stick), str(tmp_path / "back"))

    shown = elsewhere(tmp_path / "back", tmp_path).identity.show()

    assert shown.footing.said
    assert not robin.identity.show().footing.said


def test_a_copy_over_a_living_agent_is_noticed(
    robin: Workspace, stick: Path, tmp_path: Path, environment: Environment
) -> None:
    robin.copies.create(str(stick))
    robin.event("note", "newer than the backup")
    restore_backup(str(stick), str(tmp_path / "back"))
    subprocess.run(["cp", "-a", f"{tmp_path}/back/.", robin.root], check=True)

    assert Workspace.open(robin.root, environment=environment).identity.show().footing.said


def test_what_has_moved_away_gets_no_backup(robin: Workspace, stick: Path, tmp_path: Path) -> None:
    robin.copies.create(str(stick))
    robin.copies.migrate(str(tmp_path / "moved"))

    with pytest.raises(MayNotWriteError):
        robin.copies.create()

    assert not [name for name in os.listdir(stick) if name.startswith(".")]


def test_after_a_death_it_goes_on_with_one_command(robin: Workspace, stick: Path, tmp_path: Path) -> None:
    robin.copies.create(str(stick))
    shutil.rmtree(robin.root)
    restore_backup(str(stick), str(tmp_path / "back"))
    back = elsewhere(tmp_path / "back", tmp_path)

    back.identity.take_over()
    back.log("I go on")

    again = elsewhere(tmp_path / "back", tmp_path)
    assert not again.identity.show().footing.said
    assert "I go on" in again.boot().text
    assert again.journal.verify().sound


def test_settings_of_git_that_run_something_do_not_come_back(versioned: Workspace, stick: Path, tmp_path: Path) -> None:
    (made,) = versioned.copies.create(str(stick))
    config = Path(made.path, "workspace/.git/config")
    evil = config.read_bytes() + b"[core]\n\tfsmonitor = touch fired\n"
    manifest = Path(made.path, "manifest.jsonl")
    from agentws.core.formats import digest

    told = manifest.read_text().replace(digest.of(config.read_bytes()), digest.of(evil))
    old, new = f", {config.stat().st_size}, ", f", {len(evil)}, "
    manifest.write_text("".join(
        line.replace(old, new) if '".git/config"' in line else line for line in told.splitlines(keepends=True)
    ))  # fmt: skip
    config.write_bytes(evil)

    done = restore_backup(str(stick), str(tmp_path / "back"))

    assert b"fsmonitor" not in (tmp_path / "back/.git/config").read_bytes()
    assert any("fsmonitor" in words for words in done.stripped)


def test_a_drill_syncs_what_it_restores_once_and_not_each_file(
    robin: Workspace, stick: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def syncs(files: int) -> int:
        for number in range(files):
            (Path(robin.root) / f"memory/note-{number}.md").write_text(f"# Note {number}\n")
        robin.copies.create(str(stick))
        count = 0

        def counted(fd: int, sync: Callable[[int], None] = os.fsync) -> None:
            nonlocal count
            count += 1
            sync(fd)

        with monkeypatch.context() as patch:
            patch.setattr(os, "fsync", counted)
            assert robin.copies.drill().well
        return count

    assert syncs(60) <= syncs(3) + 5


def test_a_drill_says_what_would_be_lost(robin: Workspace, stick: Path, environment: Environment) -> None:
    robin.copies.create(str(stick))
    environment.now = NOW + timedelta(minutes=40)
    later = Workspace.open(robin.root, environment=environment)
    later.event("note", "one")
    later.event("note", "two")
    later.log("a line")

    done = later.copies.drill()

    assert done.well
    assert done.booted
    assert (done.events, done.lost_s) == (2, 40 * 60)
    assert "memory/2026-11-20.md" in done.differ.changed
    assert done.documents > 3
    told = [event for event in later.journal.list() if event.kind == "backup.drilled"]
    assert [event.body["well"] for event in told if event.body] == [True]


def test_a_drill_says_what_the_workspace_lacks(robin: Workspace, stick: Path, environment: Environment) -> None:
    place = next(Path(robin.root).glob("journal/*/000001.jsonl"))
    older = place.read_bytes()
    robin.event("note", "one")
    robin.event("note", "two")
    robin.copies.create(str(stick))
    assert robin.copies.drill().missing == 0
    place.write_bytes(older)

    assert Workspace.open(robin.root, environment=environment).copies.drill().missing == 2


def test_a_drill_right_after_a_backup_loses_nothing(robin: Workspace, stick: Path) -> None:
    robin.copies.create(str(stick))

    done = robin.copies.drill()

    assert (done.well, done.events, done.lost_s, done.differ.count) == (True, 0, 0, 0)


def test_what_is_written_by_hand_is_counted_as_lost(robin: Workspace, stick: Path) -> None:
    robin.copies.create(str(stick))
    soul = Path(robin.root, "SOUL.md")
    soul.write_text("I am Robin, and I sold the house.\n")
    Path(robin.root, "notes.txt").write_text("seven\n")
    os.utime(soul, (FUTURE_S, FUTURE_S))  # the next tick of the file system's clock

    assert next(one for one in robin.status().checks if one.name == "backup").says.endswith("; 1 document not in it")
    done = robin.copies.drill()
    assert (done.events, done.differ.documents, done.differ.others) == (0, 1, 1)
    robin.copies.create()
    assert next(one for one in robin.status().checks if one.name == "backup").says.endswith("documents are in it")


def test_the_doctor_warns_of_documents_alone(robin: Workspace, stick: Path, environment: Environment) -> None:
    robin.copies.create(str(stick))
    environment.now = NOW + timedelta(days=8)

    def found() -> list[str]:
        later = Workspace.open(robin.root, environment=environment)
        return [one.says for one in later.doctor().findings if one.name == "backup-old"]

    assert not found()
    os.utime(Path(robin.root, "SOUL.md"), (FUTURE_S, FUTURE_S))
    assert found() == ["the newest backup is 8 days old; not in it: 1 document"]


def test_a_drill_with_a_backup_that_cannot_be_restored_fails(robin: Workspace, stick: Path) -> None:
    (made,) = robin.copies.create(str(stick))
    Path(made.path, "workspace/SOUL.md").write_text("another soul")

    done = robin.copies.drill()

    assert not done.well
    assert "SOUL.md" in done.findings[0][1]
    findings = {one.name for one in robin.doctor().findings}
    assert "drill-failed" in findings


def test_the_doctor_asks_for_a_drill_after_thirty_days(robin: Workspace, stick: Path, environment: Environment) -> None:
    def asked() -> bool:
        return "drill-due" in {
            one.name for one in Workspace.open(robin.root, environment=environment).doctor().findings
        }

    assert not asked(), "no backup is configured"
    robin.copies.create(str(stick))
    assert not asked()
    environment.now = NOW + timedelta(days=31)
    Workspace.open(robin.root, environment=environment).copies.create()
    assert asked(), "however new the newest backup is"
    Workspace.open(robin.root, environment=environment).copies.drill()
    assert not asked()
    environment.now = NOW + timedelta(days=62)
    assert asked()


def test_status_says_how_old_the_newest_copy_is(robin: Workspace, stick: Path, environment: Environment) -> None:
    assert "backup" not in {check.name for check in robin.status().checks}
    robin.copies.create(str(stick))
    environment.now = NOW + timedelta(hours=3)
    later = Workspace.open(robin.root, environment=environment)
    later.event("note", "one")
    environment.now = NOW + timedelta(hours=3, seconds=40)

    (check,) = [
        one for one in Workspace.open(robin.root, environment=environment).status().checks if one.name == "backup"
    ]

    assert check.ok
    assert check.says == f"newest 3 h ago, in {stick}; 1 event not in it, the last event 40 s ago"


def test_the_end_of_a_restore_says_that_hooks_are_to_be_installed(
    robin: Workspace, stick: Path, tmp_path: Path
) -> None:
    robin.copies.create(str(stick))

    back = str(tmp_path / "the backup")
    restored = run_text("backup", "restore", str(stick), back).stdout

    assert restored.endswith(f"Hooks of agent programs are not part of a backup: agentws -C '{back}' install\n")
