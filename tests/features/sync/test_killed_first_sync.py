"""A first sync that ends too early: the remote is known where it may hold our files, so a later forget reaches it."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from agentws.core.states import remote
from agentws.errors import AgentwsError, MissingFileError, OutsideProgramError
from agentws.features.sync.exchange import Exchange
from agentws.features.sync.store import folder
from tests.features.sync.conftest import Machines
from tests.features.sync.trust.test_forgotten import holds, interrupted, text, two

ENDS = {
    "before its repository is made": (folder, "make"),
    "before anything is sent": (remote, "push"),
    "after the objects are sent": (folder, "settle"),
    "after the state is there": (Exchange, "_remember"),
}


@pytest.fixture
def disk(tmp_path: Path) -> Path:
    place = tmp_path / "disk"
    place.mkdir()
    return place


@pytest.mark.parametrize("end", ENDS)
@pytest.mark.parametrize("forgets", ["here", "elsewhere"])
def test_what_is_forgotten_after_a_killed_first_sync_goes_from_that_remote(
    machines: Machines, disk: Path, monkeypatch: pytest.MonkeyPatch, end: str, forgets: str
) -> None:
    desk, attic = two(machines)
    with monkeypatch.context() as patch:
        patch.setattr(*ENDS[end], interrupted)
        with pytest.raises(KeyboardInterrupt):
            desk.sync(str(disk))

    (desk if forgets == "here" else attic).memory.forget(matching=["zebra"], confirm=True)
    attic.sync()
    desk = machines.opened("desk")
    done = desk.sync()

    assert [one.failed for one in done] == ["", ""]
    assert b"zebra" not in text(machines, "desk")
    assert not holds(disk, b"zebra")
    assert not holds(machines.stick, b"zebra")


def test_a_first_sync_that_was_killed_is_listed_and_can_be_detached(
    machines: Machines, disk: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk = machines.first(git=False)
    with monkeypatch.context() as patch:
        patch.setattr(Exchange, "_remember", interrupted)
        with pytest.raises(KeyboardInterrupt):
            desk.sync(str(disk))

    (known,) = desk.sync.list()

    assert (known.url, known.at) == (str(disk), "")
    desk.sync.detach(str(disk))
    with pytest.raises(MissingFileError, match="No remote"):
        desk.sync()


def test_a_remote_that_refuses_the_first_push_is_not_known(machines: Machines, tmp_path: Path) -> None:
    desk = machines.first(git=False)
    bare = tmp_path / "bare.git"
    subprocess.run(["git", "init", "-q", "--bare", str(bare)], check=True)
    subprocess.run(["git", f"--git-dir={bare}", "config", "receive.hideRefs", "refs/agentws"], check=True)

    with pytest.raises(OutsideProgramError):
        desk.sync(str(bare))

    assert desk.sync.list() == []


def test_a_remote_whose_answer_to_the_first_push_is_lost_is_known(
    machines: Machines, disk: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk = machines.first(git=False)
    with monkeypatch.context() as patch:
        patch.setattr(remote, "push", _lost)
        patch.setattr(remote, "refs", _lost)
        with pytest.raises(AgentwsError):
            desk.sync(str(disk))

    assert [one.url for one in desk.sync.list()] == [str(disk)]
    desk.sync()
    assert desk.sync.list()[0].failed == ""


def _lost(*_: object, **__: object) -> None:
    raise OutsideProgramError("connection reset")
