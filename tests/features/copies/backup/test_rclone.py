"""What an earlier version sent through rclone: named as gone, and restored from a folder that rclone copied it to."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from agentws.core.formats import digest
from agentws.core.installation import backups
from agentws.core.installation.backups import Known
from agentws.errors import DamagedError, UsageError
from agentws.features.copies.backup.restore import restore_backup
from agentws.workspace import Workspace, list_backups
from tests.features.copies.backup.trees import held

DEST = "rclone:box:backups"
ODD = ("a\nb", "back\\slash", "ｆｕｌｌ", os.fsdecode(b"\xff"))


def remembered(robin: Workspace) -> None:
    """Let this installation know a destination that an earlier version has used."""

    def used(known: Known) -> None:
        known.name, known.at, known.since = "0001-2026-11-19T071500Z", robin.stores.now_text(), robin.stores.now_text()

    backups.write(
        robin.stores.files, robin.stores.manifest.agent_id, robin.stores.environment.state, DEST, used, adds=True
    )


def sent(place: Path) -> Path:
    """The folder of a backup in the form that rclone was given: an object store has no links and no empty folders."""
    tree, others = place / "workspace", place / "others"
    others.mkdir()
    for path in [*tree.rglob("*")]:
        if path.is_symlink():
            path.unlink()
        elif path.name in ODD:
            path.rename(others / digest.of(path.read_bytes()))
    for path in sorted(tree.rglob("*"), reverse=True):
        if path.is_dir() and not any(path.iterdir()):
            path.rmdir()
    return place


@pytest.fixture
def old(robin: Workspace, stick: Path) -> Path:
    """A backup in that form."""
    for name in ODD:
        Path(robin.root, "plans", name).write_text(f"in {name!r}\n")
    Path(robin.root, "plans", "empty").mkdir()
    (made,) = robin.copies.create(str(stick))
    return sent(Path(made.path))


def test_an_old_backup_is_restored_from_the_folder_that_rclone_copied_it_to(
    robin: Workspace, old: Path, tmp_path: Path
) -> None:
    assert len(os.listdir(old / "others")) == len(ODD)

    restore_backup(str(old.parent), str(tmp_path / "back"))

    assert held(tmp_path / "back") == held(robin.root)


def test_a_file_of_it_that_holds_other_bytes_is_not_restored(old: Path, tmp_path: Path) -> None:
    next((old / "others").iterdir()).write_text("other")

    with pytest.raises(DamagedError, match="does not match its digest"):
        restore_backup(str(old.parent), str(tmp_path / "back"))

    assert not (tmp_path / "back").exists()


def test_a_link_in_the_place_of_a_file_of_it_is_not_followed(old: Path, tmp_path: Path) -> None:
    name = next((old / "others").iterdir())
    shutil.move(name, tmp_path / "elsewhere")
    name.symlink_to(tmp_path / "elsewhere")

    with pytest.raises(DamagedError, match="a symbolic link, not a regular file"):
        restore_backup(str(old.parent), str(tmp_path / "back"))


def test_a_destination_of_rclone_is_named_until_it_is_detached(robin: Workspace, stick: Path) -> None:
    robin.copies.create(str(stick))
    remembered(robin)

    verdict, (made, failed) = robin.status(), robin.copies.create()

    assert not verdict.well
    assert any(DEST in one.says and f"agentws backup detach {DEST}" in one.remedy for one in verdict.checks)
    assert "backup-gone" in [finding.name for finding in robin.doctor().findings]
    assert (made.name[:4], made.failed) == ("0002", "")
    assert "no longer" in failed.failed
    assert f"agentws backup detach {DEST}" in failed.hint

    robin.copies.detach(DEST)

    assert robin.status().well
    assert [one.to for one in robin.copies.list()] == [str(stick)]


def test_a_new_destination_of_rclone_is_refused_and_not_remembered(robin: Workspace) -> None:
    for act in (robin.copies.create, list_backups):
        with pytest.raises(UsageError, match="no longer") as raised:
            act(DEST)
        assert "restic:rclone:REMOTE:PATH" in (raised.value.hint or "")
    assert robin.copies.list() == []


def test_forget_names_a_destination_that_it_cannot_search(robin: Workspace) -> None:
    remembered(robin)
    robin.log("Anna Lind rang")

    done = robin.memory.forget(subjects=["Anna Lind"], copies=True)

    assert done.is_left
    assert any(DEST in words and "may contain matches" in words for words in done.elsewhere)
