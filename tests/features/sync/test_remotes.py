"""Several remotes, a remote that is away, hooks, and what `status` says of them."""

from __future__ import annotations

import os
import subprocess
from datetime import timedelta
from pathlib import Path

import pytest

from agentws.core.states import private, remote
from agentws.errors import (
    AgentwsError,
    AmbiguousError,
    DamagedError,
    MissingFileError,
    OutsideProgramError,
    RemoteAwayError,
    UsageError,
)
from agentws.features.sync.join import join
from agentws.workspace import Environment, Workspace
from tests.conftest import NOW
from tests.features.sync.conftest import Machines


def other_stick(machines: Machines) -> Path:
    place = machines.stick.with_name("other")
    place.mkdir()
    return place


def log_of(machines: Machines, name: str) -> str:
    return next(iter(machines.root(name).glob("memory/2026-*.md"))).read_text()


def test_through_two_remotes_everybody_hears_of_everything(machines: Machines) -> None:
    other = other_stick(machines)
    desk = machines.first()
    desk.log("The roof has 300 tiles")
    desk.sync(str(machines.stick))
    desk.sync(str(other))
    laptop = machines.another("laptop")
    machines.stick, first = other, machines.stick
    phone = machines.another("phone")
    laptop.log("Rang the office")
    phone.log("Bought bread")

    for _ in range(2):
        laptop.sync()
        phone.sync()
        desk.sync()
    laptop.sync()
    phone.sync()

    assert machines.files("desk") == machines.files("laptop") == machines.files("phone")
    assert log_of(machines, "phone").count("Rang the office") == 1
    assert [one.is_still for one in desk.sync()] == [True, True]
    assert first.exists()


def test_one_remote_that_is_away_does_not_keep_the_other_from_being_synced(machines: Machines) -> None:
    other = other_stick(machines)
    desk = machines.first()
    desk.sync(str(machines.stick))
    desk.sync(str(other))
    machines.stick.rename(machines.stick.with_name("gone"))
    desk.log("The survey came")

    first, second = desk.sync()

    assert first.failed
    assert second.outward.entries == 1
    assert any("is out of reach since" in check.says for check in desk.status().checks if check.name == "sync")


def test_what_is_not_out_of_reach_and_fails_is_a_problem_at_once(machines: Machines) -> None:
    desk = machines.first()
    desk.sync(str(machines.stick))
    (repository,) = machines.stick.glob("*.git")
    (repository / "commondir").write_text("/elsewhere\n")

    with pytest.raises(AgentwsError):
        desk.sync()

    assert [one.name for one in desk.status().findings] == ["sync-failing"]
    assert "since 2026-11-20 07:15 UTC: " in desk.status().findings[0].says
    assert "sync-failing" in {one.name for one in desk.doctor().findings}
    (repository / "commondir").unlink()
    desk.sync()
    assert desk.status().well


@pytest.mark.parametrize("url", ["{}/missing.git", "file://{}/missing.git", "{}/missing/robin.git", "{}/missing"])
@pytest.mark.parametrize("verb", ["sync", "join"])
def test_a_new_remote_that_does_not_exist_is_missing_and_not_away(
    machines: Machines, tmp_path: Path, url: str, verb: str
) -> None:
    desk, place = machines.first(), url.format(tmp_path)
    new = str(tmp_path / "new")

    with pytest.raises(MissingFileError, match=r"missing.*: not found") as raised:
        desk.sync(place) if verb == "sync" else join(place, new, machines.environment("laptop"))

    assert raised.value.exit_code == 1
    assert desk.sync.list() == []
    assert not (tmp_path / "new").exists()


def test_what_is_out_of_reach_is_a_problem_after_a_week(machines: Machines) -> None:
    desk = machines.first()
    desk.sync(str(machines.stick))
    machines.stick.rename(machines.stick.with_name("gone"))
    with pytest.raises(RemoteAwayError):
        desk.sync()

    def found(days: int) -> list[str]:
        environment = machines.environment("desk")
        environment.now = NOW + timedelta(days=days)
        return [one.name for one in Workspace.open(desk.root, environment=environment).status().findings]

    assert (found(6), found(8)) == ([], ["sync-away"])


