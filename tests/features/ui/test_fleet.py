"""The page Fleet: agents and the inbox of a team. All of it is text from outside; an answer needs a signature."""

from __future__ import annotations

from html import unescape
from pathlib import Path

import pytest

from agentws.core.disk.system import user_settings
from agentws.features.daily.config import user
from agentws.features.fleet import inbox
from agentws.features.fleet.database import Database
from agentws.workspace import Workspace
from tests.features.approvals import keys
from tests.features.approvals.people import ACTION
from tests.features.fleet.team.conftest import GARDEN, Town, ana, cluster, database, shipped, town
from tests.features.ui.browser import Browser, text_of

__all__ = ["ana", "cluster", "database", "town"]
TAG = "<script>alert(1)</script><img src=x onerror=alert(2)>"


@pytest.fixture
def browser(workspace: Workspace, town: Town, ana: Database, tmp_path: Path) -> Browser:
    """The browser of ana, whose settings name the fleet; a request of Robin waits in it."""
    environment = workspace.stores.environment
    environment.config = str(tmp_path / "config.toml")
    user.set_setting(environment.config, user_settings.FLEET_URL, town.url_of("ana"), by_agent=False)
    workspace.ask("Pay Lena?", action=ACTION, risk="high")
    shipped(ana, workspace)
    return Browser(workspace.root, environment)


def words_of(page: str, label: str) -> str:
    """The statement that a page shows in the form of a button."""
    form = next(form for form in page.split("<form") if f">{label}</button>" in form)
    return unescape(form.partition('<pre class="text">')[2].partition("</pre>")[0])


def test_the_page_is_linked_and_names_agents_and_what_waits(browser: Browser, town: Town) -> None:
    town.owner("UPDATE agentws.agents SET shipped = NULL")
    town.owner("UPDATE agentws.writers SET head_at = NULL")
    assert 'href="fleet"' in browser.get("today")
    page = text_of(browser.get("fleet"))
    assert "Waits for a person in garden" in page
    assert "Pay Lena? high risk Robin" in page
    assert "behind never none" in page, "it never shipped, and has no backup"


@pytest.mark.parametrize(("label", "status"), [("Approve", "approved"), ("Reject", "rejected")])
def test_a_signature_of_what_the_page_shows_binds_at_the_next_ship(
    browser: Browser, workspace: Workspace, ana: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
    label: str, status: str,
) -> None:  # fmt: skip
    key = keys.made(tmp_path / "sam", "sam")
    keys.pinned(monkeypatch, tmp_path, key)
    signature = keys.signed(key, words_of(browser.get("fleet"), label))
    page = text_of(browser.press("fleet", label, signature=signature.replace("\n", "\r\n")))
    assert "Sent to Robin: Pay Lena?" in page
    assert "on its way" in page
    shipped(ana, workspace)
    (approval,) = workspace.approvals.list()
    assert (approval.status, approval.proof) == (status, "signed")


def test_nothing_is_sent_without_a_signature_and_the_page_names_the_command(browser: Browser, ana: Database) -> None:
    page = text_of(browser.press("fleet", "Approve", 400))
    assert "This is not a signature." in page
    assert "agentws fleet inbox approve" in page
    assert "--key KEY" in page
    assert inbox.read(ana, GARDEN).answers == []


def test_an_answer_to_a_request_that_changed_is_refused(browser: Browser, town: Town, ana: Database) -> None:
    form = browser.form("fleet", "Approve")
    town.owner("UPDATE agentws.requests SET file = replace(file, 'Lena', 'Mallory')")
    assert "not what the agent asked" in text_of(browser.post("fleet", 403, **form, signature="x"))
    assert inbox.read(ana, GARDEN).answers == []


def test_text_of_the_database_is_text(browser: Browser, town: Town) -> None:
    town.owner("ALTER TABLE agentws.requests DROP CONSTRAINT requests_request_check")
    town.owner("ALTER TABLE agentws.answers DROP CONSTRAINT answers_verdict_check")
    town.owner("UPDATE agentws.requests SET risk = %s, expires = %s, request = %s", TAG, TAG, f"x; rm -rf ~ {TAG}")
    town.owner("UPDATE agentws.agents SET name = %s, crashed = ARRAY[%s]", TAG, TAG)
    town.owner(
        "INSERT INTO agentws.answers (team, agent, request, verdict, signature, reason, role)"
        " SELECT team, agent, 'x', %s, 's', %s, %s FROM agentws.agents", TAG, TAG, TAG,
    )  # fmt: skip
    town.owner(
        "INSERT INTO agentws.offers (team, sender, agent, kind, text)"
        " SELECT team, %s, agent, 'note', %s FROM agentws.agents", TAG, f"{TAG} AKIAIOSFODNN7EXAMPLZ",
    )  # fmt: skip
    page = browser.get("fleet")
    assert "<script>alert" not in page
    assert "<img" not in page
    assert "AKIAIOSFODNN7EXAMPLZ" not in page
    assert "approve x; rm" not in page
    assert page.count("&lt;script&gt;") >= 6


def test_a_database_that_is_away_is_an_error_of_this_page_alone(browser: Browser, workspace: Workspace) -> None:
    config = workspace.stores.environment.config
    user.set_setting(config, user_settings.FLEET_URL, "postgresql://ana@/x?host=/nowhere", by_agent=False)
    assert "out of reach" in text_of(browser.get("fleet", 500))
    assert "Today" in browser.get("today")


def test_without_a_fleet_nothing_leads_there_and_the_page_says_how_to_join(workspace: Workspace) -> None:
    browser = Browser(workspace.root, workspace.stores.environment)
    assert 'href="fleet"' not in browser.get("today")
    assert "agentws fleet join" in text_of(browser.get("fleet", 400))
