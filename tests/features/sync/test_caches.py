"""What this machine remembers of its files is right after files came in: boot, search, sessions, the next event."""

from __future__ import annotations

import pytest

from agentws.workspace import Environment, Workspace
from tests.features.sync.conftest import Machines


def with_cache(machines: Machines, name: str) -> Workspace:
    known = machines.environment(name)
    cache = str(machines.root(name).with_name(f"cache-{name}"))
    return Workspace.open(
        str(machines.root(name)), environment=Environment(now=known.now, timezone="UTC", state=known.state, cache=cache)
    )


def test_boot_and_search_tell_what_came_in(machines: Machines) -> None:
    machines.first(git=False).sync(str(machines.stick))
    desk = with_cache(machines, "desk")
    laptop = machines.another("laptop")
    desk.log("The roof has 300 tiles")
    before, found = desk.boot().text, desk.search("chimney").hits
    again = desk.boot().text
    laptop.log("The chimney sweep comes on Monday", kind="fact")
    laptop.sync()

    desk.sync()

    assert before == again
    assert "chimney" not in before
    assert not found
    assert "The chimney sweep comes on Monday" in desk.boot().text
    assert desk.search("chimney").hits
    assert "The chimney sweep comes on Monday" in with_cache(machines, "desk").boot().text


def test_the_journal_goes_on_where_it_was_on_both_machines(machines: Machines) -> None:
    desk = machines.first(git=False)
    desk.event("note", "one")
    desk.sync(str(machines.stick))
    laptop = machines.another("laptop")
    for number in range(3):
        laptop.event("note", f"there {number}")
        desk.event("note", f"here {number}")
        laptop.sync()
        desk.sync()
    laptop.sync()

    assert desk.journal.verify().findings == []
    assert laptop.journal.verify().findings == []
    assert machines.files("desk") == machines.files("laptop")


def test_an_older_copy_is_still_told_after_a_sync(machines: Machines) -> None:
    desk = machines.first(git=False)
    desk.sync(str(machines.stick))
    laptop = machines.another("laptop")
    laptop.log("Rang the office")
    laptop.sync()
    desk.sync()

    assert not any("older" in notice for notice in desk.boot().notices)
    assert desk.stores.missing_change() is None
    day = next(iter(machines.root("desk").glob("memory/2026-*.md")))
    day.write_text("")
    assert desk.stores.missing_change() is None, "an edit is no older copy"


def test_a_task_that_another_machine_moved_can_be_moved_on_here(machines: Machines) -> None:
    desk = machines.first(git=False)
    desk.tasks.add("Paint the fence", steps=["sand", "paint"])
    desk.sync(str(machines.stick))
    laptop = machines.another("laptop")
    laptop.tasks.start("paint-the-fence")
    laptop.sync()

    desk.sync()
    desk.tasks.step("paint-the-fence", done=(1,))
    desk.sync()
    laptop.sync()
    laptop.tasks.done("paint-the-fence")

    assert "done" in next(iter(machines.root("laptop").glob("tasks/*.md"))).read_text()


@pytest.mark.parametrize("left", [b"", b"\0" * 41], ids=["empty", "zeroed"])
def test_a_ref_that_a_power_cut_left_without_its_content_keeps_no_sync(machines: Machines, left: bytes) -> None:
    desk = machines.first(git=False)
    desk.sync(str(machines.stick))
    laptop = machines.another("laptop")
    laptop.log("Rang the office")
    laptop.sync()
    (ref,) = machines.root("desk").glob(".agentws/sync/*/refs/here/newest")
    ref.write_bytes(left)
    desk.log("Back at noon")

    (done,) = desk.sync()

    assert not done.failed
    assert "Rang the office" in machines.root("desk").joinpath("memory/2026-11-20.md").read_text()
