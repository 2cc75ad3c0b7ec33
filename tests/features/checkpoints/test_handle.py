"""Checkpoints for programs: by steps, by time, at the end, with a schema."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest

from agentws.errors import FormatVersionError, MissingFileError, UsageError
from agentws.features.checkpoints import handle
from agentws.workspace import Workspace
from tests.features.checkpoints.test_checkpoints import TOKEN


@pytest.fixture
def robin(workspace: Workspace) -> Workspace:
    workspace.tasks.add("Roof", start=True)
    return workspace


def states(of: Workspace) -> list[Any]:
    return [of.checkpoints.show("roof", row.head.id).state for row in of.checkpoints.list("roof").rows]


def test_every_so_many_steps_one_is_saved_and_the_last_at_the_end(robin: Workspace) -> None:
    with robin.checkpoints.open("roof", every_steps=3, on_exit=True) as found:
        saved = [found.step({"n": n}) is not None for n in range(8)]

    assert saved == [False, False, True] * 2 + [False, False]
    assert states(robin) == [{"n": 2}, {"n": 5}, {"n": 7}]
    with robin.checkpoints.open("roof", every_steps=3, on_exit=True) as found:
        for n in range(3):
            found.step({"n": n})
    assert len(states(robin)) == 4, "what was saved is not saved again"


def test_after_so_many_seconds_one_is_saved(robin: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    now = [100.0]
    monkeypatch.setattr(handle.time, "monotonic", lambda: now[0])
    found = robin.checkpoints.open("roof", every_s=10)
    saved = []
    for now[0] in (105.0, 110.0, 111.0, 121.0):
        saved.append(found.step(now[0]) is not None)
    found.close()
    assert saved == [False, True, False, True]
    assert states(robin) == [110.0, 121.0]


def _breaks_off(of: Workspace, state: Any) -> None:
    with of.checkpoints.open("roof", on_exit=True) as found:
        found.step(state)
        state["n"] = 1
        _ = 1 / 0


def test_what_ends_the_block_is_told_and_the_last_state_is_saved(robin: Workspace) -> None:
    with pytest.raises(ZeroDivisionError):
        _breaks_off(robin, {"n": 0})
    assert states(robin) == [{"n": 1}]
    with pytest.raises(ZeroDivisionError) as caught:
        _breaks_off(robin, {"n": 0, "odd": object()})
    assert "The last state was not saved" in caught.value.__notes__[0]
    with pytest.raises(UsageError, match="every_steps must be more than 0"):
        robin.checkpoints.open("roof", every_steps=0)


def test_an_object_follows_what_it_saved_itself(robin: Workspace) -> None:
    one, other = robin.checkpoints.open("roof"), robin.checkpoints.open("roof")
    first = one.save(1)
    second = other.save(2)
    third = one.save(3)
    other.restore("1")
    fourth = other.save(4, label="again")
    assert (second.parent, third.parent, fourth.parent) == (first.id, first.id, first.id)
    assert one.load() == 4
    assert one.load("again") == 4
    assert [row.head.id for row in one.list()] == [first.id, second.id, third.id, fourth.id]


def test_what_was_said_of_one_save_is_not_said_again_of_the_next(robin: Workspace) -> None:
    roof = robin.checkpoints.open("roof")

    assert "secret" in str(roof.save({"token": TOKEN}).notices)
    assert roof.save({"n": 1}).notices == []


def test_a_state_is_brought_to_the_schema_that_is_asked_for(robin: Workspace) -> None:
    robin.checkpoints.open("roof").schema("house", 1).save({"name": "Elm Row"})
    upcasters = {1: lambda old: {"title": old["name"]}, 2: lambda old: {**old, "floors": 2}}
    now = robin.checkpoints.open("roof").schema("house", 3, upcasters=upcasters)

    assert now.load() == now.restore() == {"title": "Elm Row", "floors": 2}
    assert now.save({"title": "Oak Row", "floors": 1}).head.schema == ("house", 3)
    assert now.load("2") == {"title": "Oak Row", "floors": 1}
    assert robin.checkpoints.open("roof").load("1") == {"name": "Elm Row"}
    restored = len(list(robin.journal.list(kinds=["checkpoint.restored"])))
    for name, version, says in (
        ("house", 2, "no upcaster takes"),
        ("barn", 1, "not barn@1"),
        ("house", 0, "not house@0"),
    ):
        with pytest.raises(FormatVersionError, match=says):
            robin.checkpoints.open("roof").schema(name, version).restore("1")
    assert len(list(robin.journal.list(kinds=["checkpoint.restored"]))) == restored


def test_what_was_rolled_back_to_counts_until_the_next_save(robin: Workspace) -> None:
    first, *_ = (robin.checkpoints.save("roof", {"n": n}) for n in (1, 2, 3))
    robin.tasks.rollback("roof", "1")

    assert robin.checkpoints.restore("roof").state == {"n": 1}
    assert robin.tasks.resume("roof").state == {"n": 1}
    assert robin.checkpoints.open("roof").load() == {"n": 1}
    assert robin.tasks.show("roof").restored == first.id
    robin.tasks.rename("roof", "Roof of the barn")
    assert robin.checkpoints.open("roof-of-the-barn").load() == {"n": 1}
    assert [row.is_next for row in robin.checkpoints.list("roof-of-the-barn").rows] == [True, False, False]
    robin.checkpoints.save("roof-of-the-barn", {"n": 4})
    assert robin.checkpoints.open("roof-of-the-barn").load() == {"n": 4}
    assert robin.tasks.show("roof-of-the-barn").restored == ""


def test_the_journal_knows_what_was_restored_where_the_mark_is_lost(robin: Workspace) -> None:
    for n in (1, 2):
        robin.checkpoints.save("roof", {"n": n})
    robin.tasks.rollback("roof", "1")
    shutil.rmtree(Path(robin.root, ".agentws/restored"))
    assert robin.checkpoints.open("roof").load() == {"n": 1}
    assert robin.checkpoints.save("roof", {"n": 3}).parent == robin.checkpoints.list("roof").rows[0].head.id
    shutil.rmtree(Path(robin.root, ".agentws/restored"))
    assert robin.checkpoints.open("roof").load() == {"n": 3}


def test_a_state_is_saved_also_where_the_one_before_it_was_pruned(robin: Workspace) -> None:
    with robin.checkpoints.open("roof", on_exit=True) as found:
        first = found.save({"n": 0})
        for n in range(1, 4):
            robin.checkpoints.save("roof", {"n": n})
        robin.config.set("checkpoint.keep", "1")
        assert first.id in [head.id for _, head in robin.checkpoints.prune().gone]
        found.step({"n": 4})

    last = robin.checkpoints.list("roof").rows[-1]
    assert states(robin) == [{"n": 3}, {"n": 4}]
    assert (last.head.seq, last.head.parent, last.gone) == (5, first.id, True)
    with pytest.raises(MissingFileError):
        robin.checkpoints.open("roof").save({"n": 5}, parent=first.id)
