"""sync: two machines and a stick hold the same agent in the end."""

from __future__ import annotations

import pytest

from agentws.errors import MissingFileError, OutsideProgramError
from tests.operations.sync.conftest import Machines


def test_what_is_written_on_either_machine_is_on_both(machines: Machines) -> None:
    desk = machines.first()
    desk.log("The roof has 300 tiles")
    desk.sync(str(machines.stick))
    laptop = machines.another("laptop")
    laptop.log("Rang the office")
    desk.log("The survey came")
    laptop.sync()

    (done,) = desk.sync()
    laptop.sync()

    log = next(iter(machines.root("desk").glob("memory/2026-*.md"))).read_text()
    assert [words in log for words in ("300 tiles", "Rang the office", "survey came")] == [True] * 3
    assert done.inward.entries == 1
    assert machines.files("desk") == machines.files("laptop")


def test_a_second_sync_changes_nothing(machines: Machines) -> None:
    desk = machines.first()
    desk.log("The roof has 300 tiles")
    (first,) = desk.sync(str(machines.stick))
    before = machines.files("desk")

    (second,) = desk.sync()

    assert second.is_still
    assert second.commit == first.commit
    assert machines.files("desk") == before


def test_events_come_in_with_their_machine(machines: Machines) -> None:
    desk = machines.first()
    desk.sync(str(machines.stick))
    laptop = machines.another("laptop")
    for number in range(5):
        laptop.event("note", f"call {number}")
    laptop.sync()

    (done,) = desk.sync()

    assert done.inward.events >= 5
    assert machines.files("desk") == machines.files("laptop")
    assert any(b"call 4" in data for path, data in machines.files("desk").items() if path.startswith("journal/"))


def test_a_dry_run_changes_nothing_on_either_side(machines: Machines) -> None:
    desk = machines.first()
    desk.sync(str(machines.stick))
    laptop = machines.another("laptop")
    laptop.log("Rang the office")
    laptop.sync()
    desk.log("The survey came")
    before = machines.files("desk")

    (done,) = desk.sync(dry_run=True)

    assert (done.inward.entries, done.outward.entries) == (1, 1)
    assert machines.files("desk") == before
    assert laptop.sync()[0].is_still


def test_undo_passes_over_a_sync(machines: Machines) -> None:
    desk = machines.first()
    desk.sync(str(machines.stick))
    laptop = machines.another("laptop")
    laptop.log("Rang the office")
    laptop.sync()
    desk.log("The survey came")
    desk.sync()

    assert desk.undo().verb == "log"
    assert "Rang the office" in next(iter(machines.root("desk").glob("memory/2026-*.md"))).read_text()


def test_a_remote_that_is_away_is_an_error_and_is_remembered(machines: Machines) -> None:
    desk = machines.first()
    desk.sync(str(machines.stick))
    machines.stick.rename(machines.stick.with_name("gone"))

    with pytest.raises((MissingFileError, OutsideProgramError)):
        desk.sync()

    assert desk.known_remotes()[0].failed


def test_without_a_remote_it_says_how_to_name_one(machines: Machines) -> None:
    with pytest.raises(MissingFileError, match="No remote"):
        machines.first().sync()