def test_a_remote_that_is_detached_is_not_asked_any_more(machines: Machines) -> None:
    desk = machines.first()
    desk.sync(str(machines.stick))

    desk.sync.detach(str(machines.stick))

    with pytest.raises(MissingFileError, match="No remote"):
        desk.sync()
    with pytest.raises(MissingFileError, match="not a known remote"):
        desk.sync.detach("/nowhere")
    assert list(machines.stick.glob("*.git"))


def test_what_is_forgotten_goes_from_every_remote(machines: Machines) -> None:
    other = other_stick(machines)
    desk = machines.first()
    desk.log("The zanzibar code is blue")
    desk.sync(str(machines.stick))
    desk.sync(str(other))
    desk.memory.forget(matching=["zanzibar"], confirm=True)

    done = desk.sync()

    assert [one.renewed for one in done] == [True, True]
    assert [one.renewed for one in desk.sync()] == [False, False]
    assert "zanzibar" not in log_of(machines, "desk")


@pytest.mark.parametrize("change", ["edited", "removed", "forgotten"])
@pytest.mark.parametrize("renews", [True, False])
def test_what_went_is_not_brought_back_by_a_remote_that_is_renewed_later(
    machines: Machines, change: str, *, renews: bool
) -> None:
    """The state in which it stood goes from the private repository when the first remote is renewed."""
    other = other_stick(machines)
    desk = machines.first()
    for line in ("A zebra came", "An otter came"):
        desk.log(line)
    desk.sync(str(machines.stick))
    attic, porch = machines.another("attic"), machines.another("porch")
    attic.sync(str(other))
    porch.sync(str(other))
    desk = machines.opened("desk")
    desk.remember("The kettle whistles at noon")
    desk.log("The kettle whistles at noon")
    desk.sync()
    attic = machines.opened("attic")
    attic.memory.forget(matching=["zebra"], confirm=True)
    attic.sync()

    memory = machines.root("desk") / "MEMORY.md"
    went = memory.read_text()
    if change == "edited":
        memory.write_text(went.replace("at noon", "at dawn"))
    elif change == "removed":
        memory.write_text("".join(line for line in went.splitlines(keepends=True) if "kettle" not in line))
    else:  # what a machine has never had, it cannot know to be forgotten
        machines.opened("porch").sync(str(machines.stick))
        machines.opened("desk").memory.forget(matching=["kettle"], confirm=True)
    machines.opened("desk").sync()
    porch = machines.opened("porch")
    if renews:
        porch.memory.forget(matching=["otter"], confirm=True)
    porch.sync()
    for name in ("attic", "desk", "porch"):
        machines.opened(name).sync()

    for name in ("desk", "attic", "porch"):
        files = machines.files(name)
        assert b"The kettle whistles at noon" not in files["MEMORY.md"]
        assert files["MEMORY.md"].count(b"at dawn") == (change == "edited")
        assert log_of(machines, name).count("The kettle whistles") == (change != "forgotten")
    assert machines.files("desk") == machines.files("attic") == machines.files("porch")


def test_a_state_kept_for_a_remote_goes_when_that_is_renewed(machines: Machines) -> None:
    other = other_stick(machines)
    desk = machines.first()
    desk.sync(str(machines.stick))
    desk.sync(str(other))
    desk.log("A zebra came")
    desk.sync(str(machines.stick))
    desk.memory.forget(matching=["zebra"], confirm=True)

    desk.sync(str(machines.stick))
    desk.sync(str(other))

    assert not [*(machines.root("desk") / private.FOLDER / private.NAME / "refs/here/agreed").glob("*")][1:]
    assert b"zebra" not in objects_of(machines.root("desk") / private.FOLDER / private.NAME)
    assert all(b"zebra" not in objects_of(repository) for repository in other.glob("*.git"))


def objects_of(repository: Path) -> bytes:
    """Return the contents of all objects of a repository."""
    words = ["git", f"--git-dir={repository}", "cat-file", "--batch", "--batch-all-objects"]
    return subprocess.run(words, capture_output=True, check=True).stdout


