"""Backups in a folder: what they hold, that they can be read without agentws, what they cost, and what is refused."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from agentws.core.disk import lock
from agentws.errors import AgentwsError, DamagedError, DiskError, LockHeldError, MissingFileError, UsageError
from agentws.features.copies.backup.restore import restore_backup
from agentws.features.copies.backup.store import part
from agentws.features.copies.backup.verify import verify_backup
from agentws.workspace import Environment, Workspace, list_backups
from tests import forked
from tests.conftest import NOW
from tests.features.copies.backup.trees import held


def test_a_backup_is_plain_files_that_cp_restores(robin: Workspace, stick: Path, tmp_path: Path) -> None:
    (made,) = robin.copies.create(str(stick))

    shutil.copytree(f"{made.path}/workspace", tmp_path / "copied", symlinks=True)

    assert held(tmp_path / "copied") == held(robin.root)
    assert made.copied_files == made.files - 1, "all but the link"
    assert (made.events, made.added, made.previous) == (2, made.files, "")
    assert stat_mode(Path(made.path).parent) == 0o700, "it holds what the workspace keeps for its owner"


def stat_mode(path: Path) -> int:
    return path.stat().st_mode & 0o777


def test_the_manifest_tells_path_size_digest_and_mode(robin: Workspace, stick: Path) -> None:
    (made,) = robin.copies.create(str(stick))

    header, *lines = [json.loads(line) for line in Path(made.path, "manifest.jsonl").read_text().splitlines()]
    found = {line[0]: line for line in lines}

    assert (header["name"], header["files"], header["previous"]) == ("Robin", made.files, "")
    script = Path(robin.root, "plans/draw.sh").read_bytes()
    assert found["plans/draw.sh"][1:3] == ["f", 0o755]
    assert found["plans/draw.sh"][4:6] == [len(script), part.hashlib.sha256(script).hexdigest()]
    assert found["plans/latest"][5] == "../nowhere"


def test_an_unchanged_file_is_neither_read_nor_copied_again(
    robin: Workspace, stick: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (first,) = robin.copies.create(str(stick))
    opened: list[str] = []
    real = part.Part.copy
    monkeypatch.setattr(
        part.Part, "copy", lambda self, entry, *rest: opened.append(entry.path) or real(self, entry, *rest)
    )
    robin.log("Another line")

    (second,) = robin.copies.create()

    assert opened == ["memory/2026-11-20.md"]
    assert (second.copied_files, second.changed, second.added, second.removed) == (1, 1, 0, 0)
    one, other = (Path(made.path, "workspace/plans/draw.sh").stat() for made in (first, second))
    assert one.st_ino == other.st_ino
    assert held(f"{second.path}/workspace") == held(robin.root)
    assert "Another line" not in Path(first.path, "workspace/memory/2026-11-20.md").read_text()


def test_a_change_that_leaves_size_and_time_alone_is_copied(robin: Workspace, stick: Path) -> None:
    place = Path(robin.root, "plans/draw.sh")
    robin.copies.create(str(stick))
    status = place.stat()
    place.write_bytes(b"#!/bin/sh\n\xfe\n")
    os.utime(place, ns=(status.st_atime_ns, status.st_mtime_ns))

    (made,) = robin.copies.create()

    assert made.changed == 1
    assert Path(made.path, "workspace/plans/draw.sh").read_bytes() == b"#!/bin/sh\n\xfe\n"


def test_a_medium_without_hard_links_gets_whole_copies(
    robin: Workspace, stick: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    robin.copies.create(str(stick))

    def refuse(*_: object, **__: object) -> None:
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr(os, "link", refuse)
    (made,) = robin.copies.create()

    assert made.copied_files == made.files - 1
    assert any("no hard links" in notice for notice in made.notices)
    assert held(f"{made.path}/workspace") == held(robin.root)


def test_a_medium_without_modes_and_links_is_made_up_for_by_the_manifest(
    robin: Workspace, stick: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As on exFAT: the restored copy has the modes and symbolic links that the medium could not hold."""

    def refuse(*_: object, **__: object) -> None:
        raise PermissionError(1, "Operation not permitted")

    with monkeypatch.context() as medium:
        for name in ("link", "symlink", "fchmod", "chmod"):
            medium.setattr(part.os, name, refuse)
        medium.setattr("agentws.core.disk.files._link", _renamed)
        (made,) = robin.copies.create(str(stick))

    assert not os.path.lexists(f"{made.path}/workspace/plans/latest")
    assert verify_backup(str(stick)).well
    restore_backup(str(stick), str(tmp_path / "back"))
    assert held(tmp_path / "back") == held(robin.root)


