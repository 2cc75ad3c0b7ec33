"""The page Fleet in a real browser: what a hostile database says stays text, and a signature is sent by the button."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from agentws.features.fleet import inbox
from agentws.features.fleet.database import Database
from agentws.workspace import Workspace
from tests.features.approvals import keys
from tests.features.fleet.team.conftest import GARDEN, Town, _town, ana, shipped, town
from tests.fleet.cluster import cluster
from tests.judges.ui.conftest import TAG, Opened
from tests.judges.ui.test_page import _PHONE, _WIDER

__all__ = ["_town", "ana", "cluster", "town"]


@pytest.fixture
def in_fleet(workspace: Workspace, town: Town, ana: Database) -> Workspace:
    """The workspace of a person whose settings name a fleet, with active text in every field of its database."""
    words = [sys.executable, "-m", "agentws", "config", "--user", "fleet.url", town.url_of("ana")]
    subprocess.run(words, check=True)
    shipped(ana, workspace)
    town.owner("UPDATE agentws.agents SET name = %s, crashed = ARRAY[%s]", TAG, TAG)
    town.owner("UPDATE agentws.requests SET risk = %s, expires = %s", TAG, TAG)
    town.owner(
        "INSERT INTO agentws.messages (team, sender, agent, kind, text) SELECT team, %s, agent, 'note', %s"
        " FROM agentws.agents", TAG, TAG,
    )  # fmt: skip
    return workspace


def test_a_signature_is_sent_by_the_button(
    in_fleet: Workspace, opened: Opened, ana: Database, axe: str, tmp_path: Path
) -> None:
    tab = opened.page()
    tab.locator("a", has_text="The fleet").click()
    tab.wait_for_selector("h1:has-text('Fleet')")
    assert opened.page("fleet", viewport=_PHONE).evaluate(_WIDER) == 0
    seen = opened.page("fleet", bypass_csp=True)
    seen.add_script_tag(content=axe)
    faults = seen.evaluate("() => axe.run()")["violations"]
    assert [fault["id"] for fault in faults if fault["impact"] in ("serious", "critical")] == []

    form = tab.locator("details", has_text="Approve with a signature")
    form.locator("summary").first.click()
    words = form.locator("pre.text").first.text_content()
    form.locator("[name=signature]").fill(keys.signed(keys.made(tmp_path / "sam"), words))
    form.locator("button", has_text="Approve").click()
    tab.wait_for_selector(".notice")

    assert "Sent to" in tab.locator(".notice").text_content()
    (answer,) = inbox.read(ana, GARDEN).answers
    assert answer.kind == "approved"
