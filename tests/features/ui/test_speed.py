"""How much a view of the page reads and loads, counted: the first one of a server, and later ones."""

from __future__ import annotations

import subprocess
import sys

import pytest
from starlette.testclient import TestClient

from agentws.features.ui.app import application
from agentws.features.ui.changes import Changes
from agentws.workspace import Workspace

_FIRST_VIEW = """
import sys
from tests.features.ui.browser import Browser
from agentws.workspace import Environment
root, state = sys.argv[1:]
browser = Browser(root, Environment(state=(state, None)))
with browser.client:
    before = set(sys.modules)
    assert "Water the ferns" in browser.get("today")
print(*(name for name in sorted(set(sys.modules) - before) if name.startswith("agentws")))
"""


def test_the_first_request_of_a_server_loads_no_module(workspace: Workspace) -> None:
    workspace.todo("Water the ferns")
    workspace.session.start("Repaint the fence")
    workspace.ask("Pay the invoice?", action={"tool": "pay", "amount": 3})

    done = subprocess.run(
        [sys.executable, "-c", _FIRST_VIEW, workspace.root, f"{workspace.root}-state"],
        capture_output=True,
        text=True,
        check=True,
    )

    assert done.stdout.split() == []


@pytest.mark.parametrize("failure", [OSError("no disk"), KeyError("a mistake of ours")])
def test_a_server_starts_although_its_first_page_fails(failure: Exception) -> None:
    def opened() -> Workspace:
        raise failure

    with TestClient(application(opened, Changes(), is_read_only=False)) as client:
        assert client.get("/static/page.css").status_code == 200
