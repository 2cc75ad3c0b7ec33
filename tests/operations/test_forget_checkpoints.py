"""Checkpoints that hold what is forgotten go as a whole, with the long texts that no other needs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from agentws.formats.documents import checkpoint
from agentws.workspace import Workspace

LONG = "tile " * checkpoint.BLOB_BYTES


def states(of: Workspace) -> list[Any]:
    return [of.show_checkpoint("roof", row.head.id).state for row in of.checkpoints("roof").rows]


def test_what_is_forgotten_is_in_no_checkpoint_any_more(workspace: Workspace) -> None:
    workspace.add_task("Roof")
    kept = [{"owner": "Anna"}, {"owner": "Anna", "plan": LONG}]
    for state in (
        *kept,
        {"owner": "Jörg Tester"},
        {"Jörg Tester": 1},
        {"plan": f"{LONG} Jörg Tester"},
        ["a", {"b": [f"{LONG} jörg tester, too"]}],
    ):
        workspace.save_checkpoint("roof", state)
    workspace.save_checkpoint("roof", 1, label="asked by Jörg Tester")

    planned = workspace.forget(subjects=["Jörg Tester"], dry_run=True)
    assert len([path for path, _ in planned.lines if path.startswith("checkpoints/")]) == 5
    assert len(states(workspace)) == 7
    done = workspace.forget(subjects=["Jörg Tester"], known=planned.known)

    assert states(workspace) == kept
    assert not done.is_left
    left = [path for path in Path(workspace.root, "checkpoints").rglob("*") if path.is_file()]
    assert len(left) == 3
    assert not [path for path in left if b"Tester" in path.read_bytes()]
    assert not any("checkpoints" in said for said in done.notices)
    assert workspace.forget(subjects=["Jörg Tester"], dry_run=True).is_empty