def _renamed(name: str, to: str, folder: int, to_folder: int | None = None, *, required: bool = False) -> None:
    if required:
        os.rename(name, to, src_dir_fd=folder, dst_dir_fd=folder if to_folder is None else to_folder)


def test_what_is_gone_is_gone_in_the_next_one_and_stays_in_the_former(robin: Workspace, stick: Path) -> None:
    (first,) = robin.copies.create(str(stick))
    shutil.rmtree(f"{robin.root}/plans")

    (second,) = robin.copies.create()

    assert (second.removed, second.added) == (2, 0)
    assert not os.path.exists(f"{second.path}/workspace/plans")
    assert os.path.exists(f"{first.path}/workspace/plans/draw.sh")


def test_a_line_that_is_being_written_stays_out(robin: Workspace, stick: Path) -> None:
    (segment,) = Path(robin.root, "journal").glob("*/000001.jsonl")
    whole = segment.read_bytes()
    with segment.open("ab") as file:
        file.write(b'{"agentws":1,"seq":3,"id":"0')

    (made,) = robin.copies.create(str(stick))

    assert Path(made.path, "workspace", segment.relative_to(robin.root)).read_bytes() == whole
    assert verify_backup(str(stick)).well
    assert made.damage == ()


def test_what_others_write_while_it_is_copied_is_cut_at_one_moment(
    robin: Workspace, stick: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is written while the bulk is copied is in it, documents, logs and events alike."""
    real, written = part.Part.copy, []

    def copy(self: part.Part, entry: Any, *rest: Any) -> Any:
        done = real(self, entry, *rest)
        if len(written) < 3:
            written.append(entry.path)
            robin.event("note", f"meanwhile {len(written)}")
            robin.log(f"meanwhile {len(written)}")
        return done

    monkeypatch.setattr(part.Part, "copy", copy)
    (made,) = robin.copies.create(str(stick))

    assert made.events == 5
    assert held(f"{made.path}/workspace") == held(robin.root)
    assert verify_backup(str(stick)).well


def test_a_segment_that_becomes_another_file_meanwhile_is_not_missed(
    robin: Workspace, stick: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As when an old segment is compressed between being listed and being read."""
    plans = Path(robin.root, "plans")
    once: list[int] = []
    opening = part.Part.folder

    def folder(self: part.Part, path: str) -> None:
        opening(self, path)
        if path == "plans" and not once:
            once.append(1)
            (plans / "draw.sh.gz").write_bytes(b"squeezed")
            (plans / "draw.sh").unlink()

    monkeypatch.setattr(part.Part, "folder", folder)
    (made,) = robin.copies.create(str(stick))

    assert held(f"{made.path}/workspace") == held(robin.root)
    assert not os.path.exists(f"{made.path}/workspace/plans/draw.sh")


def test_bytes_that_the_medium_changes_are_no_backup(
    robin: Workspace, stick: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    robin.copies.create(str(stick))
    monkeypatch.setattr(part, "digest_of", lambda place: "0" * 64)
    robin.log("Another line")

    with pytest.raises(DiskError, match="other data than was written"):
        robin.copies.create()

    assert len(list_backups(str(stick))) == 1
    assert [name for name in os.listdir(next(stick.iterdir())) if name.startswith(".")] == []
    (known,) = robin.copies.list()
    assert "other data" in known.failed


def test_the_order_is_that_of_the_numbers_not_of_the_clock(
    robin: Workspace, stick: Path, environment: Environment
) -> None:
    robin.copies.create(str(stick))
    environment.now = NOW - timedelta(days=300)
    (made,) = Workspace.open(robin.root, environment=environment).copies.create()

    assert [one.name for one in list_backups(str(stick))][-1] == made.name
    assert verify_backup(str(stick)).name == made.name


def test_a_destination_is_known_outside_of_the_workspace_alone(
    robin: Workspace, stick: Path, tmp_path: Path, environment: Environment
) -> None:
    with pytest.raises(MissingFileError, match="No backup destination"):
        robin.copies.create()
    robin.copies.create(str(stick))
    shutil.copytree(robin.root, tmp_path / "copy", symlinks=True)

    (made,) = robin.copies.create()

    assert made.to == str(stick)
    with pytest.raises(MissingFileError, match="No backup destination"):
        Workspace.open(str(tmp_path / "copy"), environment=environment).copies.create()


def test_a_medium_that_is_not_mounted_gets_no_backup(robin: Workspace, stick: Path) -> None:
    robin.copies.create(str(stick))
    stick.rename(stick.parent / "unplugged")
    stick.mkdir()

    with pytest.raises(MissingFileError, match="contains no backups of this agent") as refused:
        robin.copies.create()

    assert "mounted" in (refused.value.hint or "")
    assert list(stick.iterdir()) == []
    (known,) = robin.copies.list()
    assert known.failed


def test_one_destination_that_fails_leaves_the_others(robin: Workspace, stick: Path, tmp_path: Path) -> None:
    robin.copies.create(str(stick))
    robin.copies.create(str(tmp_path / "media" / "disk"))
    shutil.rmtree(stick)

    first, second = robin.copies.create()

    assert first.failed
    assert second.name
    assert not second.failed


def test_a_destination_in_the_workspace_or_nowhere_is_refused(robin: Workspace, tmp_path: Path) -> None:
    for place in (f"{robin.root}/backups", str(tmp_path / "no" / "where")):
        with pytest.raises(UsageError):
            robin.copies.create(place)
    (tmp_path / "file").write_text("mine")
    with pytest.raises(AgentwsError):
        robin.copies.create(str(tmp_path / "file"))
    assert (tmp_path / "file").read_text() == "mine"


def test_a_dry_run_changes_nothing(robin: Workspace, stick: Path) -> None:
    robin.copies.create(str(stick))
    robin.log("Another line")
    before = sorted(str(path) for path in stick.rglob("*"))

    (planned,) = robin.copies.create(dry_run=True)

    assert (planned.copied_files, planned.name) == (1, "")
    assert sorted(str(path) for path in stick.rglob("*")) == before


def test_two_runs_at_once_do_not_meet(robin: Workspace, stick: Path) -> None:
    robin.copies.create(str(stick))
    with lock.Lock(robin.stores.files, "backup", timeout_s=0.0), pytest.raises(LockHeldError):
        robin.copies.create()


@pytest.mark.parametrize(
    "harm",
    [
        lambda tree: (tree / "plans/draw.sh").write_bytes(b"#!/bin/sh\n\xfe\n"),
        lambda tree: (tree / "plans/draw.sh").unlink(),
        lambda tree: (tree / "SOUL.md").write_text("short"),
    ],
)
def test_verify_names_what_the_medium_has_changed(robin: Workspace, stick: Path, tmp_path: Path, harm: Any) -> None:
    (made,) = robin.copies.create(str(stick))
    harm(Path(made.path, "workspace"))

    done = verify_backup(str(stick))

    assert not done.well
    assert len(done.findings) == 1
    with pytest.raises(AgentwsError):
        restore_backup(str(stick), str(tmp_path / "back"))
    assert not (tmp_path / "back").exists()
    assert [name for name in os.listdir(tmp_path) if "incoming" in name] == []


def test_a_manifest_that_was_cut_is_no_backup_to_restore(robin: Workspace, stick: Path, tmp_path: Path) -> None:
    (first,) = robin.copies.create(str(stick))
    robin.log("Another line")
    (second,) = robin.copies.create()
    place = Path(second.path, "manifest.jsonl")
    place.write_bytes(place.read_bytes()[:-30])

    with pytest.raises(DamagedError):
        verify_backup(str(stick))
    (third,) = robin.copies.create()

    assert third.previous == first.name, "it is made beside the newest that can be read"
    assert verify_backup(str(stick)).well


def test_a_hostile_manifest_leads_nowhere_else(robin: Workspace, stick: Path, tmp_path: Path) -> None:
    (made,) = robin.copies.create(str(stick))
    place = Path(made.path, "manifest.jsonl")
    (tmp_path / "outside").write_text("theirs")
    for path in ("../../../../../outside", "/etc/passwd", "plans/../../x"):
        place.write_bytes(place.read_bytes().replace(b'"SOUL.md"', json.dumps(path).encode()))

        with pytest.raises(AgentwsError):
            restore_backup(str(stick), str(tmp_path / "back"))

        assert not (tmp_path / "back").exists()
        place.write_bytes(place.read_bytes().replace(json.dumps(path).encode(), b'"SOUL.md"'))


def test_a_link_in_a_hostile_manifest_is_not_followed(robin: Workspace, stick: Path, tmp_path: Path) -> None:
    (made,) = robin.copies.create(str(stick))
    outside = tmp_path / "outside"
    outside.mkdir()
    place, tree = Path(made.path, "manifest.jsonl"), Path(made.path, "workspace")
    (tree / "way").mkdir()
    (tree / "way" / "theirs").write_text("x")
    digest = hashlib.sha256(b"x").hexdigest()
    first, _, rest = place.read_bytes().partition(b"\n")
    header = json.loads(first)
    header["files"] += 2
    lines = [["way", "l", 0o777, 1, 7, str(outside)], ["way/theirs", "f", 0o644, 1, 1, digest]]
    place.write_bytes(b"".join(json.dumps(line).encode() + b"\n" for line in (header, *lines)) + rest)

    with pytest.raises(AgentwsError):
        restore_backup(str(stick), str(tmp_path / "back"))

    assert list(outside.iterdir()) == []
    assert not (tmp_path / "back").exists()


def _rot(place: Path) -> None:
    """Change what a medium holds, as it does by itself: size and times stay."""
    status = place.stat()
    text = place.read_bytes()
    place.write_bytes(bytes([text[0] ^ 1]) + text[1:])
    os.utime(place, ns=(status.st_atime_ns, status.st_mtime_ns))


def test_a_full_backup_shares_nothing_that_the_medium_has_changed(versioned: Workspace, stick: Path) -> None:
    (first,) = versioned.copies.create(str(stick))
    _rot(Path(first.path, "workspace/SOUL.md"))
    versioned.copies.create()
    assert not verify_backup(str(stick)).well, "the file is shared"

    (planned,) = versioned.copies.create(full=True, dry_run=True)
    (made,) = versioned.copies.create(full=True)

    assert verify_backup(str(stick)).well
    assert made.copied_files == first.copied_files
    assert planned.copied_files == made.copied_files - 1, "the settings of git are written, not copied"
    assert (made.added, made.changed, made.removed, made.previous != "") == (0, 0, 0, True)


def test_after_a_drill_that_failed_the_next_backup_is_full_by_itself(
    robin: Workspace, stick: Path, environment: Environment
) -> None:
    (first,) = robin.copies.create(str(stick))
    _rot(Path(first.path, "workspace/SOUL.md"))
    assert not robin.copies.drill().well

    environment.now = NOW + timedelta(seconds=1)
    (made,) = Workspace.open(robin.root, environment=environment).copies.create()
    (next_one,) = Workspace.open(robin.root, environment=environment).copies.create()

    assert verify_backup(str(stick)).well
    assert made.copied_files == first.copied_files
    assert next_one.copied_files < first.copied_files


def test_what_somebody_edited_in_a_backup_is_shared_no_further(robin: Workspace, stick: Path) -> None:
    (first,) = robin.copies.create(str(stick))
    with Path(first.path, "workspace/SOUL.md").open("a") as soul:
        soul.write("edited on the medium\n")

    robin.copies.create()

    assert verify_backup(str(stick)).well


def test_what_is_no_file_is_named(robin: Workspace, stick: Path) -> None:
    os.mkfifo(Path(robin.root, "door"))

    (made,) = robin.copies.create(str(stick))

    assert "door: a FIFO, socket or device" in made.stripped
    assert not Path(made.path, "workspace/door").exists()


def test_a_known_destination_without_its_disk_is_no_empty_list(robin: Workspace, stick: Path) -> None:
    def run(*words: str) -> tuple[int, str]:
        done = forked.run_text("-C", robin.root, "backup", *words)
        return done.returncode, done.stderr

    assert run("create", str(stick))[0] == 0
    assert run("list") == (0, "")
    shutil.rmtree(stick)
    stick.mkdir()

    code, said = run("list")

    assert (code, "Is the disk mounted?" in said) == (1, True)
    assert run("list", str(stick)) == (0, ""), "a folder that is named may be empty"


def test_a_folder_with_the_last_number_there_can_be_stops_the_next_backup(robin: Workspace, stick: Path) -> None:
    robin.copies.create(str(stick))
    (place,) = stick.iterdir()
    (place / "999999999-2026-01-01T000000Z").mkdir()

    with pytest.raises(DamagedError, match="999999999"):
        robin.copies.create(str(stick))

    assert sorted(one.name for one in place.iterdir())[1:] == ["999999999-2026-01-01T000000Z", "README.txt"]
    (place / "999999999-2026-01-01T000000Z").rmdir()
    (done,) = robin.copies.create(str(stick))
    assert done.name.startswith("0002-")
