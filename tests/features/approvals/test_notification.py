"""The user's program hears of a request, and its failure costs nothing."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from agentws.features.approvals import ask
from agentws.workspace import Environment, Workspace
from tests.conftest import NOW
from tests.features.approvals.people import ACTION


def here(workspace: Workspace, command: str) -> Workspace:
    config = Path(workspace.root).parent / "config.toml"
    config.write_text(f"[ask]\nnotify = {json.dumps(command)}\n")
    return Workspace.open(workspace.root, environment=Environment(now=NOW, timezone="UTC", config=str(config)))


def test_the_program_gets_the_request_as_json(workspace: Workspace, tmp_path: Path) -> None:
    heard = tmp_path / "heard"

    asked = here(workspace, f"tee {heard}").ask("Pay the deposit?", action=ACTION, risk="high", expires="2d")

    told = json.loads(heard.read_text())
    assert asked.notices == []
    assert (told["id"], told["question"], told["action"], told["risk"]) == (
        asked.id,
        "Pay the deposit?",
        ACTION,
        "high",
    )


@pytest.mark.parametrize(
    ("command", "why"),
    [("no-such-program", "not found"), ("false", "exited with code 1"), ("sleep 60", "within"), ("yes", "exceeds")],
)
def test_its_failure_is_a_notice(workspace: Workspace, command: str, why: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ask, "_TIMEOUT_S", 0.3)

    asked = here(workspace, command).ask("Pay the deposit?", action=ACTION)

    (notice,) = asked.notices
    assert "nobody was notified" in notice
    assert why in notice
    assert here(workspace, "true").approvals.show(asked.id).status == "pending"


def test_a_program_that_says_nothing_is_no_failure(workspace: Workspace) -> None:
    assert here(workspace, "true").ask("Pay the deposit?").notices == []


def test_settings_that_cannot_be_read_are_a_notice(workspace: Workspace) -> None:
    broken = here(workspace, "true")
    Path(str(broken.stores.environment.config)).write_text("[ask\n")

    assert len(broken.ask("Pay the deposit?").notices) == 1
