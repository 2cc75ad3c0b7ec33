"""Checks what the database holds: chains, seals, and that it is what this workspace says. A drill ships it again."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace

from agentws.core.formats import layout
from agentws.core.formats.journal import chain, event
from agentws.core.journal import read
from agentws.core.journal.sealing import seal
from agentws.features.fleet import arrivals, database, membership, reading, ship, vectors

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from agentws.core.stores.stores import Stores

_TABLES = {
    "events": "writer, seq, at, kind, session, src, header, tail, absent, hash, words",
    "writers": "writer, base_seq, head_seq, head_hash, head_at",
    "machines": "writer, host, keys",
    "agents": "name, kept_out, forgotten, hidden, crashed, backed_up",
    "documents": "path, digest, room, text, words, entries",
    "requests": "request, risk, asked, expires, file",
    "vectors": "place, seq, key",
}
"""Tables that a ship fills, with the columns that come from the workspace alone; checkpoints are events, open items and
tasks are documents.
"""
_ONLY_THERE = "SELECT count(*) FROM agentws.messages WHERE (team, agent) = (%(team)s, %(agent)s) AND outcome IS NULL"
_SEALED = re.compile(r'"seq":([0-9]{1,18}),')


@dataclass(frozen=True, slots=True)
class Verified:
    """The check of one writer's events in the database: how many, how many of its seals are good, and what is wrong."""

    agent: str
    name: str
    writer: str
    events: int
    seals: int
    wrong: Sequence[str]


def verify(fleet: database.Database, team: str, stores: Stores | None = None) -> list[Verified]:
    """Check every writer that the connected role may read; those of `stores` are compared with that workspace too."""
    writers = fleet.rows(
        "SELECT agent, name, writer, base_seq, head_seq, head_hash, refused, keys FROM agentws.writers"
        " JOIN agentws.agents USING (team, agent) LEFT JOIN agentws.machines USING (team, agent, writer)"
        " WHERE team = %s ORDER BY name, agent, writer",
        (team,),
    )
    return [_writer(fleet, team, row, stores) for row in writers]


def _writer(fleet: database.Database, team: str, row: database.Row, stores: Stores | None) -> Verified:
    agent, name, writer, base, head, head_hash, refused, known = row
    place = (team, agent, writer)
    wrong = [f"{seq}: {what}" for seq, what in fleet.rows("SELECT * FROM agentws.wrong_lines(%s, %s, %s)", place)]
    count, newest = fleet.row(
        "SELECT count(*), max(seq) FROM agentws.events WHERE (team, agent, writer) = (%s, %s, %s) AND seq > %s",
        (*place, base),
    )
    if (newest or base, count) != (head, int(str(head)) - int(str(base))):
        wrong.append(f"{count} events up to {newest}, but the head is {head}")
    if refused is not None:
        wrong.append(f"refused: {refused}")
    wrong += [f"a vector of {where}:{seq}, which has no text" for where, seq in vectors.alone(fleet, place)]
    seals = 0
    for failure in _seals(fleet, place, known):
        seals += not failure
        wrong += [failure] if failure else []
    if stores is not None and stores.manifest.agent_id == agent:
        wrong += _differences(stores, str(writer), int(str(head)), str(head_hash))
        wrong += _kept(fleet, place, stores)
    return Verified(str(agent), str(name), str(writer), int(str(count)), seals, wrong)


