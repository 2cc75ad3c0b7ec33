"""How many events a second are shipped to PostgreSQL, beside COPY and single inserts of the same bytes; needs a server.

    PYTHONPATH=. python benchmarks/fleet.py [--events 20000]

The rates are of one client over a socket, on a server that syncs its commits. The plain table has the columns of
`agentws.events` and its primary key, but no checks and no words. `client` and `server` are
processor time an event, the server's without its background processes.
"""

from __future__ import annotations

import argparse
import os
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

import psycopg

from agentws.core.stores import record
from agentws.core.stores.record import Happening
from agentws.features.fleet import membership, ship
from agentws.workspace import Environment, Workspace
from benchmarks.samples import Writer
from tests.fleet import town
from tests.fleet.cluster import Server, made_server

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

BATCH = 1_000
SINGLE = 2_000
COLUMNS = "team, agent, writer, seq, at, kind, session, src, header, tail, absent, hash"
PLAIN = (
    "CREATE TABLE plain (LIKE agentws.events); ALTER TABLE plain DROP words, ADD PRIMARY KEY (agent, writer, seq, at)"
)


def main() -> None:
    """Print a row for each way."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--events", type=int, default=20_000)
    events = parser.parse_args().events
    with tempfile.TemporaryDirectory() as name, made_server(durable=True) as server:
        url = town.made(server, "fleet")
        workspace = lived(Path(name), url, events)
        print(f"{'':<28}{'events/s':>10}{'client, µs':>12}{'server, µs':>12}")
        shipped = row(server, "fleet ship", lambda: ship.ship(workspace.stores).events)
        journal = sum(path.stat().st_size for path in Path(name, "w", "journal").rglob("*.jsonl"))
        row(server, "fleet ship, nothing new", lambda: ship.ship(workspace.stores).events or 1)
        row(server, "fleet ship --again", lambda: (ship.ship(workspace.stores, again=True), shipped)[1])
        rows = server.run(f"SELECT {COLUMNS} FROM agentws.events", "fleet")
        server.run(PLAIN, "fleet")
        row(server, "COPY", lambda: copied(server, rows))
        server.run("TRUNCATE plain", "fleet")
        row(server, "single inserts", lambda: inserted(server, rows[:SINGLE]))
        print(f"\n{journal / shipped:,.0f} bytes of journal an event are in the database:")
        for what, size in sizes(server):
            print(f"  {what:<34}{size / shipped:>8,.0f}")


def lived(folder: Path, url: str, events: int) -> Workspace:
    """Make a workspace with so many events, which has joined the fleet and ships all text."""
    environment = Environment(state=(str(folder / "state"), None), config=str(folder / "config.toml"))
    workspace = Workspace.init(str(folder / "w"), environment=environment, name="ada", git=False)
    membership.join(workspace.stores, url, town.TEAM, "all")
    writer = Writer()
    for first in range(0, events, BATCH):
        happenings = [
            Happening(
                "tool.called",
                {"v": 1, "tool": "Read", "input": {"path": f"beds/{first + n}.md"}, "text": writer.sentence()},
                session=f"s{first}",
            )
            for n in range(min(BATCH, events - first))
        ]
        record.record(workspace.stores, happenings)
    return workspace


def row(server: Server, label: str, work: Callable[[], int]) -> int:
    """Run the work, which ends its connections; print its rate and processor time, and return its number of events."""
    far, own, start = ended_s(server), time.process_time(), time.perf_counter()
    count = work()
    wall, own = time.perf_counter() - start, time.process_time() - own
    time.sleep(0.2)  # the process of a connection ends a little later
    far = ended_s(server) - far
    print(f"{label:<28}{count / wall:>10,.0f}{own / count * 1e6:>12,.0f}{far / count * 1e6:>12,.0f}")
    return count


def ended_s(server: Server) -> float:
    """Processor time in seconds of all connections that have ended."""
    fields = Path(f"/proc/{server.pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[13]) + int(fields[14])) / os.sysconf("SC_CLK_TCK")


def copied(server: Server, rows: list[tuple[object, ...]]) -> int:
    """Copy the rows into the plain table."""
    statement = f"COPY plain ({COLUMNS}) FROM STDIN"
    with psycopg.connect(server.url("fleet")) as connection, connection.cursor().copy(statement) as copy:
        for values in rows:
            copy.write_row(values)
    return len(rows)


def inserted(server: Server, rows: list[tuple[object, ...]]) -> int:
    """Insert the rows one by one, each in its own transaction."""
    statement = f"INSERT INTO plain ({COLUMNS}) VALUES ({', '.join(['%s'] * len(rows[0]))})"
    with psycopg.connect(server.url("fleet"), autocommit=True) as connection:
        for values in rows:
            connection.execute(statement, values)
    return len(rows)


def sizes(server: Server) -> Iterator[tuple[str, int]]:
    """Yield what the events take: tables, and each index."""
    server.run("VACUUM ANALYZE agentws.events", "fleet")
    rows = server.run(
        "SELECT coalesce(substring(i.relname from '_(words|team_at|pkey)'), 'table'), sum(pg_relation_size(i.oid)"
        " + CASE WHEN i.relkind = 'r' THEN coalesce(pg_relation_size(i.reltoastrelid), 0) ELSE 0 END)::bigint"
        " FROM pg_class i WHERE i.relname LIKE 'events\\_%' AND i.relkind IN ('r', 'i')"
        " AND i.relnamespace = 'agentws'::regnamespace GROUP BY 1 ORDER BY 2 DESC",
        "fleet",
    )
    for what, size in rows:
        yield str(what), int(str(size))


if __name__ == "__main__":
    main()
