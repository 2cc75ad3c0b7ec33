"""What is forgotten in backups that are not what was copied, or hold more than their files show."""

from __future__ import annotations

import errno
from pathlib import Path

import pytest

from agentws.core.formats.documents import checkpoint
from agentws.features.copies.backup.restore import restore_backup
from agentws.features.copies.backup.store import folder, rewrite
from agentws.features.copies.backup.verify import verify_backup
from agentws.workspace import Workspace


def tree(stick: Path, number: int = 1) -> Path:
    """The files of a backup."""
    (found,) = stick.glob(f"robin-*/{number:04}-*/workspace")
    return found


def changed(path: Path, old: bytes, new: bytes) -> None:
    """Other content for a file of a backup, of which no other backup hears."""
    data = path.read_bytes()
    assert old in data
    path.unlink()
    path.write_bytes(data.replace(old, new))


def test_what_was_damaged_stays_named_when_the_file_is_replaced(robin: Workspace, stick: Path, tmp_path: Path) -> None:
    robin.remember("Anna Lind owns the house")
    robin.remember("The house has 300 tiles")
    robin.event("note", "rang Anna Lind")
    robin.event("note", "the code is 1234")
    robin.copies.create(str(stick))
    (segment,) = tree(stick).glob("journal/*/000001.jsonl")
    spoiled = ["MEMORY.md", str(segment.relative_to(tree(stick)))]
    changed(tree(stick) / "MEMORY.md", b"300 tiles", b"999 tiles")
    changed(segment, b"code is 1234", b"code is 9999")

    done = robin.memory.forget(subjects=["Anna Lind"], copies=True)

    name = done.backups[0].cleared[0]
    assert [f"{name}: {path}" for path in spoiled] == done.backups[0].spoiled
    assert any("Damaged already in backups" in words for words in done.elsewhere)
    verified = verify_backup(str(stick))
    assert {*spoiled} <= {path for path, _ in verified.findings}
    assert restore_backup(str(stick), str(tmp_path / "back")).spoiled == tuple(spoiled)
    assert not robin.copies.drill().well

    robin.memory.forget(subjects=["999 tiles"], copies=True)
    (header,) = (place.header(place.names()[0]) for place in folder.agents(str(stick)))
    assert header.spoiled == tuple(spoiled)


def test_a_damaged_segment_that_a_purge_replaces_stays_named(robin: Workspace, stick: Path) -> None:
    cursor = robin.event("note", "rang Anna Lind").cursor or ""
    robin.event("note", "the code is 1234")
    robin.copies.create(str(stick))
    (segment,) = tree(stick).glob("journal/*/000001.jsonl")
    changed(segment, b"code is 1234", b"code is 9999")

    robin.journal.purge([cursor], reason="a test", copies=True)

    assert str(segment.relative_to(tree(stick))) in {path for path, _ in verify_backup(str(stick)).findings}


def test_past_states_in_git_are_told_also_where_no_file_of_a_backup_holds_it(versioned: Workspace, stick: Path) -> None:
    versioned.remember("Anna Lind owns the house")
    versioned.copies.create(str(stick))
    assert "Past states in git inside backups" in "".join(
        versioned.memory.forget(subjects=["Anna Lind"], copies=True).elsewhere
    )

    for copies in (True, False):
        again = versioned.memory.forget(subjects=["Anna Lind"], copies=copies)
        assert again.is_empty
        assert any("Past states in git inside backups" in words for words in again.elsewhere)


def test_a_file_that_is_not_what_its_manifest_tells_is_searched_for_what_it_is(robin: Workspace, stick: Path) -> None:
    robin.copies.create(str(stick))
    robin.event("note", "rang nobody")
    robin.copies.create()
    changed(tree(stick, 2) / "USER.md", b"# ", b"# Anna Lind ")
    assert tree(stick, 1).joinpath("USER.md").read_bytes() == Path(robin.root, "USER.md").read_bytes()

    done = robin.memory.forget(subjects=["Anna Lind"], copies=True)

    assert [name[:4] for name in done.backups[0].cleared] == ["0002"]
    assert done.backups[0].spoiled == [f"{done.backups[0].cleared[0]}: USER.md"]
    assert b"Anna Lind" not in tree(stick, 2).joinpath("USER.md").read_bytes()
    assert not done.is_left


def test_a_checkpoint_in_a_backup_that_holds_it_goes_with_its_long_texts(
    robin: Workspace, stick: Path, tmp_path: Path
) -> None:
    robin.tasks.add("Roof")
    long = "tile " * checkpoint.BLOB_BYTES
    kept = {"owner": "Bo", "plan": long}
    for state in (kept, {"owner": "Anna Lind"}, {"plan": f"{long} Anna Lind", "other": long}):
        robin.checkpoints.save("roof", state)
    robin.copies.create(str(stick))

    done = robin.memory.forget(subjects=["Anna Lind"], copies=True)

    assert not done.is_left
    assert done.backups[0].left == []
    left = [path for path in (tree(stick) / "checkpoints").rglob("*") if path.is_file()]
    assert len(left) == 2
    assert not [path for path in left if b"Anna" in path.read_bytes()]
    assert verify_backup(str(stick)).findings == ()
    back = restore_backup(str(stick), str(tmp_path / "back"))
    (row,) = Workspace.open(back.path).checkpoints.list("roof").rows
    assert Workspace.open(back.path).checkpoints.show("roof", row.head.id).state == kept
    assert robin.memory.forget(subjects=["Anna Lind"], copies=True).is_empty


def test_a_disk_that_is_full_is_told_and_keeps_no_room_for_what_was_not_done(
    robin: Workspace, stick: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    robin.remember("Anna Lind owns the house")
    robin.copies.create(str(stick))

    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "full")

    with monkeypatch.context() as disk:
        disk.setattr(rewrite.disk, "sync_tree", full)
        done = robin.memory.forget(subjects=["Anna Lind"], copies=True)

    told = "".join(done.elsewhere)
    assert "were not all changed, and may contain matches" in told
    assert "the disk is full" in told
    assert "cannot be reached" not in told
    assert done.is_left
    backup = tree(stick).parent
    assert not (backup / ".forgetting-part").exists()
    (backup / ".forgetting-part").mkdir()
    (backup / ".forgetting-part" / "0").write_text("half")

    robin.copies.create()

    assert not (backup / ".forgetting-part").exists()
