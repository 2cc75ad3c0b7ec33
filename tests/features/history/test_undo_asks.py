"""undo at a terminal: it asks before it takes back what another session did, and takes back nothing else."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from agentws.cli import main
from agentws.core.terminal import dialog
from agentws.errors import ChangedUnderneathError
from agentws.workspace import Workspace
from tests.features.history.test_undo import files, reopened

OTHERS = "Ada likes green ink"


@pytest.fixture
def desk(workspace: Workspace, monkeypatch: pytest.MonkeyPatch) -> Workspace:
    """A workspace with a change of session `s1`, which runs; the caller is another one, at a terminal."""
    workspace.session.start("Letters", session="s1", process=os.getpid())
    workspace.stores.environment.session = "s1"
    reopened(workspace).remember(OTHERS)
    monkeypatch.setenv("AGENTWS_SESSION", "another")
    monkeypatch.setattr(dialog, "is_terminal", lambda *_, **__: True)
    return workspace


def said(workspace: Workspace) -> str:
    return Path(workspace.root, "MEMORY.md").read_text()


@pytest.mark.parametrize("answer", [True, False])
def test_what_the_person_says_is_done(desk: Workspace, monkeypatch: pytest.MonkeyPatch, answer: bool) -> None:
    asked: list[str] = []
    monkeypatch.setattr(dialog, "confirm", lambda text, **_: asked.append(text) or answer)

    assert main.run(["undo", "-C", desk.root]) == 0

    assert len(asked) == 1
    assert "session s1" in asked[0]
    assert (OTHERS in said(desk)) != answer


def test_a_change_made_while_the_person_thinks_is_not_taken_back_in_its_place(
    desk: Workspace, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def works_on(*_: object, **__: object) -> bool:
        reopened(desk).contexts.new("garden")
        return True

    monkeypatch.setattr(dialog, "confirm", works_on)

    assert main.run(["undo", "-C", desk.root]) == ChangedUnderneathError.exit_code

    assert "contexts/garden.md" in files(desk)
    assert OTHERS in said(desk)
    assert "Another command has just changed the workspace" in capsys.readouterr().err


@pytest.mark.parametrize("answer", [True, False])
def test_before_init_is_taken_back_a_person_is_asked(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch, answer: bool
) -> None:
    monkeypatch.setattr(dialog, "is_terminal", lambda *_, **__: True)
    asked: list[str] = []
    monkeypatch.setattr(dialog, "confirm", lambda text, **_: asked.append(text) or answer)

    assert main.run(["undo", "-C", workspace.root]) == 0

    assert "`agentws init` creates it again" in asked[0]
    assert Path(workspace.root, "SOUL.md").exists() is not answer