def test_status_says_what_is_not_out_yet(machines: Machines) -> None:
    desk = machines.first()
    desk.sync(str(machines.stick))
    later = Environment(now=NOW.replace(hour=9), timezone="UTC", state=machines.environment("desk").state)
    desk = Workspace.open(str(machines.root("desk")), environment=later)
    desk.event("note", "rang the office")
    desk.log("The survey came")

    (check,) = [check for check in desk.status().checks if check.name == "sync"]

    assert "1 event and 1 change not out yet" in check.says
    assert "newest 2 h ago" in check.says


def said(desk: Workspace) -> str:
    return next(check.says for check in desk.status().checks if check.name == "sync")


def test_status_counts_what_was_edited_by_hand(machines: Machines) -> None:
    desk = machines.first()
    desk.remember("Anna drinks tea")
    desk.sync(str(machines.stick))
    assert "all is out" in said(desk)
    page = machines.root("desk") / "MEMORY.md"
    newest_ns = max(path.stat().st_mtime_ns for path in machines.root("desk").rglob("*") if path.is_file())
    page.write_text(f"{page.read_text()}- Cocoa is out\n")
    os.utime(page, ns=(newest_ns + 1, newest_ns + 1))
    assert "1 change not out yet" in said(desk)
    desk.sync()
    assert "all is out" in said(desk)
    laptop = machines.another("laptop")
    laptop.remember("The post comes at ten")
    laptop.sync()
    desk.sync()
    assert "all is out" in said(desk)
    assert "all is out" in said(laptop)


@pytest.mark.parametrize("days", [-1, 1])
def test_a_clock_that_was_wrong_by_a_day_changes_nothing_of_what_is_out(machines: Machines, days: int) -> None:
    desk = machines.first()
    state = machines.environment("desk").state
    wrong = Environment(now=NOW + timedelta(days=days), timezone="UTC", state=state)
    before = Workspace.open(str(machines.root("desk")), environment=wrong)
    desk.log("The survey came")
    before.log("Rang the office")
    before.sync(str(machines.stick))
    assert "all is out" in said(desk)
    desk.log("The post came")
    assert "1 change not out yet" in said(desk)


def test_hooks_sync_only_where_that_is_wished_for_and_never_fail(machines: Machines) -> None:
    desk = machines.first()
    desk.sync(str(machines.stick))
    laptop = machines.another("laptop")
    laptop.log("Rang the office")
    laptop.sync()

    desk.plumbing.sync_at_start()
    before = "Rang" in log_of(machines, "desk") if list(machines.root("desk").glob("memory/2026-*.md")) else False
    desk.config.set("sync.hooks", "true")
    later = Environment(now=NOW.replace(hour=9), timezone="UTC", state=machines.environment("desk").state)
    desk = Workspace.open(str(machines.root("desk")), environment=later)
    desk.plumbing.sync_at_start()

    assert not before
    assert "Rang the office" in log_of(machines, "desk")
    machines.stick.rename(machines.stick.with_name("gone"))
    desk.plumbing.sync_aside()
    assert desk.sync.list()[0].failed


def test_a_folder_within_the_workspace_is_no_remote(machines: Machines) -> None:
    desk = machines.first()
    (machines.root("desk") / "stick").mkdir()

    with pytest.raises(UsageError, match="inside the workspace"):
        desk.sync(str(machines.root("desk") / "stick"))


def test_in_a_known_folder_without_the_repository_only_its_name_makes_one(machines: Machines) -> None:
    desk = machines.first()
    desk.sync(str(machines.stick))
    (made,) = machines.stick.glob("*.git")
    assert made.name == f"robin-{desk.stores.manifest.agent_id[:8]}.git"
    made.rename(machines.stick.with_name("away"))

    with pytest.raises(OutsideProgramError, match="not in this folder"):
        desk.sync()
    assert not list(machines.stick.iterdir())
    desk.sync(str(machines.stick))
    assert list(machines.stick.glob("*.git"))


def test_what_a_later_remote_brings_reaches_the_earlier_one_in_the_same_run(machines: Machines) -> None:
    other = other_stick(machines)
    desk = machines.first()
    desk.sync(str(machines.stick))
    desk.sync(str(other))
    machines.stick, first = other, machines.stick
    phone = machines.another("phone")
    phone.log("Bought bread")
    phone.sync()

    done = desk.sync()

    assert [one.outward.entries for one in done] == [1, 0]
    machines.stick = first
    machines.another("laptop")
    assert "Bought bread" in log_of(machines, "laptop")


