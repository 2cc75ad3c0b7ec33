"""What a killed forget leaves beside the notes of this machine, the next sync removes."""

from __future__ import annotations

from pathlib import Path

from tests.sync_real.machine import Cut, Machine
from tests.thorough import THOROUGH


def test_a_sync_removes_what_a_killed_forget_has_left_beside_its_notes(tmp_path: Path) -> None:
    desk, stick = Machine(tmp_path, "desk"), tmp_path / "stick"
    stick.mkdir()
    assert desk.bare("init", "--no-git", "-q", "--name", "Robin", str(desk.root)).well
    assert desk.call("sync", str(stick)).well
    left: set[str] = set()
    for at in range(3, 40, 1 if THOROUGH else 2):
        assert desk.call("log", f"The zebra {at:02} came").well
        if desk.call("forget", "--matching", f"zebra {at:02}", "--yes", cut=Cut(at=at)).well:
            continue
        beside = [path.name for path in notes(desk)]
        left |= {*beside}

        assert desk.call("sync").well

        assert not notes(desk), f"killed at {at}: {beside}"
    assert left >= {f".forgotten.agentws-{end}" for end in ("new", "old")}


def notes(machine: Machine) -> list[Path]:
    """The files beside the notes of the installation, wherever its state is."""
    names = (f".{name}.agentws-{end}" for name in ("forgotten", "remotes", "backups") for end in ("new", "old"))
    return [path for name in names for path in machine.folder.rglob(name)]
