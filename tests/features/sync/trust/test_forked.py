"""A snapshot that was put back with its state, and written in before a sync: two histories of one writer."""

from __future__ import annotations

import shutil
from pathlib import Path

from agentws.workspace import Workspace
from tests.features.sync.conftest import Machines


def forked(machines: Machines, tmp_path: Path) -> tuple[Workspace, Workspace]:
    """The desk with two events under whose numbers the remote has others, and the laptop."""
    desk = machines.first()
    desk.event("note", "one")
    desk.sync(str(machines.stick))
    lap = machines.another("lap")
    shutil.copytree(desk.root, tmp_path / "saved", symlinks=True)
    desk.event("note", "sold the house")
    desk.sync()
    for path in Path(desk.root).iterdir():
        shutil.rmtree(path) if path.is_dir() else path.unlink()
    shutil.copytree(tmp_path / "saved", desk.root, symlinks=True, dirs_exist_ok=True)
    again = machines.opened("desk")
    again.event("note", "another two")
    again.event("note", "another three")
    return again, lap


def out(desk: Workspace) -> str:
    (check,) = [one for one in desk.status().checks if one.name == "sync"]
    return check.says


def test_what_is_written_after_it_goes_out_and_what_stays_is_told(machines: Machines, tmp_path: Path) -> None:
    desk, lap = forked(machines, tmp_path)

    (first,) = desk.sync()
    (second,) = desk.sync()
    desk.event("note", "written afterwards")
    desk.sync()
    lap.sync()

    assert (first.parted, second.parted) == (2, 0)
    assert "2 events not out yet" in out(desk)
    text = "".join(path.read_text() for path in Path(lap.root, "journal").rglob("*.jsonl"))
    assert "written afterwards" in text
    assert "sold the house" in text
    assert "another two" not in text
    assert "another two" in "".join(path.read_text() for path in Path(desk.root, "journal").rglob("*.jsonl"))
    assert "lacks" not in desk.boot().text, "nothing of this machine is missing here"
