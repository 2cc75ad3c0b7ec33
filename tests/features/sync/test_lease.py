"""The lease: what is shown is what is enforced, also with several remotes, and no folder that is removed frees it."""

from __future__ import annotations

import shutil

import pytest

from agentws.errors import MayNotWriteError, MissingFileError, NeedsYouError, OutsideProgramError
from agentws.features.sync.known import known
from agentws.workspace import Workspace
from tests.features.sync.conftest import Machines


def two(machines: Machines) -> tuple[Workspace, Workspace]:
    """Two machines that meet at the stick, of which the first one holds the lease there."""
    desk = machines.first(git=False)
    desk.config.set("sync.lease", "require")
    desk.sync(str(machines.stick))
    desk.sync.lease("take")
    desk.sync()
    return desk, machines.another("attic")


def test_who_sets_it_without_holding_it_is_told_to_take_it(machines: Machines) -> None:
    desk = machines.first(git=False)
    desk.sync(str(machines.stick))
    done = desk.config.set("sync.lease", "require")
    assert done.notices == ["This machine does not hold the lease. To write here: agentws sync lease take"]
    with pytest.raises(MayNotWriteError):
        desk.log("Not yet")
    desk.sync.lease("take")
    desk.log("Now")


def test_a_folder_that_is_removed_frees_nothing(machines: Machines) -> None:
    desk, attic = two(machines)
    shutil.rmtree(machines.root("attic") / ".agentws" / "sync")
    with pytest.raises(MayNotWriteError, match="lease"):
        attic.log("Is it mine?")
    shutil.rmtree(machines.root("desk") / ".agentws" / "sync")
    desk.log("It is mine")
    assert attic.sync()[0].outward.paths == ()


def test_with_two_remotes_one_is_held_and_the_other_frees_nobody(machines: Machines) -> None:
    desk, attic = two(machines)
    other = machines.stick.parent / "other"
    other.mkdir()
    desk.sync(str(other))  # nobody holds the lease there
    desk.log("Still mine")
    assert desk.sync.lease("show").is_ours
    attic.sync(str(other))
    with pytest.raises(MayNotWriteError):
        attic.log("Not mine")
    shown = attic.sync.lease("show")
    assert (shown.is_ours, shown.remote) == (False, str(machines.stick))
    with pytest.raises(NeedsYouError):
        attic.sync.lease("take")
    with pytest.raises(MayNotWriteError):
        attic.log("Still not")


def test_taken_and_released_at_every_remote(machines: Machines) -> None:
    desk, attic = two(machines)
    other = machines.stick.parent / "other"
    other.mkdir()
    desk.sync(str(other))
    desk.sync.lease("take")
    attic.sync(str(other))
    attic.sync.detach(str(machines.stick))
    assert attic.sync.lease("show").remote == str(other)
    assert not attic.sync.lease("show").is_ours
    desk.sync.lease("release")
    attic.sync.lease("take")
    attic.log("Mine now")
    with pytest.raises(NeedsYouError):
        desk.sync.lease("take")


def test_a_remote_that_is_away_is_shown_as_it_was_and_takes_none(machines: Machines) -> None:
    desk, _ = two(machines)
    other = machines.stick.parent / "other"
    other.mkdir()
    desk.sync(str(other))
    other.rename(other.parent / "away")
    shown = desk.sync.lease("show")
    assert shown.is_ours
    assert any("was not asked" in notice for notice in shown.notices)
    with pytest.raises(OutsideProgramError) as found:
        desk.sync.lease("take")
    assert "--remote" in (found.value.hint or "")
    assert desk.sync.lease("release", str(machines.stick)).holder == ""


def test_a_holder_that_is_gone_is_replaced(machines: Machines) -> None:
    _, attic = two(machines)
    assert attic.sync.lease("take", from_holder=True).is_ours
    attic.log("Mine now")


def test_a_remote_that_is_not_known_has_no_lease_and_cannot_be_detached(machines: Machines) -> None:
    desk, _ = two(machines)
    for call in (lambda: desk.sync.lease("take", "/nowhere"), lambda: desk.sync.detach("/nowhere")):
        with pytest.raises(MissingFileError) as found:
            call()
        assert str(machines.stick) in (found.value.hint or "")


def test_detached_from_the_last_remote_it_says_that_the_lease_is_over(machines: Machines) -> None:
    _, attic = two(machines)
    attic.sync.detach(str(machines.stick))
    assert attic.notices == ["The lease of that remote no longer counts on this machine."]
    attic.log("Alone now")


@pytest.mark.parametrize("remotes", [1, 2])
def test_a_forget_lets_the_holder_hold_it(machines: Machines, remotes: int) -> None:
    desk = machines.first(git=False)
    desk.log("Jonas Field came")
    desk.sync(str(machines.stick))
    attic = machines.another("attic")
    if remotes == 2:
        other = machines.stick.parent / "other"
        other.mkdir()
        desk.sync(str(other))
        attic.sync(str(other))
    attic.config.set("sync.lease", "require")
    attic.sync.lease("take")
    attic.memory.forget(matching=["Jonas Field"])
    attic.sync()
    attic.log("The holder writes")
    attic.sync.lease("release")
    desk.sync()
    desk.sync.lease("take")
    for number in range(4):
        desk.sync()
        desk.log(f"Line {number}")
    assert not any(one.renew for one in known(desk.stores))
