"""A place that the agent is about to leave: whoever lets it write there again has given the move up."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from agentws.core.formats import layout
from agentws.errors import DiskError, MayNotWriteError, NeedsYouError
from agentws.features.copies.transfer import transport
from agentws.workspace import Workspace
from tests.identity.machines import Machine, warned


@pytest.fixture
def lived(desk: Machine, tmp_path: Path) -> Path:
    made = desk.makes(tmp_path / "robin")
    made.event("note", "from the desk")
    return Path(made.root)


def sent(desk: Machine, lived: Path, shared: Path) -> Workspace:
    """The workspace, once its copy waits in the repository `shared`."""
    subprocess.run(["git", "init", "-q", "--bare", str(shared)], check=True)
    assert desk.opens(lived).copies.migrate(str(shared), via="git").state == "waiting"
    return desk.opens(lived)


@pytest.mark.skipif(shutil.which("git") is None, reason="git is not here")
def test_what_waits_to_be_taken_is_not_revived_but_given_up(desk: Machine, lived: Path, tmp_path: Path) -> None:
    here = sent(desk, lived, tmp_path / "shared.git")
    assert "waits there" in warned_of(here)

    with pytest.raises(MayNotWriteError, match="waits there") as raised:
        here.identity.revive()

    assert "migrate --abort" in str(raised.value.hint)
    assert (lived / layout.MOVED).exists()
    desk.opens(lived).copies.abort_migration()
    assert desk.opens(lived).log("goes on").line


@pytest.mark.skipif(shutil.which("git") is None, reason="git is not here")
def test_a_takeover_of_what_waits_says_that_there_may_be_two(desk: Machine, lived: Path, tmp_path: Path) -> None:
    here = sent(desk, lived, tmp_path / "shared.git")

    done = here.identity.take_over()

    assert any("migrate --abort" in notice for notice in done.notices)
    assert desk.opens(lived).log("goes on").line
    desk.opens(lived).copies.abort_migration()
    assert desk.opens(lived).status().well


def test_what_is_on_its_way_is_not_revived(
    desk: Machine, lived: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object) -> None:
        raise DiskError("broken")

    with monkeypatch.context() as at_last:
        at_last.setattr(transport.Local, "activate", broken)
        with pytest.raises(DiskError):
            desk.opens(lived).copies.migrate(str(tmp_path / "new"))

    with pytest.raises(MayNotWriteError, match="is moving to") as raised:
        desk.opens(lived).identity.revive()
    assert "migrate --abort" in str(raised.value.hint)
    assert "is moving to" in warned_of(desk.opens(lived))

    assert desk.opens(lived).copies.migrate(str(tmp_path / "new")).state == "moved"


def test_what_arrived_and_was_renamed_there_is_looked_for_by_a_person(
    desk: Machine, lived: Path, tmp_path: Path
) -> None:
    desk.opens(lived).copies.migrate(str(tmp_path / "new"))
    (tmp_path / "new").rename(tmp_path / "other")

    with pytest.raises(NeedsYouError, match="is missing there") as raised:
        desk.opens(lived).copies.migrate(str(tmp_path / "new"))

    assert "identity revive" in str(raised.value.hint)
    assert desk.opens(lived).identity.revive().changed
    assert warned(desk.opens(lived)) == []


def warned_of(workspace: Workspace) -> str:
    return " ".join(workspace.boot().notices)
