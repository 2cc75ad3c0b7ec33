"""A database with a team, for the large tests of the fleet."""

from __future__ import annotations

from agentws.features.fleet import database, migrations
from tests.fleet.cluster import Server, as_role

TEAM = "garden"
ROLE = "robin"


def made(server: Server, name: str) -> str:
    """Make a database with the fleet's tables and one team; return its URL for a role that may ship and read."""
    if not server.run(f"SELECT 1 FROM pg_roles WHERE rolname = '{ROLE}'"):
        server.run(f"CREATE ROLE {ROLE} LOGIN")
    server.run(f"CREATE DATABASE {name} TEMPLATE template0")
    with database.connected(server.url(name)) as opened:
        migrations.migrate(opened)
        opened.rows("SELECT agentws.add_team(%s)", (TEAM,))
        opened.rows("SELECT agentws.set_member(%s, %s, NULL, %s)", (TEAM, ROLE, ["ship", "read", "answer"]))
    return as_role(server.url(name), ROLE)
