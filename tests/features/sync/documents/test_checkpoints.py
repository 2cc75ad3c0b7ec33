"""Checkpoints of two machines: each has those of both, and what one pruned is gone on both."""

from __future__ import annotations

from pathlib import Path

import pytest

from agentws.core.formats.documents import checkpoint
from agentws.errors import AmbiguousError
from agentws.workspace import Workspace
from tests.features.sync.conftest import Machines

LONG = "tile " * checkpoint.BLOB_BYTES


def states(of: Workspace) -> list[object]:
    return [of.checkpoints.show("roof", row.head.id).state for row in of.checkpoints.list("roof").rows]


def blobs(of: Workspace) -> int:
    return len(list(Path(of.root, "checkpoints/blobs").glob("*")))


def test_what_both_saved_at_once_is_on_both(machines: Machines) -> None:
    desk = machines.first()
    desk.tasks.add("Roof")
    desk.checkpoints.save("roof", {"n": 1})
    desk.sync(str(machines.stick))
    laptop = machines.another("laptop")
    for one, name in ((desk, "desk"), (laptop, "laptop")):
        one.checkpoints.save("roof", {"by": name, "text": LONG})

    for one in (laptop, desk, laptop):
        (done,) = one.sync()
        assert not done.conflicts

    assert machines.files("desk") == machines.files("laptop")
    assert [row.head.seq for row in desk.checkpoints.list("roof").rows] == [1, 2, 2]
    assert {str(state)[:20] for state in states(laptop)} == {str(state)[:20] for state in states(desk)}
    with pytest.raises(AmbiguousError, match="'2' matches 2 checkpoints"):
        desk.checkpoints.restore("roof", "2")
    assert laptop.checkpoints.restore("roof").notices == []
    assert laptop.checkpoints.save("roof", {}).head.seq == 3


def test_what_one_pruned_is_gone_on_both_but_never_what_the_other_needs(machines: Machines) -> None:
    desk = machines.first()
    desk.tasks.add("Roof")
    desk.config.set("checkpoint.keep", "1")
    for n in range(12):
        desk.checkpoints.save("roof", {"n": n, "text": LONG})
    desk.checkpoints.save("roof", "last of the desk")
    desk.sync(str(machines.stick))
    laptop = machines.another("laptop")
    desk.checkpoints.prune()
    assert (len(states(desk)), blobs(desk)) == (1, 0)
    laptop.checkpoints.save("roof", {"n": "laptop", "text": LONG})

    for one in (laptop, desk, laptop):
        one.sync()

    assert states(desk) == states(laptop) == ["last of the desk", {"n": "laptop", "text": LONG}]
    laptop.checkpoints.save("roof", "last of the laptop")
    laptop.checkpoints.prune()
    for one in (laptop, desk):
        one.sync()
    desk.checkpoints.prune()
    for one in (desk, laptop):
        one.sync()
    assert states(desk) == states(laptop) == ["last of the laptop"]
    assert (blobs(desk), blobs(laptop)) == (0, 0)


def test_a_rollback_on_one_machine_counts_on_the_other_until_one_saves(machines: Machines) -> None:
    desk = machines.first()
    desk.tasks.add("Roof")
    for n in (1, 2, 3):
        desk.checkpoints.save("roof", {"n": n})
    desk.tasks.rollback("roof", "1")
    desk.sync(str(machines.stick))
    laptop = machines.another("laptop")

    assert laptop.checkpoints.open("roof").load() == {"n": 1}
    assert [row.is_next for row in laptop.checkpoints.list("roof").rows] == [True, False, False]
    made = laptop.checkpoints.save("roof", {"n": 4})
    assert made.parent == laptop.checkpoints.list("roof").rows[0].head.id
    for one in (laptop, desk):
        one.sync()
    assert desk.checkpoints.open("roof").load() == {"n": 4}


def test_what_one_forgot_is_not_missing_where_the_other_restored_it_meanwhile(machines: Machines) -> None:
    desk = machines.first()
    desk.tasks.add("Roof")
    desk.checkpoints.save("roof", {"n": 1})
    gone = desk.checkpoints.save("roof", {"of": "Lena Moosbrugger"})
    desk.sync(str(machines.stick))
    machines.another("laptop")
    desk.memory.forget(matching=["Lena Moosbrugger"], reason="asked for")
    laptop = machines.opened("laptop", minutes=5)
    assert laptop.checkpoints.restore("roof").id == gone.id

    for one in (desk, laptop, desk):
        one.sync()

    for one in (desk, laptop):
        assert states(one) == [{"n": 1}]
        assert one.checkpoints.restore("roof").state == {"n": 1}
        assert not [found for found in one.doctor().findings if found.name == "checkpoint-missing"]
