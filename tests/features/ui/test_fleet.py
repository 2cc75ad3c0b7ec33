"""The page Fleet: agents and the inbox of a team. All of it is text from outside; an answer needs a signature."""

from __future__ import annotations

import json
import shlex
from html import unescape
from pathlib import Path

import pytest

from agentws.core.disk.system import user_settings
from agentws.errors import UsageError
from agentws.features.daily.config import user
from agentws.features.fleet import inbox
from agentws.features.fleet.database import Database
from agentws.workspace import Environment, Workspace
from tests.features.approvals import keys
from tests.features.approvals.people import ACTION
from tests.features.fleet.team.conftest import GARDEN, Town, _town, ana, known, shipped, town
from tests.features.ui.browser import Browser, text_of
from tests.fleet.cluster import cluster

__all__ = ["_town", "ana", "cluster", "town"]
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
    town.owner("ALTER TABLE agentws.messages DROP CONSTRAINT kind")
    town.owner("UPDATE agentws.requests SET risk = %s, expires = %s, request = %s", TAG, TAG, f"x; rm -rf ~ {TAG}")
    town.owner("UPDATE agentws.agents SET name = %s, crashed = ARRAY[%s]", TAG, TAG)
    town.owner(
        "INSERT INTO agentws.messages (team, agent, request, kind, signature, reason, role)"
        " SELECT team, agent, 'x', %s, 's', %s, %s FROM agentws.agents", TAG, TAG, TAG,
    )  # fmt: skip
    town.owner(
        "INSERT INTO agentws.messages (team, sender, agent, kind, text)"
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


def test_the_page_of_a_url_needs_no_workspace_and_shows_only_that_fleet(
    browser: Browser, workspace: Workspace, town: Town, ana: Database, tmp_path: Path
) -> None:
    nobody = Environment(config=str(tmp_path / "nobody.toml"))
    alone = Browser("", nobody, url=town.url_of("ana"))
    assert alone.client.get(alone.path("")).headers["location"] == "fleet"
    page = alone.get("fleet")
    assert "Waits for a person in garden" in text_of(page)
    assert "Pay Lena? high risk Robin" in text_of(page)
    named = f"--url {shlex.quote(town.url_of('ana'))} --team {GARDEN}"
    assert f"{named} --key KEY" in text_of(page), "the commands for a terminal name the fleet, which no setting does"
    assert 'href="today"' not in page
    alone.get("today", 404)
    signature = keys.signed(keys.made(tmp_path / "sam"), words_of(page, "Reject"))
    assert "Sent to Robin" in text_of(alone.press("fleet", "Reject", signature=signature))
    assert [answer.kind for answer in inbox.read(ana, GARDEN).answers] == ["rejected"]
    with pytest.raises(UsageError, match="Which team"):
        Browser("", nobody, url=town.url)


def test_an_offer_to_this_agent_is_accepted_or_declined_by_a_button(
    browser: Browser, workspace: Workspace, town: Town, ana: Database, tmp_path: Path
) -> None:
    agent = workspace.stores.manifest.agent_id
    environment = workspace.stores.environment
    ben = Workspace.init(str(tmp_path / "ben"), environment=environment, name="Ben", git=False)
    known(ana, ben)
    for key, value in ((user_settings.FLEET_TEAM, GARDEN), (f"{user_settings.FLEET_AGENTS}{agent}", "all")):
        user.set_setting(environment.config, key, value, by_agent=False)
    for text in ("Water the beans", "Sell the shed", "Mow"):
        inbox.offer(ana, GARDEN, ben.stores.manifest.agent_id, agent, "todo", text)
    assert "was taken as todo" in text_of(browser.press("fleet", "Accept"))
    assert "was declined" in text_of(browser.press("fleet", "Decline"))
    assert [row.text for row in workspace.todos().outside] == ["Water the beans"]
    form = browser.form("fleet", "Accept")
    town.owner("UPDATE agentws.messages SET text = 'Sell the house' WHERE outcome IS NULL")
    assert "was edited after it was shown" in text_of(browser.post("fleet", 409, **form))
    assert ">Accept</button>" not in Browser("", environment, url=town.url_of("ana")).get("fleet")


def test_another_action_is_approved_by_a_signature_over_that(
    browser: Browser, workspace: Workspace, ana: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    key = keys.made(tmp_path / "sam", "sam")
    keys.pinned(monkeypatch, tmp_path, key)
    less = {**ACTION, "amount": 200}
    request = inbox.find(inbox.read(ana, GARDEN), "")
    signature = keys.signed(key, inbox.statement(request, approve=True, edit=less).words)
    browser.press("fleet", "Approve", signature=signature, edit=json.dumps(less))
    shipped(ana, workspace)
    (approval,) = workspace.approvals.list()
    assert (approval.action, approval.is_usable) == (less, True)
