"""Checkpoints in `status` and `doctor`; and in what copies a workspace."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from agentws.core.formats.documents import checkpoint
from agentws.features.checkpoints.plan import retention as checkpoints
from agentws.features.copies.backup.restore import restore_backup
from agentws.features.memory.compact import command as compact
from agentws.workspace import Environment, Workspace
from tests.conftest import NOW

LONG = "tile " * checkpoint.BLOB_BYTES


def says(of: Workspace) -> list[str]:
    return [check.says for check in of.status().checks if check.name == "checkpoints"]


def found(of: Workspace) -> list[tuple[str, str]]:
    return [(one.name, one.path) for one in of.doctor().findings if one.name.startswith("checkpoint")]


def states(of: Workspace) -> list[Any]:
    return [of.checkpoints.show("roof", row.head.id).state for row in of.checkpoints.list("roof").rows]


def test_their_number_is_told_and_what_cannot_be_restored(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert says(workspace) == []
    workspace.tasks.add("Roof")
    made = [workspace.checkpoints.save("roof", {"n": n, "text": LONG}) for n in range(2)]
    assert says(workspace)[0].startswith("2 checkpoints, ")
    assert found(workspace) == []

    path = Path(workspace.root, made[0].path)
    path.write_bytes(path.read_bytes()[:-3])
    assert found(workspace) == [("checkpoint-damaged", made[0].path)]
    next(Path(workspace.root, "checkpoints/blobs").iterdir()).unlink()
    assert found(workspace) == [("checkpoint-damaged", one.path) for one in made]

    monkeypatch.setattr(checkpoints, "MUCH_BYTES", 10)
    workspace.config.set("checkpoint.keep", "1")
    workspace.checkpoints.save("roof", list(range(10)))
    workspace.checkpoints.save("roof", list(range(10)))
    assert found(workspace)[-1] == ("checkpoints-many", "")


def test_a_backup_and_a_move_take_them_along(workspace: Workspace, tmp_path: Path) -> None:
    workspace.tasks.add("Roof")
    for n in range(3):
        workspace.checkpoints.save("roof", {"n": n, "text": LONG})
    expected = states(workspace)
    stick, back, there = (tmp_path.parent / f"{tmp_path.name}-{name}" for name in ("stick", "back", "there"))

    workspace.copies.create(str(stick))
    restore_backup(str(stick), str(back))
    assert states(Workspace.open(str(back), environment=Environment(now=NOW, timezone="UTC"))) == expected

    workspace.copies.migrate(str(there))
    moved = Workspace.open(str(there), environment=Environment(now=NOW, timezone="UTC"))
    assert states(moved) == expected
    assert moved.checkpoints.restore("roof", "2").state == expected[1]
    assert moved.checkpoints.save("roof", 4).head.seq == 4


def test_a_run_of_compact_prunes_and_lists_them(workspace: Workspace) -> None:
    workspace.tasks.add("Roof")
    made = [workspace.checkpoints.save("roof", n).path for n in range(3)]
    workspace.config.set("checkpoint.keep", "1")

    assert list(workspace.memory.compact(dry_run=True).checkpoints) == made[:2]
    assert len(states(workspace)) == 3
    assert list(workspace.memory.compact(agreed=True).checkpoints) == made[:2]
    assert states(workspace) == [2]
    assert list(workspace.memory.compact(agreed=True).checkpoints) == []


def test_no_checkpoint_goes_where_no_rule_was_set_and_one_that_goes_is_named(workspace: Workspace) -> None:
    workspace.tasks.add("Roof")
    made = [workspace.checkpoints.save("roof", n).path for n in range(25)]
    assert list(workspace.memory.compact(agreed=True).checkpoints) == []
    assert workspace.checkpoints.prune().gone == []

    workspace.config.set("checkpoint.keep", "24")
    shown = list(compact.compacted_lines(workspace.memory.compact(agreed=True), explain=False))
    assert shown == [
        f"{made[0]}: removed by checkpoint.keep; undo cannot bring it back",
        "No other change: no log is old enough.",
    ]
