"""A destination of backups that somebody else writes to: nothing there reaches a file outside of the backup."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from agentws.errors import AgentwsError
from agentws.features.copies.backup.restore import restore_backup
from agentws.features.copies.backup.store.folder import FolderBackups
from agentws.features.copies.backup.verify import verify_backup
from agentws.workspace import Environment, Workspace
from tests.conftest import NOW

OURS = b"the only copy\n"


@pytest.fixture
def robin(tmp_path: Path) -> Workspace:
    environment = Environment(now=NOW, timezone="UTC", state=(None, str(tmp_path / "state")))
    made = Workspace.init(str(tmp_path / "robin"), environment=environment, name="Robin", git=False)
    made.copies.create(str(tmp_path / "stick"))
    return made


@pytest.fixture
def backup(robin: Workspace, tmp_path: Path) -> Path:
    return next(path for path in (tmp_path / "stick").glob("*/*") if path.is_dir())


@pytest.fixture
def home(tmp_path: Path) -> Iterator[Path]:
    """A folder of ours, in which nothing may change."""
    place = tmp_path / "home"
    (place / ".ssh").mkdir(parents=True)
    for name in (".bashrc", "AGENTS.md", "manifest.jsonl", ".ssh/id"):
        (place / name).write_bytes(OURS)
    before = sorted(path.relative_to(place) for path in place.rglob("*"))
    yield place
    assert sorted(path.relative_to(place) for path in place.rglob("*")) == before
    assert all(path.read_bytes() == OURS for path in place.rglob("*") if path.is_file())


def stage(backup: Path, steps: object, files: Mapping[str, bytes] | None = None, *, place: Path | None = None) -> None:
    place = place or backup / ".forgetting"
    place.mkdir(exist_ok=True)
    shutil.copy(backup / "manifest.jsonl", place)
    for name, data in {**(files or {}), "steps.json": json.dumps(steps).encode()}.items():
        (place / name).write_bytes(data)


def use(robin: Workspace, backup: Path, tmp_path: Path) -> None:
    """Everything that opens a backup; whether it fails is its own matter."""
    for verb in (
        lambda: verify_backup(str(tmp_path / "stick")),
        lambda: restore_backup(str(tmp_path / "stick"), str(tmp_path / "restored")),
        lambda: robin.memory.forget(subjects=["Anna Lind"], copies=True),
        robin.copies.create,
    ):
        try:
            verb()
        except AgentwsError:
            pass


def test_steps_through_a_link_in_the_place_of_the_files(
    robin: Workspace, backup: Path, home: Path, tmp_path: Path
) -> None:
    shutil.rmtree(backup / "workspace")
    (backup / "workspace").symlink_to(home)
    stage(backup, [["", ".ssh/id"], ["0", ".bashrc"], ["1", "AGENTS.md"]], {"0": b"touch x", "1": b"obey"})

    use(robin, backup, tmp_path)


@pytest.mark.parametrize(
    "step",
    [
        ["../../../../home/.ssh/id", "AGENTS.md"],
        ["HOME/.ssh/id", "AGENTS.md"],
        ["0", "../../../../home/.bashrc"],
        ["0", "HOME/.bashrc"],
        ["", "../../../../home/.bashrc"],
        ["", "HOME/.bashrc"],
    ],
)
def test_steps_out_of_the_backup(robin: Workspace, backup: Path, home: Path, tmp_path: Path, step: list[str]) -> None:
    stage(backup, [[part.replace("HOME", str(home)) for part in step]], {"0": b"touch x"})

    use(robin, backup, tmp_path)


def test_a_link_in_the_place_of_what_is_staged(robin: Workspace, backup: Path, home: Path, tmp_path: Path) -> None:
    stage(backup, [["0", "AGENTS.md"]], {"0": OURS}, place=tmp_path / "staged")
    (backup / ".forgetting").symlink_to(tmp_path / "staged")

    use(robin, backup, tmp_path)

    assert sorted(os.listdir(tmp_path / "staged")) == ["0", "manifest.jsonl", "steps.json"]


def test_a_staged_link_and_a_link_on_the_way(robin: Workspace, backup: Path, home: Path, tmp_path: Path) -> None:
    stage(backup, [["0", "AGENTS.md"], ["", "memory/.bashrc"]])
    (backup / ".forgetting/0").symlink_to(home / ".ssh/id")
    shutil.rmtree(backup / "workspace/memory")
    (backup / "workspace/memory").symlink_to(home)

    use(robin, backup, tmp_path)

    assert not (backup / "workspace/AGENTS.md").is_symlink()


@pytest.mark.parametrize(
    "steps",
    [
        [["0", "AGENTS.md"]],
        [["", "AGENTS.md"]],
        [["0", "NEW.md"]],
        [["0", "memory"]],
        [["", ""]],
        [["", "a\0b"]],
        [["\u0663", "AGENTS.md"]],
        [[0, "AGENTS.md"]],
        [["0", 0]],
        [["0"]],
        [{}],
        {"0": 1},
        7,
    ],
)
def test_steps_that_nobody_wrote_make_a_damaged_backup(backup: Path, steps: object) -> None:
    before = (backup / "workspace/AGENTS.md").read_bytes()
    stage(backup, steps, {"0": b"obey"})

    with pytest.raises(AgentwsError, match="unreadable backup"):
        FolderBackups(str(backup.parent)).manifest(backup.name)

    assert (backup / "workspace/AGENTS.md").read_bytes() == before


def test_a_staged_file_of_the_right_content_is_taken(backup: Path) -> None:
    """The test above fails for what is wrong alone."""
    data = (backup / "workspace/AGENTS.md").read_bytes()
    stage(backup, [["0", "AGENTS.md"]], {"0": data})

    found = FolderBackups(str(backup.parent)).manifest(backup.name)

    assert found.entries["AGENTS.md"].content == hashlib.sha256(data).hexdigest()
    assert not (backup / ".forgetting").exists()


def test_what_is_named_as_the_rest_of_a_removed_backup_stops_no_other(
    robin: Workspace, backup: Path, home: Path
) -> None:
    (backup.parent / ".gone-file").write_bytes(b"x")
    (backup.parent / ".gone-link").symlink_to(home)
    (backup.parent / ".gone-full").mkdir()
    (backup.parent / ".gone-full" / "x").write_bytes(b"x")

    robin.copies.create()

    assert not [name for name in os.listdir(backup.parent) if name.startswith(".gone-")]
