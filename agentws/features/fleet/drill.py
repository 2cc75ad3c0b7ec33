"""Drills the fleet: fills fresh tables from a workspace, and compares them with what the database has of it."""

from __future__ import annotations

from dataclasses import dataclass, field

from agentws.features.fleet import arrivals, database, join, migrations, settings, ship
from agentws.features.fleet.database import Database

TYPE_CHECKING = False
if TYPE_CHECKING:
    from agentws.core.stores.stores import Stores

_TABLES = {
    "events": "writer, seq, at, kind, session, src, header, tail, absent, hash, words",
    "writers": "writer, base_seq, head_seq, head_hash, head_at",
    "machines": "writer, host, keys",
    "agents": "name, kept_out, forgotten, hidden, crashed, backed_up",
    "documents": "path, digest, room, text, words",
    "requests": "request, risk, asked, expires, file",
}
"""Tables that a ship fills, with the columns that come from the workspace alone; checkpoints are events, open items and
tasks are documents.
"""
_ONLY_THERE = """
    SELECT (SELECT count(*) FROM agentws.answers WHERE (team, agent) = (%(team)s, %(agent)s) AND outcome IS NULL)
        + (SELECT count(*) FROM agentws.offers WHERE team = %(team)s AND agent = %(agent)s AND outcome IS NULL)
"""


@dataclass(frozen=True, slots=True)
class Compared:
    """The rows of this agent in a table: all, those only in the database, and those only in the workspace.

    Of documents, the newest versions.
    """

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

    UsageError if the agent never joined; MayNotWriteError if the role may not ship it.
    """
    own = settings.required(stores)
    agent = stores.manifest.agent_id
    with database.connected(url or own.url) as living:
        place = {"team": own.team, "agent": agent}
        (schema,) = living.row("SELECT agentws.begin_drill(%(team)s, %(agent)s)", place)
        fresh = Database(living.connection, str(schema))
        try:
            migrations.migrate(fresh)
            (role,) = living.row("SELECT session_user")
            join.add_team(fresh, own.team)
            join.set_member(fresh, own.team, str(role), None, ["ship", "read"])
            join.make_known(fresh, stores, own.team)
            done = ship.Shipment(stores, fresh, own).run()
            arrivals.settle(stores, fresh, own.team, own.agents[agent])
            tables = [_compare(living, fresh, table, place) for table in _TABLES]
            (waiting,) = living.row(_ONLY_THERE, place)
        finally:
            living.rows("SELECT agentws.end_drill(%s)", (fresh.schema,))
    notices = [*done.notices, *(f"{writer}: {why}" for writer, why in done.refused.items())]
    if waiting:
        notices.append(f"{waiting} answers and offers wait in the database alone: no workspace has them yet.")
    return Drilled(own.team, agent, tables, notices)


def _compare(living: Database, fresh: Database, table: str, place: dict[str, str]) -> Compared:
    newest = " AND gone IS NULL" if table == "documents" else ""
    select = f"SELECT {_TABLES[table]} FROM agentws.{table} WHERE (team, agent) = (%(team)s, %(agent)s){newest}"  # noqa: S608
    there, here = select, fresh.sql(select)
    sql = f"""
        SELECT (SELECT count(*) FROM ({there}) t), (SELECT count(*) FROM ({there} EXCEPT ALL {here}) d),
            (SELECT count(*) FROM ({here} EXCEPT ALL {there}) d)
    """  # noqa: S608
    counts = living.row(sql, place)
    return Compared(table, *(int(str(count)) for count in counts))
