"""Approvals on two machines: one request, answered here and there."""

from __future__ import annotations

from pathlib import Path

import pytest

from agentws.errors import ApprovalRefusedError, MayNotWriteError
from agentws.workspace import Workspace
from tests.features.sync.conftest import Machines

ACTION = {"tool": "pay", "amount": 250}


@pytest.fixture
def both(machines: Machines) -> tuple[Workspace, Workspace, str]:
    """The agent on two machines, which know of one request; and its id."""
    desk = person(machines.first())
    id = desk.ask("Pay the deposit?", action=ACTION).id
    desk.sync(str(machines.stick))
    laptop = person(machines.another("laptop"))
    laptop.log("Here I am.")
    agree(laptop, desk)
    desk.identity.vouch(laptop.stores.appender().writer)
    agree(desk, laptop)
    return desk, laptop, id


def person(workspace: Workspace) -> Workspace:
    """The workspace for a person whose settings accept what is typed."""
    config = Path(workspace.root).parent / "config.toml"
    config.write_text("[ask]\ntyped = true\n")
    workspace.stores.environment.config = str(config)
    return workspace


def agree(*workspaces: Workspace) -> None:
    for each in (*workspaces, *workspaces):
        each.sync()


def test_an_answer_on_one_machine_is_used_on_the_other(both: tuple[Workspace, Workspace, str]) -> None:
    desk, laptop, id = both
    laptop.approvals.decide(id, approve=True, typed=True)
    agree(laptop, desk)

    assert desk.approvals.use(id, ACTION).status == "used"
    agree(desk, laptop)
    with pytest.raises(ApprovalRefusedError, match="used already"):
        laptop.approvals.use(id, ACTION)


def test_two_answers_that_differ_are_disputed_and_listed(both: tuple[Workspace, Workspace, str]) -> None:
    desk, laptop, id = both
    desk.approvals.decide(id, approve=True, typed=True)
    laptop.approvals.decide(id, approve=False)
    agree(desk, laptop)

    for each in (desk, laptop):
        assert each.approvals.show(id).status == "disputed"
        with pytest.raises(ApprovalRefusedError, match="different answers"):
            each.approvals.use(id, ACTION)
        assert [record.path for record in each.sync.conflicts().records] == [f"approvals/{id}.md"]


def test_the_same_answer_twice_is_one(both: tuple[Workspace, Workspace, str]) -> None:
    desk, laptop, id = both
    for each in (desk, laptop):
        each.approvals.decide(id, approve=True, typed=True)
    agree(desk, laptop)

    assert desk.sync.conflicts().records == []
    assert desk.approvals.use(id, ACTION).status == "used"


def test_a_use_on_each_machine_before_they_met_is_told(both: tuple[Workspace, Workspace, str]) -> None:
    desk, laptop, id = both
    desk.approvals.decide(id, approve=True, typed=True)
    agree(desk, laptop)
    for each in (desk, laptop):
        each.approvals.use(id, ACTION)
    agree(desk, laptop)

    assert desk.approvals.show(id).reason == laptop.approvals.show(id).reason == "It was used on two machines."
    assert [one.name for one in desk.doctor().findings if one.name.startswith("approval")] == ["approval-disputed"]


def test_a_use_by_a_machine_that_nobody_vouched_for_counts_too(machines: Machines) -> None:
    desk = person(machines.first())
    id = desk.ask("Pay the deposit?", action=ACTION).id
    desk.approvals.decide(id, approve=True, typed=True)
    desk.sync(str(machines.stick))
    laptop = person(machines.another("laptop", known=False))
    laptop.approvals.use(id, ACTION)
    laptop.sync()
    with pytest.raises(MayNotWriteError, match="requires a vouch"):
        desk.sync()

    assert desk.stores.unknown_writers()
    with pytest.raises(ApprovalRefusedError, match="used already"):
        desk.approvals.use(id, ACTION)
