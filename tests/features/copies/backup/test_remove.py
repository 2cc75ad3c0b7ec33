"""One backup that is named: restored, read, listed by its path; removed; and what a dry run says would go."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest

from agentws.errors import AgentwsError, DiskError, NeedsYouError, UsageError
from agentws.features.copies.backup.remove import remove_backup
from agentws.features.copies.backup.restore import restore_backup
from agentws.features.copies.backup.store.folder import FolderBackups
from agentws.features.copies.backup.verify import verify_backup
from agentws.workspace import Environment, Workspace, list_backups
from tests.conftest import NOW


def test_one_that_is_interrupted_is_no_backup_to_name(robin: Workspace, stick: Path, tmp_path: Path) -> None:
    (first,) = robin.copies.create(str(stick))
    robin.copies.create()
    Path(first.path, "manifest.jsonl").unlink()

    with pytest.raises(Exception, match="no backups"):
        restore_backup(first.path, str(tmp_path / "back"))


def test_a_dry_run_says_what_the_rule_would_remove(robin: Workspace, stick: Path, environment: Environment) -> None:
    for day in range(3):
        environment.now = NOW + timedelta(days=day)
        opened = Workspace.open(robin.root, environment=environment)
        opened.copies.create(str(stick), rule="all")

    (planned,) = opened.copies.create(str(stick), rule="2", dry_run=True)
    (made,) = opened.copies.create(str(stick), rule="2")

    assert [name[:4] for name in planned.expired] == ["0001", "0002"]
    assert planned.expired == made.expired


def test_a_dry_run_of_an_older_state_removes_nothing(robin: Workspace, stick: Path, tmp_path: Path) -> None:
    robin.copies.create(str(stick), rule="1")
    restore_backup(str(stick), str(tmp_path / "back"))
    robin.event("note", "one")
    robin.copies.create()
    elsewhere = Environment(now=NOW, timezone="UTC", state=(None, str(tmp_path / "b")))

    (planned,) = Workspace.open(str(tmp_path / "back"), environment=elsewhere).copies.create(
        str(stick), rule="1", dry_run=True
    )

    assert (planned.expired, planned.missing) == ((), 1)


def test_the_one_that_alone_holds_events_goes_only_where_that_is_agreed_to(
    robin: Workspace, stick: Path, tmp_path: Path
) -> None:
    robin.copies.create(str(stick), rule="1")
    restore_backup(str(stick), str(tmp_path / "back"))
    robin.event("note", "one")
    (better,) = robin.copies.create()
    elsewhere = Environment(now=NOW, timezone="UTC", state=(None, str(tmp_path / "b")))
    Workspace.open(str(tmp_path / "back"), environment=elsewhere).copies.create(str(stick), rule="1")

    planned = remove_backup(str(stick), "2", dry_run=True)
    assert (planned.events, planned.name) == (1, better.name)
    with pytest.raises(NeedsYouError, match="alone holds 1 event"):
        remove_backup(str(stick), "2")
    assert better.name in {one.name for one in list_backups(str(stick))}

    assert remove_backup(str(stick), "2", agreed=True).events == 1

    assert better.name not in {one.name for one in list_backups(str(stick))}
    assert verify_backup(str(stick)).well


def test_an_older_one_goes_and_the_newest_never(robin: Workspace, stick: Path) -> None:
    (first,) = robin.copies.create(str(stick))
    (second,) = robin.copies.create()

    with pytest.raises(UsageError, match="is the newest backup"):
        remove_backup(str(stick), second.name, agreed=True)
    assert remove_backup(str(stick), "1").events == 0

    assert not Path(first.path).exists()
    assert verify_backup(str(stick)).well
    with pytest.raises(UsageError, match="No backup"):
        remove_backup(str(stick), "1")


def older_state_put_back(robin: Workspace, stick: Path, tmp_path: Path) -> tuple[Workspace, str]:
    """A workspace without an event that only the second of three backups holds; and the name of that one."""
    robin.copies.create(str(stick), rule="all")
    restore_backup(str(stick), str(tmp_path / "back"))
    robin.event("note", "one")
    (alone,) = robin.copies.create()
    elsewhere = Environment(now=NOW, timezone="UTC", state=(None, str(tmp_path / "b")))
    back = Workspace.open(str(tmp_path / "back"), environment=elsewhere)
    back.copies.create(str(stick), rule="all")
    return back, alone.name


def test_one_read_that_fails_makes_no_backup_removable(
    robin: Workspace, stick: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    back, alone = older_state_put_back(robin, stick, tmp_path)
    header = FolderBackups.header

    def failing(self: FolderBackups, name: str) -> object:
        if name == alone:
            raise DiskError("Input/output error")
        return header(self, name)

    with monkeypatch.context() as away:
        away.setattr(FolderBackups, "header", failing)
        with pytest.raises(AgentwsError, match="Input/output error"):
            remove_backup(str(stick), alone)
        (made,) = back.copies.create(str(stick), rule="1")

    names = [one.name for one in list_backups(str(stick))]
    assert {alone, made.name} <= {*names}
    assert made.expired == ()
    assert any("Input/output error" in words for words in made.notices)


def test_a_damaged_one_goes_only_where_that_is_agreed_to(robin: Workspace, stick: Path, tmp_path: Path) -> None:
    back, alone = older_state_put_back(robin, stick, tmp_path)
    (manifest,) = stick.glob(f"robin-*/{alone}/manifest.jsonl")
    manifest.write_bytes(b"?" + manifest.read_bytes())

    (made,) = back.copies.create(str(stick), rule="1")

    assert alone not in made.expired
    assert manifest.exists()
    with pytest.raises(NeedsYouError, match="is damaged"):
        remove_backup(str(stick), alone)
    remove_backup(str(stick), alone, agreed=True)
    assert not manifest.exists()


def test_a_backup_with_what_was_retired_since_is_the_only_copy_of_it(robin: Workspace, stick: Path) -> None:
    for _ in range(18):
        robin.event("note", "x" * 62_000)
    robin.copies.create(str(stick), rule="1")
    (second,) = Path(robin.root).glob("journal/*/000002.jsonl")
    second.with_name("000001.jsonl").unlink()
    (made,) = robin.copies.create()

    assert made.expired == ()
    first, newest = list_backups(str(stick))
    assert 0 < newest.events < first.events
    with pytest.raises(NeedsYouError, match=rf"alone holds {first.events - newest.events} events"):
        remove_backup(str(stick), "1")
    assert verify_backup(str(stick), at="1").well

    robin.copies.create()
    assert [one.name[:4] for one in list_backups(str(stick))] == ["0001", "0003"]
