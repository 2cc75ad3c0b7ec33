"""Checkpoints that hold what is forgotten go as a whole, with the long texts that no other needs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from agentws.core.formats.documents import checkpoint
from agentws.workspace import Workspace

LONG = "tile " * checkpoint.BLOB_BYTES


def states(of: Workspace) -> list[Any]:
    return [of.checkpoints.show("roof", row.head.id).state for row in of.checkpoints.list("roof").rows]


def test_what_is_forgotten_is_in_no_checkpoint_any_more(workspace: Workspace) -> None:
    workspace.tasks.add("Roof")
    kept = [{"owner": "Anna"}, {"owner": "Anna", "plan": LONG}]
    for state in (
        *kept,
        {"owner": "Jörg Tester"},
        {"Jörg Tester": 1},
        {"plan": f"{LONG} Jörg Tester"},
        ["a", {"b": [f"{LONG} jörg tester, too"]}],
    ):
        workspace.checkpoints.save("roof", state)
    workspace.checkpoints.save("roof", 1, label="asked by Jörg Tester")

    planned = workspace.memory.forget(subjects=["Jörg Tester"], dry_run=True)
    assert len([path for path, _ in planned.lines if path.startswith("checkpoints/")]) == 5
    assert len(states(workspace)) == 7
    done = workspace.memory.forget(subjects=["Jörg Tester"], known=planned.known)

    assert states(workspace) == kept
    assert not done.is_left
    left = [path for path in Path(workspace.root, "checkpoints").rglob("*") if path.is_file()]
    assert len(left) == 3
    assert not [path for path in left if b"Tester" in path.read_bytes()]
    assert not any("checkpoints" in said for said in done.notices)
    assert workspace.memory.forget(subjects=["Jörg Tester"], dry_run=True).is_empty


def test_what_a_killed_save_left_is_forgotten_too(workspace: Workspace) -> None:
    workspace.tasks.add("Roof")
    for folder in ("roof", "gone", "blobs"):
        Path(workspace.root, "checkpoints", folder).mkdir(parents=True, exist_ok=True)
    left = (".000009-5a0c71.json.agentws-new", ".000001-5a0c71.json.agentws-new")
    held = [f"checkpoints/{folder}/{name}" for folder, name in zip(("roof", "gone"), left, strict=True)]
    for path in held:
        Path(workspace.root, path).write_text('{"state":"Ottilie Brandt cal')
    other = Path(workspace.root, "checkpoints/blobs/.aa.agentws-new")
    other.write_text("of somebody else")

    planned = workspace.memory.forget(matching=["Ottilie Brandt"], dry_run=True)
    assert sorted(path for path, _ in planned.lines) == sorted(held)
    stray = Path(workspace.root, "checkpoints/gone/odd.json")
    stray.write_text('{"to":"Ottilie Brandt"}')
    done = workspace.memory.forget(matching=["Ottilie Brandt"])

    assert any("checkpoints/gone/odd.json holds it" in notice for notice in done.notices)
    assert [path for path in held if Path(workspace.root, path).exists()] == []
    assert other.exists()


def test_long_texts_of_checkpoints_that_a_killed_verb_removed_are_forgotten(workspace: Workspace) -> None:
    """Left by a kill of `forget` or `prune` between a checkpoint and its texts, by one of `save` before it."""
    workspace.tasks.add("Roof")
    for text in ("call Ottilie Brandt", "call nobody", "write to Ottilie Brandt"):
        workspace.checkpoints.save("roof", {"plan": f"{LONG} {text}"})
    folder = Path(workspace.root, "checkpoints/roof")
    first, second, last = sorted(folder.iterdir())
    first.rename(first.with_name(f".{first.name}.agentws-old"))
    second.unlink()

    planned = workspace.memory.forget(matching=["Ottilie Brandt"], dry_run=True)
    held = [path for path, _ in planned.lines if path.startswith("checkpoints/")]
    done = workspace.memory.forget(matching=["Ottilie Brandt"], known=planned.known)

    left = {f"checkpoints/roof/.{first.name}.agentws-old", f"checkpoints/roof/{last.name}"}
    assert left < {*held}
    assert len(held) == 3, "and the long text of the first"
    assert not done.is_left
    assert not [*Path(workspace.root, "checkpoints").rglob("*.json")]
    assert not Path(workspace.root, "checkpoints/blobs").exists()


def test_a_long_text_that_an_unreadable_checkpoint_may_need_stays_and_is_named(workspace: Workspace) -> None:
    workspace.tasks.add("Roof")
    workspace.checkpoints.save("roof", {"plan": f"{LONG} call Ottilie Brandt"})
    (file,) = Path(workspace.root, "checkpoints/roof").iterdir()
    file.write_text("{}")

    done = workspace.memory.forget(matching=["Ottilie Brandt"])

    (blob,) = Path(workspace.root, "checkpoints/blobs").iterdir()
    assert any(f"checkpoints/blobs/{blob.name} holds it" in notice for notice in done.notices)


def test_the_lock_of_a_workflow_keeps_no_name(workspace: Workspace) -> None:
    with workspace.workflow("call Ottilie Brandt") as flow:
        flow.step("call", lambda: 1)
    for path in Path(workspace.root, ".agentws").glob("workflow-*.lock"):
        assert b"Ottilie" not in path.read_bytes()


def test_forgetting_the_name_of_a_step_says_that_it_may_run_again(workspace: Workspace) -> None:
    with workspace.workflow("invitations") as flow:
        for name in ("Jörg Tester", "Anna"):
            flow.step("send", lambda: 1, key=name)
    (began,) = [
        one.cursor
        for one in workspace.journal.list(kinds=["step.began"])
        if (one.body or {}).get("key") == "Jörg Tester"
    ]

    for dry_run in (True, False):
        done = workspace.memory.forget(subjects=["Jörg Tester"], dry_run=dry_run)
        (told,) = [one for one in done.notices if "may run again" in one]
        assert began in told
        assert "1 begun" in told
