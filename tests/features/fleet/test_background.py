"""The end of a session ships a workspace whose agent joined a fleet, and loads nothing of the fleet for others."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from agentws.features.fleet import background, ship
from agentws.workspace import Environment, Workspace

_CODE = """
import sys
from agentws.workspace import Environment, Workspace
environment = Environment(config=sys.argv[2], state=(sys.argv[3], None))
Workspace.open(sys.argv[1], environment=environment).plumbing.ship_aside()
print(*sorted({"dataclasses", "agentws.features.fleet.membership"} & set(sys.modules)))
"""


@pytest.mark.parametrize("text", ["", "[fleet]\nurl = 'postgresql:///fleet'\n[fleet.agents]\nabc = 'shared'\n"])
def test_without_a_fleet_nothing_of_it_is_loaded(workspace: Workspace, tmp_path: Path, text: str) -> None:
    config = tmp_path / "config.toml"
    if text:
        config.write_text(text)
    words = [sys.executable, "-c", _CODE, workspace.root, str(config), str(workspace.stores.environment.state[0])]
    assert subprocess.run(words, check=True, capture_output=True, text=True).stdout == "\n"


def test_an_agent_that_joined_is_shipped(workspace: Workspace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    config = tmp_path / "config.toml"
    agent = workspace.stores.manifest.agent_id
    config.write_text(f"[fleet]\nurl = 'postgresql:///fleet'\nteam = 'garden'\n[fleet.agents]\n{agent} = 'shared'\n")
    shipped: list[object] = []
    monkeypatch.setattr(ship, "ship", shipped.append)
    environment = Environment(config=str(config), state=workspace.stores.environment.state)
    stores = Workspace.open(workspace.root, environment=environment).stores
    background.ship_aside(stores)
    assert shipped == [stores]
