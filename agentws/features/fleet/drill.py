"""Drills the fleet: fills fresh tables from a workspace, and compares them with what the database has of it."""

from __future__ import annotations

import secrets
from dataclasses import dataclass, field

from agentws.errors import UsageError
from agentws.features.fleet import arrivals, database, join, migrations, settings, ship, teams
from agentws.features.fleet.database import Database

TYPE_CHECKING = False
if TYPE_CHECKING:
    from agentws.core.stores.stores import Stores

_TABLES = {
    "events": "writer, seq, at, kind, session, src, header, tail, absent, hash, words",
    "writers": "writer, base_seq, head_seq, head_hash, head_at",
    "machines": "writer, host, keys",
    "requests": "request, risk, asked, expires, file",
}
"""Tables that a ship fills, with the columns that come from the workspace alone."""


@dataclass(frozen=True, slots=True)
class Compared:
    """The rows of this agent in a table: all, those only in the database, and those only in the workspace."""

    table: str
    rows: int
    only_there: int
    only_here: int

    @property
    def differs(self) -> bool:
        """Return whether the database and the workspace have other rows."""
        return bool(self.only_there or self.only_here)


@dataclass(frozen=True, slots=True)
class Drilled:
    """The result of a drill. `is_equal` is whether the database could be filled again from this workspace."""

    team: str
    agent: str
    tables: list[Compared]
    notices: list[str] = field(default_factory=list)

    @property
    def is_equal(self) -> bool:
        """Return whether no table differs."""
        return not any(table.differs for table in self.tables)


def drill(stores: Stores, url: str | None = None) -> Drilled:
    """Fill a temporary schema from the workspace, compare each table with the real one, and drop the schema.

    The role must be allowed to create schemas in the database, and to read the agent. UsageError if the agent never
    joined.
    """
    own = settings.joined(stores)
    if own is None:
        raise UsageError("This agent is in no fleet.", hint="agentws fleet join URL --team TEAM")
    agent = stores.manifest.agent_id
    with database.connected(url or own.url) as living:
        fresh = Database(living.connection, f"agentws_drill_{secrets.token_hex(6)}")
        try:
            migrations.migrate(fresh)
            (role,) = living.row("SELECT session_user")
            teams.add(fresh, own.team)
            teams.set_member(fresh, own.team, str(role), None, ["ship", "read"])
            join.make_known(fresh, stores, own.team)
            done = ship.fill(stores, fresh, own)
            arrivals.settle(stores, fresh, own.team, own.agents[agent])
            tables = [_compare(living, fresh, table, own.team, agent) for table in _TABLES]
        finally:
            living.rows(f'DROP SCHEMA IF EXISTS "{fresh.schema}" CASCADE')
    notices = [*done.notices, *(f"{writer}: {why}" for writer, why in done.refused.items())]
    return Drilled(own.team, agent, tables, notices)


def _compare(living: Database, fresh: Database, table: str, team: str, agent: str) -> Compared:
    select = f"SELECT {_TABLES[table]} FROM agentws.{table} WHERE (team, agent) = (%(team)s, %(agent)s)"  # noqa: S608
    there, here = select, fresh.sql(select)
    sql = f"""
        SELECT (SELECT count(*) FROM ({there}) t), (SELECT count(*) FROM ({there} EXCEPT ALL {here}) d),
            (SELECT count(*) FROM ({here} EXCEPT ALL {there}) d)
    """  # noqa: S608
    counts = living.row(sql, {"team": team, "agent": agent})
    return Compared(table, *(int(str(count)) for count in counts))
