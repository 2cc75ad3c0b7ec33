"""A database with the tables of a fleet: the team garden with the roles ana and ben, the team harbour with eve."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import psycopg
import pytest

from agentws.features.fleet import arrivals, database as _database, membership, migrations, ship
from agentws.features.fleet.database import Database
from agentws.workspace import Workspace
from tests.fleet.cluster import Server, as_role, made_database

GARDEN, HARBOUR = "garden", "harbour"
_RIGHTS = (
    ("ana", GARDEN, ["ship", "read", "answer"]),
    ("ben", GARDEN, ["ship", "read"]),
    ("eve", HARBOUR, ["ship", "read", "answer", "admin"]),
)


@dataclass(frozen=True, slots=True)
class Town:
    """The database of two teams: its owner's URL."""

    url: str

    def url_of(self, role: str) -> str:
        """The URL for a member."""
        return as_role(self.url, role)

    def owner(self, sql: str, *values: object) -> list[tuple[object, ...]]:
        """The rows of a statement that the owner of the database runs: a superuser, whom no policy binds."""
        with psycopg.connect(self.url, autocommit=True) as connection:
            cursor = connection.execute(sql.encode(), values or None)
            return cursor.fetchall() if cursor.description else []


def known(fleet: Database, workspace: Workspace) -> None:
    """Make an agent known to the team garden."""
    membership.make_known(fleet, workspace.stores, GARDEN)


def shipped(fleet: Database, workspace: Workspace, text: str = "all") -> list[str]:
    """The notices of a ship of a workspace to the team garden, which applies what arrived."""
    known(fleet, workspace)
    own = membership.Fleet("", GARDEN, {workspace.stores.manifest.agent_id: text})
    assert not ship.Shipment(workspace.stores, fleet, own).run().refused
    return arrivals.settle(workspace.stores, fleet, GARDEN, text)


@pytest.fixture(scope="session")
def _town(cluster: Server) -> str:
    """The name of the database that each test gets a copy of."""
    cluster.run("CREATE DATABASE town TEMPLATE template0")
    town = Town(cluster.url("town"))
    for role in ("keeper", *(role for role, _, _ in _RIGHTS)):
        town.owner(
            f"DO $$ BEGIN CREATE ROLE {role} LOGIN; EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL;"
            " END $$"
        )
    town.owner("GRANT CREATE ON DATABASE town TO keeper")
    with _database.connected(town.url_of("keeper")) as owner:
        migrations.migrate(owner)
        for team in (GARDEN, HARBOUR):
            owner.rows("SELECT agentws.add_team(%s)", (team,))
        for role, team, rights in _RIGHTS:
            owner.rows("SELECT agentws.set_member(%s, %s, NULL, %s)", (team, role, rights))
    return "town"


@pytest.fixture
def town(cluster: Server, _town: str) -> Iterator[Town]:
    """Two teams in a database of this test's own; its tables belong to a role that policies bind, `keeper`."""
    with made_database(cluster, _town) as url:
        town = Town(url)
        town.owner(f"GRANT CREATE ON DATABASE {url.partition('@/')[2].partition('?')[0]} TO keeper")
        yield town


@pytest.fixture
def ana(town: Town) -> Iterator[Database]:
    """The connection of a member of the team garden."""
    with _database.connected(town.url_of("ana")) as opened:
        yield opened
