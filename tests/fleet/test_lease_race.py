"""A lease raced under cuts and failovers: never two holders with a valid fence."""

from __future__ import annotations

import random
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from threading import Barrier, BrokenBarrierError

import psycopg
import pytest

from tests.fleet import town
from tests.fleet.cluster import MISSING, Server, as_role, made_server, programs
from tests.fleet.proxy import Proxy
from tests.thorough import THOROUGH

ROUNDS = 1_000 if THOROUGH else 25
"""In which somebody takes the lease."""
FAILOVERS = 10 if THOROUGH else 2
"""Every second one is to a standby that lacks the newest leases and writes."""
HOLDERS = 4
_BEFORE_KILL = 4
"""Rounds between the making of a standby and the kill of its primary."""
_CUT_BYTES = 1_500
"""A round says and hears about so much."""
_PASSING = (psycopg.OperationalError, psycopg.errors.ReadOnlySqlTransaction)


class Holder:
    """A client that takes the lease and, while it holds it, writes; each by its own network."""

    def __init__(self, name: str, url: str) -> None:
        self.name = name
        self.epochs: set[int] = set()
        self._url = url

    def round(self, barrier: Barrier) -> bool:
        """Race once; return whether the lease was taken. A cut ends the round, wherever it is."""
        before = len(self.epochs)
        try:
            with psycopg.connect(self._url, autocommit=True, connect_timeout=10) as connection:
                self._race(connection, barrier)
        except _PASSING:
            barrier.abort()  # cut
        except BrokenBarrierError:
            pass  # another was cut before the start
        return len(self.epochs) > before

    def _race(self, connection: psycopg.Connection, barrier: Barrier) -> None:
        barrier.wait()
        row = connection.execute(
            "SELECT is_taken, epoch FROM agentws.lease_take(%s, '', 'mail', %s, 1)", (town.TEAM, self.name)
        ).fetchone()
        assert row is not None
        if row[0]:
            self.epochs.add(row[1])
            self._write(connection, row[1])
            connection.execute("SELECT agentws.lease_renew(%s, '', 'mail', %s, 0)", (town.TEAM, row[1]))
        for epoch in sorted(self.epochs)[-3:]:
            self._write(connection, epoch)

    def _write(self, connection: psycopg.Connection, epoch: int) -> None:
        """Write under the fence, perhaps long after the lease is gone."""
        with connection.transaction():
            values = (town.TEAM, epoch)
            if connection.execute("SELECT agentws.check_fence(%s, '', 'mail', %s)", values).fetchone() == (True,):
                connection.execute("INSERT INTO written (epoch, holder) VALUES (%s, %s)", (epoch, self.name))


def test_no_two_holders_ever_write_under_a_valid_fence() -> None:
    if programs() is None:
        pytest.skip(MISSING)
    chance = random.Random(45)
    with made_server(durable=True) as server, ExitStack() as stack:
        url = town.made(server, "race")
        server.run("CREATE TABLE written (number bigserial, epoch bigint, holder text)", "race")
        server.run("GRANT ALL ON written, written_number_seq TO PUBLIC", "race")
        networks = [stack.enter_context(Proxy(server)) for _ in range(HOLDERS)]
        holders = [Holder(f"holder-{n}", network.url(as_role(url, town.ROLE))) for n, network in enumerate(networks)]
        pool = stack.enter_context(ThreadPoolExecutor(HOLDERS))
        taken = failed_over = 0
        standby: Server | None = None
        while taken < ROUNDS:
            for network in networks:
                network.mend()
            if chance.random() < 0.3:
                chance.choice(networks).cut(after_bytes=chance.randrange(_CUT_BYTES))
            if standby is None and taken >= (failed_over + 1) * ROUNDS // (FAILOVERS + 1):
                standby = server.clone(synchronous=failed_over % 2 == 0)
                kill_at = taken + _BEFORE_KILL
                if failed_over % 2:
                    standby.cut_off()  # it lacks all that comes now
            barrier = Barrier(HOLDERS)
            racing = [pool.submit(holder.round, barrier) for holder in holders]
            if standby is not None and taken >= kill_at:
                time.sleep(chance.uniform(0, 0.05))
                server.kill()
                for network in networks:
                    network.point_at(standby)
                standby.promote()
                server, standby, failed_over = standby, None, failed_over + 1
            wins = sum([done.result() for done in racing])
            taken += wins
            if not wins:
                time.sleep(0.05)  # a cut left the lease to its end
        cuts = sum(network.cuts for network in networks)
        rows = server.run("SELECT epoch, holder FROM written ORDER BY number", "race")

    epochs = [int(str(epoch)) for epoch, _ in rows]
    assert epochs == sorted(epochs)  # nobody wrote under an older epoch once a newer one had begun
    assert len(set(rows)) == len(set(epochs))  # each epoch has one holder
    all_epochs = [holder.epochs for holder in holders]
    assert sum(map(len, all_epochs)) == len(set().union(*all_epochs)) >= ROUNDS
    assert len(set(epochs)) > ROUNDS // 2
    assert (cuts > ROUNDS // 10, failed_over) == (True, FAILOVERS)