def test_of_two_agents_in_one_place_both_are_told_by_name(machines: Machines) -> None:
    robin = machines.first()
    wren = Workspace.init(str(machines.root("wren")), environment=machines.environment("wren"), name="Wren")
    for each in (robin, wren):
        each.sync(str(machines.stick))

    with pytest.raises(AmbiguousError) as raised:
        machines.another("laptop")
    ids = {each.stores.manifest.agent_id for each in (robin, wren)}
    join(
        f"{machines.stick}#{wren.stores.manifest.agent_id}",
        str(machines.root("laptop")),
        machines.environment("laptop"),
    )

    assert all(
        f"{name} ({each.stores.manifest.agent_id})" in raised.value.message
        for name, each in (("Robin", robin), ("Wren", wren))
    )
    assert any(f"#{each}" in str(raised.value.hint) for each in ids)
    assert machines.opened("laptop").stores.manifest.agent_id == wren.stores.manifest.agent_id


def test_two_machines_that_begin_a_folder_at_once_both_sync(
    machines: Machines, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk = machines.first()
    desk.log("The post came")
    desk.sync(str(machines.stick))
    attic = machines.another("attic")
    disk = tmp_path / "disk"
    disk.mkdir()
    real, is_first = private.sync_all, [True]

    def sync_all(folder: str) -> None:
        if is_first.pop() if is_first else False:
            attic.sync(str(disk))  # while the desk is about to put its own there
        real(folder)

    monkeypatch.setattr(private, "sync_all", sync_all)
    desk.sync(str(disk))

    assert [path.name.endswith(".git") for path in disk.iterdir()] == [True]
    assert not desk.sync()[0].outward.paths


def test_what_a_killed_first_sync_of_another_remote_fetched_goes_with_the_next_one(machines: Machines) -> None:
    other = other_stick(machines)
    desk = machines.first()
    desk.log("A zebra came")
    desk.sync(str(machines.stick))
    laptop = machines.another("laptop")
    laptop.sync(str(other))
    desk = machines.opened("desk")
    desk.memory.forget(matching=["zebra"], confirm=True)
    desk.sync()
    repo = machines.root("desk") / private.FOLDER / private.NAME
    (at,) = other.glob("*.git")
    words = ["git", f"--git-dir={repo}", "fetch", "-q", str(at), "+refs/agentws/*:refs/there/0123456789abcdef/*"]
    subprocess.run(words, check=True)
    assert b"zebra" in objects_of(repo)

    desk.sync()

    assert b"zebra" not in objects_of(repo)
    assert desk.sync()[0].is_still


@pytest.mark.parametrize("is_damaged", [False, True])
def test_a_fetch_that_another_machine_disturbs_by_a_renewal_is_made_again(
    machines: Machines, monkeypatch: pytest.MonkeyPatch, *, is_damaged: bool
) -> None:
    desk = machines.first()
    desk.log("The zebra came")
    desk.sync(str(machines.stick))
    laptop = machines.another("laptop")
    desk.sync()
    laptop.log("Rang the office")
    fetch, calls = remote.fetch, list[str]()

    def disturbed(ask: remote.Ask, specs: list[str], *options: str) -> None:
        calls.append("fetch")
        if len(calls) == 1:
            desk.memory.forget(matching=["zebra"], confirm=True)
            with monkeypatch.context() as undisturbed:
                undisturbed.setattr(remote, "fetch", fetch)
                desk.sync()
        if len(calls) == 1 or is_damaged:  # as git says if what it was about to send is gone
            raise DamagedError("git fetch failed: fatal: bad object")
        fetch(ask, specs, *options)

    monkeypatch.setattr(remote, "fetch", disturbed)
    if is_damaged:
        with pytest.raises(DamagedError):
            laptop.sync()
        assert len(calls) == 2
    else:
        laptop.sync()
        desk.sync()
        assert "zebra" not in log_of(machines, "laptop")
        assert machines.files("desk") == machines.files("laptop")
