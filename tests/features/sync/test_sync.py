"""sync: two machines and a stick hold the same agent in the end."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from agentws.errors import MayNotWriteError, MissingFileError, NeedsYouError, OutsideProgramError
from tests.features.sync.conftest import Machines


def test_what_is_written_on_either_machine_is_on_both(machines: Machines) -> None:
    desk = machines.first(git=False)
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
    desk = machines.first(git=False)
    desk.log("The roof has 300 tiles")
    (first,) = desk.sync(str(machines.stick))
    before = machines.files("desk")

    (second,) = desk.sync()

    assert second.is_still
    assert second.commit == first.commit
    assert machines.files("desk") == before


def test_events_come_in_with_their_machine(machines: Machines) -> None:
    desk = machines.first(git=False)
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
    desk = machines.first(git=False)
    desk.sync(str(machines.stick))
    laptop = machines.another("laptop")
    laptop.log("Rang the office")
    laptop.sync()
    desk.log("The survey came")
    before = machines.files("desk")

    (done,) = desk.sync(dry_run=True)

    assert (done.inward.entries, done.outward.entries) == (1, 1)
    rows = machines.files("laptop")["identity/writers.jsonl"].decode().splitlines()
    hosts = {json.loads(row)["writer"]: json.loads(row).get("host") for row in rows}
    assert done.inward.hosts
    assert set(done.inward.hosts) <= set(hosts.values())
    assert machines.files("desk") == before
    assert laptop.sync()[0].is_still


def test_undo_passes_over_a_sync(machines: Machines) -> None:
    desk = machines.first(git=False)
    desk.sync(str(machines.stick))
    laptop = machines.another("laptop")
    laptop.log("Rang the office")
    laptop.sync()
    desk.log("The survey came")
    desk.sync()

    assert desk.undo().verb == "log"
    assert "Rang the office" in next(iter(machines.root("desk").glob("memory/2026-*.md"))).read_text()


def test_a_remote_that_is_away_is_an_error_and_is_remembered(machines: Machines) -> None:
    desk = machines.first(git=False)
    desk.sync(str(machines.stick))
    machines.stick.rename(machines.stick.with_name("gone"))

    with pytest.raises((MissingFileError, OutsideProgramError)):
        desk.sync()

    assert desk.sync.list()[0].failed


def test_without_a_remote_it_says_how_to_name_one(machines: Machines) -> None:
    with pytest.raises(MissingFileError, match="No remote"):
        machines.first(git=False).sync()


def test_what_is_forgotten_goes_from_the_remote_and_the_other_machine(machines: Machines) -> None:
    desk = machines.first(git=False)
    desk.log("The zanzibar code is blue")
    desk.event("note", "zanzibar again")
    desk.log("Bought tiles")
    desk.sync(str(machines.stick))
    laptop = machines.another("laptop")
    laptop.log("Rang the office")
    laptop.sync()
    desk.memory.forget(matching=["zanzibar"], confirm=True)

    (done,) = desk.sync()
    laptop.log("Came home")
    laptop.sync()
    desk.sync()

    assert done.renewed
    assert machines.files("desk") == machines.files("laptop")
    for name in ("desk", "laptop"):
        held = [path for path in machines.root(name).rglob("*") if path.is_file() and b"zanzibar" in path.read_bytes()]
        assert [path for path in held if ".git" not in path.parts] == []
        assert b"zanzibar" not in objects(machines.root(name) / ".agentws" / "sync" / "repo.git")
    assert b"zanzibar" not in objects(next(machines.stick.glob("*.git")))
    assert "Rang the office" in next(iter(machines.root("desk").glob("memory/2026-*.md"))).read_text()


def objects(git_dir: Path) -> bytes:
    """The contents of all objects of a repository, whether a ref names them or not."""
    words = ("git", "--git-dir", str(git_dir), "cat-file", "--batch-all-objects", "--batch")
    return subprocess.run(words, capture_output=True, check=True).stdout


def test_under_a_required_lease_one_machine_writes_at_a_time(machines: Machines) -> None:
    desk = machines.first(git=False)
    desk.config.set("sync.lease", "require")
    desk.log("Before any sync")
    desk.sync(str(machines.stick))
    desk.sync.lease("take")
    laptop = machines.another("laptop")

    with pytest.raises(MayNotWriteError, match="lease"):
        laptop.log("Not yet")
    with pytest.raises(NeedsYouError):
        laptop.sync.lease("take")
    desk.sync.lease("release")
    laptop.sync.lease("take")
    laptop.log("Now")
    laptop.sync()
    machines.introduce(str(laptop.identity.show().writer), "laptop", to="desk")
    desk.sync()

    with pytest.raises(MayNotWriteError, match="lease"):
        desk.log("Not any more")
    assert machines.files("desk") == machines.files("laptop")
