"""Drills the fleet: ships a workspace again beside what the database has of it, compares both, and rolls back."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from agentws.features.fleet import arrivals, database, join, settings, ship, vectors

TYPE_CHECKING = False
if TYPE_CHECKING:
    from agentws.core.stores.stores import Stores
    from agentws.features.fleet.database import Database

_TABLES = {
    "events": "writer, seq, at, kind, session, src, header, tail, absent, hash, words",
    "writers": "writer, base_seq, head_seq, head_hash, head_at",
    "machines": "writer, host, keys",
    "agents": "name, kept_out, forgotten, hidden, crashed, backed_up",
    "documents": "path, digest, room, text, words",
    "requests": "request, risk, asked, expires, file",
    "vectors": "place, seq, key",
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
    """Ship the workspace to a team of the drill's own, compare each table with that of the agent's team, and roll back.

    UsageError if the agent never joined; MayNotWriteError if the role may not ship it.
    """
    own = settings.required(stores)
    agent = stores.manifest.agent_id
    with database.connected(url or own.url) as fleet:
        place = {"team": own.team, "agent": agent}
        with fleet.transaction(is_kept=False):
            own, _ = settings.narrowed(fleet, stores, own)
            (name,) = fleet.row("SELECT agentws.begin_drill(%(team)s, %(agent)s)", place)
            fresh = replace(own, team=str(name))
            join.make_known(fleet, stores, fresh.team)
            done = ship.Shipment(stores, fleet, fresh, is_drill=True).run()
            arrivals.settle(stores, fleet, fresh.team, own.agents[agent])
            names = [table for table in _TABLES if table != "vectors" or vectors.sender(stores, fleet, own.team)]
            tables = [_compare(fleet, table, {**place, "drill": name}) for table in names]
        (waiting,) = fleet.row(_ONLY_THERE, place)
    notices = [*done.notices, *(f"{writer}: {why}" for writer, why in done.refused.items())]
    if waiting:
        notices.append(f"{waiting} answers and offers wait in the database alone: no workspace has them yet.")
    return Drilled(own.team, agent, tables, notices)


def _compare(fleet: Database, table: str, place: dict[str, object]) -> Compared:
    newest = " AND gone IS NULL" if table == "documents" else ""
    select = f"SELECT {_TABLES[table]} FROM agentws.{table} WHERE (team, agent)"  # noqa: S608
    sql = f"""
        WITH there AS ({select} = (%(team)s, %(agent)s){newest}), here AS ({select} = (%(drill)s, %(agent)s){newest})
        SELECT (SELECT count(*) FROM there), (SELECT count(*) FROM (TABLE there EXCEPT ALL TABLE here) d),
            (SELECT count(*) FROM (TABLE here EXCEPT ALL TABLE there) d)
    """  # noqa: S608
    counts = fleet.row(sql, place)
    return Compared(table, *(int(str(count)) for count in counts))
