"""A database with the fleet's tables, and workspaces that join it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from agentws.features.fleet import database as fleet_database, membership, migrations
from agentws.workspace import Environment, Workspace
from tests.fleet.cluster import Server, as_role, cluster, database, made_database

__all__ = ["cluster", "database"]


@pytest.fixture(scope="session")
def _teams(cluster: Server) -> str:
    """The name of the database that each test gets a copy of."""
    cluster.run("CREATE DATABASE teams TEMPLATE template0")
    for role in ("robin", "sam", "watcher", "stranger"):
        if not cluster.run(f"SELECT 1 FROM pg_roles WHERE rolname = '{role}'"):
            cluster.run(f"CREATE ROLE {role} LOGIN")
    with fleet_database.connected(cluster.url("teams")) as opened:
        migrations.migrate(opened)
        for team, role, may in (
            ("garden", "robin", "{ship,read,answer}"),
            ("cellar", "sam", "{ship,read,answer,admin}"),
            ("garden", "watcher", "{read}"),
        ):
            opened.rows("SELECT agentws.add_team(%s)", (team,))
            opened.rows("SELECT agentws.set_member(%s, %s, NULL, %s)", (team, role, may))
    return "teams"


@pytest.fixture
def fleet(cluster: Server, _teams: str) -> Iterator[str]:
    """The URL of a database with the fleet's tables, the teams garden (role robin) and cellar (role sam);
    `watcher` reads the garden, `stranger` is in no team.
    """
    with made_database(cluster, _teams) as url:
        yield url


Make = Callable[..., Workspace]


@pytest.fixture
def joined(fleet: str, tmp_path: Path) -> Make:
    """Makes a workspace of an agent by this name that joined the fleet as `role` (default: robin, garden)."""

    def make(name: str = "ada", role: str = "robin", team: str = "garden", text: str = "shared") -> Workspace:
        home = tmp_path / f"home-{role}"
        environment = Environment(state=(str(home / "state"), None), config=str(home / "config.toml"))
        home.mkdir(exist_ok=True)
        workspace = Workspace.init(str(tmp_path / name), environment=environment, name=name, git=False)
        workspace.log("The gate is painted green")
        workspace.event("note", "rain at noon")
        membership.join(workspace.stores, as_role(fleet, role), team, text)
        return workspace

    return make
