"""Of AGENTWS_NOW, which an agent can set, and the system's clock, the later one decides when a request expires."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta

import pytest

from agentws.core.disk.clock import SystemClock
from agentws.errors import ApprovalRefusedError
from agentws.workspace import Environment, Workspace
from tests.conftest import NOW
from tests.features.approvals.people import ACTION, at, kinds


@pytest.fixture
def set_back(workspace: Workspace, monkeypatch: pytest.MonkeyPatch) -> Callable[[], Workspace]:
    """Open the workspace three hours later, with AGENTWS_NOW set to the moment at which it was asked."""

    def system(_: SystemClock) -> datetime:
        return NOW + timedelta(hours=3)

    def opened() -> Workspace:
        monkeypatch.setattr(SystemClock, "now", system)
        config = at(workspace).stores.environment.config
        here = Environment(now=NOW, by_variable=True, timezone="UTC", config=config)
        return Workspace.open(workspace.root, environment=here)

    return opened


def test_an_expired_approval_stays_expired_where_the_variable_sets_the_clock_back(
    workspace: Workspace, set_back: Callable[[], Workspace]
) -> None:
    here = at(workspace)
    approved = here.ask("Pay the deposit?", action=ACTION, expires="2h").id
    here.approvals.decide(approved, approve=True, typed=True)
    pending = here.ask("Book the hall?", action=2, expires="2h").id
    here.tasks.add("Book")
    here.tasks.wait("book", approval=pending)

    later = set_back()

    assert {later.approvals.show(id).status for id in (approved, pending)} == {"expired"}
    assert [one.status for one in later.approvals.list()] == ["expired", "expired"]
    assert [*later.approvals.list(pending=True)] == []
    assert later.ask("Pay the deposit?", action=ACTION).id != approved
    with pytest.raises(ApprovalRefusedError, match="expired"):
        later.approvals.use(approved, ACTION)
    with pytest.raises(ApprovalRefusedError, match="expired"):
        later.approvals.decide(pending, approve=True, typed=True)
    assert kinds(workspace).count("expired") == 2
    assert "used" not in kinds(workspace)
    assert [one.slug for one in later.tasks.due().woken] == ["book"]


def test_the_variable_may_be_later_than_the_clock(workspace: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    id = at(workspace).ask("Pay the deposit?", action=ACTION, expires="2h").id
    monkeypatch.setattr(SystemClock, "now", lambda _: NOW)
    here = Environment(now=NOW + timedelta(hours=3), by_variable=True, timezone="UTC")

    assert Workspace.open(workspace.root, environment=here).approvals.show(id).status == "expired"


def test_a_moment_that_a_library_call_names_is_the_clock(workspace: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    id = at(workspace).ask("Pay the deposit?", action=ACTION, expires="2h").id
    monkeypatch.setattr(SystemClock, "now", lambda _: NOW + timedelta(hours=3))

    assert at(workspace, hours=1).approvals.show(id).status == "pending"
