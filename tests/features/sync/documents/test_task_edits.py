"""What the journal says of tasks that are synced: each change once, and no edit by hand that nobody made."""

from __future__ import annotations

from pathlib import Path

import pytest

from agentws.workspace import Workspace
from tests.features.sync.conftest import Machines

SLUG = "pay-the-rent"


@pytest.fixture
def desk(machines: Machines) -> Workspace:
    made = machines.first()
    made.tasks.add("Pay the rent")
    made.sync(str(machines.stick))
    machines.another("lap")
    made.sync()
    return made


def edited(machines: Machines, name: str) -> list[str]:
    """The task events of a kind that tell of an edit by hand, by all writers, as a machine knows them."""
    text = "".join(path.read_text() for path in sorted(machines.root(name).glob("journal/*/*.jsonl")))
    return [line for line in text.splitlines() if '"task.edited"' in line and '"noticed":true' in line]


def everywhere(machines: Machines) -> None:
    for name in ("desk", "lap", "desk"):
        machines.opened(name).sync()


def test_a_task_that_both_changed_was_edited_by_nobody(machines: Machines, desk: Workspace) -> None:
    desk.tasks.start(SLUG)
    machines.opened("lap").tasks.edit(SLUG, priority="high")
    everywhere(machines)
    machines.another("pi")

    for name in ("pi", "lap", "desk"):
        assert machines.opened(name).tasks.step(SLUG, f"Ask {name}").noticed == []

    everywhere(machines)
    assert edited(machines, "desk") == []


def test_an_edit_by_hand_is_recorded_once_by_the_machine_where_it_was_made(machines: Machines, desk: Workspace) -> None:
    at = Path(desk.root, "tasks", f"{SLUG}.md")
    at.write_text(at.read_text().replace("status: open", "status: paused"))
    everywhere(machines)

    assert machines.opened("lap").tasks.edit(SLUG, priority="high").noticed == []
    assert machines.opened("desk").tasks.edit(SLUG, due="2027-01-01").noticed == [SLUG]
    everywhere(machines)
    for name in ("desk", "lap"):
        assert machines.opened(name).tasks.step(SLUG, f"Ask {name}").noticed == []
        everywhere(machines)

    assert len(edited(machines, "desk")) == len(edited(machines, "lap")) == 1


def test_an_edit_by_hand_after_a_sync_is_noticed_as_ever(machines: Machines, desk: Workspace) -> None:
    desk.tasks.start(SLUG)
    machines.opened("lap").tasks.edit(SLUG, priority="high")
    everywhere(machines)
    at = machines.root("lap") / "tasks" / f"{SLUG}.md"
    at.write_text(at.read_text().replace("status: active", "status: paused"))

    assert machines.opened("lap").tasks.step(SLUG, "Ask Ben").noticed == [SLUG]