def _seals(fleet: database.Database, place: tuple[object, ...], known: object) -> Iterator[str]:
    """Yield for each seal what is wrong with it, empty for nothing; seals without a known key yield nothing."""
    agent, writer = str(place[1]), str(place[2])
    signers = seal.Signers({writer: set(known) if isinstance(known, list) else set()})
    where = "agentws.events WHERE (team, agent, writer) = (%s, %s, %s)"
    rows = fleet.rows(
        f"SELECT seq, header, tail FROM {where} AND kind = %s AND tail IS NOT NULL ORDER BY seq",  # noqa: S608
        (*place, event.SEAL),
    )
    numbers = [int(match[1]) if (match := _SEALED.search(str(tail))) else 0 for _, _, tail in rows]
    sealed = fleet.rows(f"SELECT seq, hash FROM {where} AND seq = ANY (%s)", (*place, numbers))  # noqa: S608
    hashes = {row[0]: row[1] for row in sealed}
    for (seq, header, tail), number in zip(rows, numbers, strict=True) if known else ():
        line = f"{header},{tail}}}".encode()
        wrong = reading.wrong_seal(agent, line, signers, writer=writer, hash_=hashes.get(number))
        yield f"{seq}: {wrong.replace(layout.SIGNERS, 'the database')}" if wrong else ""


def _differences(stores: Stores, writer: str, head: int, head_hash: str) -> Iterator[str]:
    """Yield what the workspace says otherwise. Its own chain is checked by `journal verify`."""
    newest = read.last_seq(stores.files, writer) if writer in read.writers(stores.files) else 0
    if newest < head:
        yield f"the database has {head - newest:,} events more than this workspace"
    else:
        place = read.stored(stores.files, writer, head) if head else None
        if place is not None and chain.hash_of(place[2]) != head_hash:
            yield f"{head}: this workspace has another event with this number"


def _kept(fleet: database.Database, place: tuple[object, ...], stores: Stores) -> Iterator[str]:
    """Yield the texts in the database that this workspace would not ship."""
    own = membership.joined(stores)
    if own is None or str(place[2]) not in read.writers(stores.files):
        return
    reader = reading.Reader.of(stores, own.agents[str(place[1])])
    for batch in reader.batches(str(place[2]), 0):
        absent = {line.seq: line.absent for line in batch if line.absent is not None}
        rows = fleet.rows(
            "SELECT seq FROM agentws.events WHERE (team, agent, writer) = (%s, %s, %s) AND seq = ANY (%s)"
            " AND tail IS NOT NULL ORDER BY seq",
            (*place, list(absent)),
        )
        yield from (f"{seq}: its text is here, but is {absent[int(str(seq))]} in the workspace" for (seq,) in rows)


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
    own = membership.required(stores)
    agent = stores.manifest.agent_id
    with database.connected(url or own.url) as fleet:
        place = {"team": own.team, "agent": agent}
        with fleet.transaction(is_kept=False):
            text, sender, _ = ship.agreed(stores, fleet, own, is_drill=True)
            (name,) = fleet.row("SELECT agentws.begin_drill(%(team)s, %(agent)s)", place)
            fresh = replace(own, team=str(name), agents={agent: text})
            membership.make_known(fleet, stores, fresh.team)
            done = ship.Shipment(stores, fleet, fresh, is_drill=True).run()
            arrivals.settle(stores, fleet, fresh.team, text)
            names = [table for table in _TABLES if table != "vectors" or sender]
            tables = [_compare(fleet, table, {**place, "drill": name}) for table in names]
        (waiting,) = fleet.row(_ONLY_THERE, place)
    notices = [*done.notices, *(f"{writer}: {why}" for writer, why in done.refused.items())]
    if waiting:
        notices.append(f"{waiting} answers and offers wait in the database alone: no workspace has them yet.")
    return Drilled(own.team, agent, tables, notices)


def _compare(fleet: database.Database, table: str, place: dict[str, object]) -> Compared:
    newest = " AND gone IS NULL" if table == "documents" else ""
    select = f"SELECT {_TABLES[table]} FROM agentws.{table} WHERE (team, agent)"  # noqa: S608
    sql = f"""
        WITH there AS ({select} = (%(team)s, %(agent)s){newest}), here AS ({select} = (%(drill)s, %(agent)s){newest})
        SELECT (SELECT count(*) FROM there), (SELECT count(*) FROM (TABLE there EXCEPT ALL TABLE here) d),
            (SELECT count(*) FROM (TABLE here EXCEPT ALL TABLE there) d)
    """  # noqa: S608
    counts = fleet.row(sql, place)
    return Compared(table, *(int(str(count)) for count in counts))
