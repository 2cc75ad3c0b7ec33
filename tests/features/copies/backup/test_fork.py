"""A snapshot that was put back with its state: numbers are given twice, and the backups of both histories stay."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from agentws.errors import NeedsYouError
from agentws.features.copies.backup.remove import remove_backup
from agentws.workspace import Environment, Workspace


def snapshot(robin: Workspace, tmp_path: Path) -> Path:
    """The workspace with the state of this installation, which stands in it here."""
    assert Path(robin.root, ".agentws/state").is_dir()
    return Path(shutil.copytree(robin.root, tmp_path / "snapshot", symlinks=True))


def put_back(robin: Workspace, environment: Environment, taken: Path) -> Workspace:
    """As a virtual machine is: each file has its place again, and the folder is the one that it was."""
    for path in Path(robin.root).iterdir():
        shutil.rmtree(path) if path.is_dir() else path.unlink()
    shutil.copytree(taken, robin.root, symlinks=True, dirs_exist_ok=True)
    return Workspace.open(robin.root, environment=environment)


@pytest.mark.parametrize("newer", [1, 3], ids=["as many events", "more events"])
def test_a_backup_with_other_events_under_the_same_numbers_stays(
    robin: Workspace, stick: Path, tmp_path: Path, environment: Environment, newer: int
) -> None:
    robin.copies.create(str(stick), rule="1")
    taken = snapshot(robin, tmp_path)
    robin.event("note", "sold the house")
    (lost,) = robin.copies.create()
    again = put_back(robin, environment, taken)
    for number in range(newer):
        again.event("note", f"another {number}")

    (planned,) = again.copies.create(dry_run=True)
    (made,) = again.copies.create()
    (later,) = again.copies.create()

    assert (made.missing, made.expired) == (planned.missing, planned.expired) == (1, ())
    assert any(f"{lost.name} holds another history" in words and ":3 is" in words for words in made.notices)
    assert lost.name not in later.expired
    assert Path(lost.path).is_dir()
    with pytest.raises(NeedsYouError, match="alone holds"):
        remove_backup(str(stick), lost.name)


def test_a_drill_with_the_other_history_counts_both_sides(
    robin: Workspace, stick: Path, tmp_path: Path, environment: Environment
) -> None:
    robin.copies.create(str(stick))
    taken = snapshot(robin, tmp_path)
    robin.event("note", "sold the house")
    robin.copies.create()
    again = put_back(robin, environment, taken)
    for number in range(3):
        again.event("note", f"another {number}")

    done = again.copies.drill(str(stick), at="2")

    assert (done.events, done.missing) == (3, 1)


def test_hooks_make_no_backup_over_one_that_holds_another_history(
    robin: Workspace, stick: Path, tmp_path: Path, environment: Environment
) -> None:
    robin.copies.create(str(stick))
    taken = snapshot(robin, tmp_path)
    robin.event("note", "sold the house")
    robin.copies.create()
    again = put_back(robin, environment, taken)

    again.plumbing.backup_aside()

    (check,) = [one for one in again.status().checks if one.name == "backup"]
    assert "at a session's end it fails" in check.says
    assert "holds 1 event missing here" in check.says
    (made,) = again.copies.create()
    assert (made.name[:4], made.missing) == ("0003", 1)
