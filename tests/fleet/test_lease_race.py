"""A lease raced under cuts: never two holders with a valid fence."""

from __future__ import annotations

import random
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from threading import Barrier, BrokenBarrierError

import psycopg

from tests.fleet import town
from tests.fleet.cluster import Server, as_role
from tests.fleet.proxy import Proxy
from tests.thorough import THOROUGH

ROUNDS = 1_000 if THOROUGH else 60
HOLDERS = 4
_CUT_BYTES = 1_500
"""A round says and hears about so much."""


class Holder:
    """A client that takes the lease and, while it holds it, writes; each by its own network."""

    def __init__(self, name: str, url: str) -> None:
        self.name = name
        self.epochs: set[int] = set()
        self._url = url

    def round(self, barrier: Barrier) -> None:
        """Race once. A cut ends the round, wherever it is."""
        try:
            with psycopg.connect(self._url, autocommit=True) as connection:
                self._race(connection, barrier)
        except psycopg.OperationalError:
            barrier.abort()  # cut
        except BrokenBarrierError:
            pass  # another was cut before the start

    def _race(self, connection: psycopg.Connection, barrier: Barrier) -> None:
        barrier.wait()
        row = connection.execute(
            "SELECT is_taken, epoch FROM agentws.lease_take(%s, '', 'mail', %s, 1)", (town.TEAM, self.name)
        ).fetchone()
        assert row is not None
        if row[0]:
            self.epochs.add(row[1])
            self._write(connection, row[1])
            connection.execute("SELECT agentws.lease_release(%s, '', 'mail', %s)", (town.TEAM, row[1]))
        for epoch in sorted(self.epochs)[-3:]:
            self._write(connection, epoch)

    def _write(self, connection: psycopg.Connection, epoch: int) -> None:
        """Write under the fence, perhaps long after the lease is gone."""
        with connection.transaction():
            values = (town.TEAM, epoch)
            if connection.execute("SELECT agentws.check_fence(%s, '', 'mail', %s)", values).fetchone() == (True,):
                connection.execute("INSERT INTO written (epoch, holder) VALUES (%s, %s)", (epoch, self.name))


def test_no_two_holders_ever_write_under_a_valid_fence(cluster: Server) -> None:
    url = town.made(cluster, "lease_race")
    name = "lease_race"
    cluster.run("CREATE TABLE written (number bigserial, epoch bigint, holder text)", name)
    cluster.run("GRANT ALL ON written, written_number_seq TO PUBLIC", name)
    chance = random.Random(45)
    with ExitStack() as stack:
        networks = [stack.enter_context(Proxy(cluster)) for _ in range(HOLDERS)]
        holders = [Holder(f"holder-{n}", network.url(as_role(url, town.ROLE))) for n, network in enumerate(networks)]
        pool = stack.enter_context(ThreadPoolExecutor(HOLDERS))
        for _ in range(ROUNDS):
            for network in networks:
                network.mend()
            if chance.random() < 0.3:
                chance.choice(networks).cut(after_bytes=chance.randrange(_CUT_BYTES))
            barrier = Barrier(HOLDERS)
            for ended in [pool.submit(holder.round, barrier) for holder in holders]:
                ended.result()
        cuts = sum(network.cuts for network in networks)
    rows = cluster.run("SELECT epoch, holder FROM written ORDER BY number", name)
    cluster.run(f"DROP DATABASE {name} WITH (FORCE)")

    epochs = [epoch for epoch, _ in rows]
    assert epochs == sorted(epochs)  # nobody wrote under an older epoch once a newer one had begun
    assert len(set(rows)) == len(set(epochs))  # each epoch has one holder
    taken = [holder.epochs for holder in holders]
    assert sum(map(len, taken)) == len(set().union(*taken))
    assert len(set(epochs)) > ROUNDS // 4
    assert cuts > ROUNDS // 10
