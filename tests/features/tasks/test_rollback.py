"""A task paused, resumed and rolled back with its state."""

from __future__ import annotations

import pytest

from agentws.core.formats.documents import checkpoint
from agentws.errors import DamagedError, MissingFileError, UsageError
from agentws.features.tasks import rollback
from agentws.workspace import Workspace


@pytest.fixture
def robin(workspace: Workspace) -> Workspace:
    workspace.tasks.add("Roof", start=True)
    return workspace


def test_a_task_is_put_aside_with_its_state_and_taken_up_with_it(robin: Workspace) -> None:
    paused = robin.tasks.pause("roof", {"rows": 7}, reason="weekend")
    assert (paused.done.task.state, paused.checkpoint.label) == ("paused", "")

    resumed = robin.tasks.resume("roof")

    assert (resumed.done.task.state, resumed.state) == ("active", {"rows": 7})
    assert [one.kind for one in robin.journal.list(kinds=["checkpoint.*", "task.paused", "task.resumed"])] == [
        "checkpoint.saved",
        "task.paused",
        "task.resumed",
        "checkpoint.restored",
    ]
    robin.tasks.pause("roof")
    assert robin.tasks.resume("roof").state == {"rows": 7}
    robin.tasks.add("Cellar")
    robin.tasks.pause("cellar")
    assert robin.tasks.resume("cellar").checkpoint is None


def test_of_a_task_that_cannot_be_paused_no_state_is_saved(robin: Workspace) -> None:
    robin.tasks.done("roof")

    with pytest.raises(UsageError, match="is done"):
        robin.tasks.pause("roof", {"rows": 7})
    assert robin.checkpoints.list("roof").rows == []


def test_a_state_that_cannot_be_read_leaves_the_task_paused(robin: Workspace) -> None:
    made = robin.tasks.pause("roof", {"rows": 7}).checkpoint
    path = checkpoint.path("roof", made.id)
    robin.stores.files.replace(path, robin.stores.files.read(path)[:-4], expects=robin.stores.files.digest(path))
    with pytest.raises(DamagedError):
        robin.tasks.resume("roof")
    with pytest.raises(MissingFileError):
        robin.tasks.resume("roof", to="9")
    assert robin.tasks.show("roof").task.state == "paused"


def test_a_rollback_lists_what_has_happened_since(robin: Workspace) -> None:
    robin.tasks.add("Cellar")
    robin.session.start("roofing", session="s-1")
    robin.event("action", tool="mail", input="before", session="s-1")
    first = robin.checkpoints.save("roof", {"n": 1}, label="measured")
    robin.session.start("cellar work", session="s-2")
    robin.tasks.step("cellar", "dig")
    robin.event("action", tool="shovel", session="s-2")
    robin.event("action", tool="pay", input={"eur": 40}, session="s-1", task="roof")
    robin.event("note", "tiles ordered", task="roof", session="s-1")
    second = robin.checkpoints.save("roof", {"n": 2})

    done = robin.tasks.rollback("roof", "measured")

    assert (done.checkpoint.id, done.checkpoint.state) == (first.id, {"n": 1})
    assert [(one.body or {}).get("text") for one in done.events] == ["tiles ordered", f"roof: {second.id}"]
    assert [(one.body or {}).get("tool") for one in done.actions] == ["shovel", "pay"]
    (told,) = robin.journal.list(kinds=["task.rolled_back"])
    assert (told.body or {})["id"] == first.id
    assert robin.tasks.show("roof").task.state == "active"
    assert robin.checkpoints.save("roof", {"n": 3}).parent == first.id


def test_of_very_many_the_newest_are_listed(robin: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rollback, "MOST_LISTED", 3)
    robin.checkpoints.save("roof", 1)
    for number in range(5):
        robin.event("note", f"n{number}", task="roof")
        robin.event("action", tool=f"t{number}", task="roof")

    done = robin.tasks.rollback("roof", "1")

    assert [(one.body or {})["text"] for one in done.events] == ["n2", "n3", "n4"]
    assert [(one.body or {})["tool"] for one in done.actions] == ["t2", "t3", "t4"]
    assert done.older == 4
    (told,) = robin.journal.list(kinds=["task.rolled_back"])
    assert ((told.body or {})["events"], (told.body or {})["actions"]) == (5, 5)
