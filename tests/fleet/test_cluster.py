"""What the tests of the fleet stand on does what it says."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import psycopg
import pytest

from tests.fleet.cluster import MISSING, Server, made_server, programs
from tests.fleet.proxy import Proxy


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    """A durable server of this module alone."""
    if programs() is None:
        pytest.skip(MISSING)
    with made_server(durable=True) as made:
        made.run("CREATE TABLE seen (number int PRIMARY KEY)")
        yield made


@pytest.fixture
def proxy(cluster: Server) -> Iterator[Proxy]:
    with Proxy(cluster) as made:
        yield made


def test_each_test_gets_an_empty_database(database: str) -> None:
    with psycopg.connect(database) as connection:
        schemas = connection.execute(
            "SELECT nspname FROM pg_namespace WHERE nspname !~ '^(pg_|information)'"
        ).fetchall()
    assert schemas == [("public",)]


def test_what_was_committed_is_there_after_a_kill(server: Server) -> None:
    server.run("INSERT INTO seen VALUES (1)")
    server.kill()
    with pytest.raises(psycopg.OperationalError):
        server.run("SELECT 1")
    server.start()
    assert server.run("SELECT number FROM seen") == [(1,)]
    server.restart()
    assert server.run("SELECT number FROM seen") == [(1,)]


def test_a_synchronous_standby_has_every_commit_when_the_primary_dies(server: Server) -> None:
    standby = server.clone(synchronous=True)
    try:
        for number in range(100, 130):
            server.run(f"INSERT INTO seen VALUES ({number})")
        assert standby.run("SELECT pg_is_in_recovery()") == [(True,)]
        server.kill()
        standby.promote()
        standby.run("INSERT INTO seen VALUES (130)")
        assert standby.run("SELECT count(*) FROM seen WHERE number >= 100") == [(31,)]
    finally:
        standby.drop()
        server.start()
        server.alone()


def test_a_server_ends_with_the_process_that_made_it() -> None:
    if programs() is None or sys.platform != "linux":
        pytest.skip("needs PostgreSQL and Linux")
    script = """
        import os
        from tests.fleet.cluster import Server, folder_for_servers
        server = Server.make(folder_for_servers() + "/a")
        server.start()
        print(server._process.pid, server.folder, flush=True)
        os.kill(os.getpid(), 9)
    """
    done = subprocess.run([sys.executable, "-c", textwrap.dedent(script)], capture_output=True, text=True)
    pid, folder = done.stdout.split()
    left = Server(folder)
    assert any(not _answers(left) for _ in range(1000))
    left.drop()
    os.rmdir(os.path.dirname(folder))
    assert int(pid) > 0


def _answers(server: Server) -> bool:
    try:
        return server.run("SELECT true FROM pg_sleep(0.01)") == [(True,)]
    except psycopg.OperationalError:
        return False


def test_a_cut_ends_connections_and_refuses_new_ones_until_mended(proxy: Proxy, cluster: Server) -> None:
    with psycopg.connect(proxy.url(cluster.url())) as connection:
        proxy.cut()
        with pytest.raises(psycopg.OperationalError):
            connection.execute("SELECT 1")
    with pytest.raises(psycopg.OperationalError):
        psycopg.connect(proxy.url(cluster.url()))
    proxy.mend()
    with psycopg.connect(proxy.url(cluster.url())) as connection:
        assert connection.execute("SELECT 1").fetchone() == (1,)


def test_a_cut_after_bytes_comes_in_the_middle_of_an_answer(proxy: Proxy, cluster: Server) -> None:
    with psycopg.connect(proxy.url(cluster.url())) as connection:
        proxy.cut(after_bytes=10_000)
        with pytest.raises(psycopg.OperationalError):
            connection.execute("SELECT repeat('x', 100000)")


def test_lost_answers_leave_the_work_done(proxy: Proxy, database: str) -> None:
    with (
        psycopg.connect(proxy.url(database), autocommit=True) as connection,
        psycopg.connect(database, autocommit=True) as watching,
        ThreadPoolExecutor(1) as pool,
    ):
        connection.execute("CREATE TABLE done (number int)")
        proxy.lose_answers()
        waiting = pool.submit(connection.execute, "INSERT INTO done VALUES (1)")
        while watching.execute("SELECT count(*) FROM done").fetchone() != (1,):
            assert not waiting.done()
        proxy.cut()
        assert isinstance(waiting.exception(), psycopg.OperationalError)


def test_a_half_closed_connection_lives_on_at_the_server(proxy: Proxy, cluster: Server) -> None:
    with psycopg.connect(proxy.url(cluster.url())) as connection:
        number = connection.info.backend_pid
        proxy.half_close()
        with pytest.raises(psycopg.OperationalError):
            connection.execute("SELECT 1")
        assert cluster.run(f"SELECT count(*) FROM pg_stat_activity WHERE pid = {number}") == [(1,)]


def test_a_delay_holds_pieces_back_and_a_proxy_can_lead_elsewhere(
    proxy: Proxy, cluster: Server, server: Server
) -> None:
    proxy.delay(0.01)
    with psycopg.connect(proxy.url(cluster.url())) as connection:
        assert connection.execute("SELECT to_regclass('seen')").fetchone() == (None,)
    proxy.mend()
    proxy.point_at(server)
    with psycopg.connect(proxy.url(cluster.url())) as connection:
        assert connection.execute("SELECT to_regclass('seen')").fetchone() == ("seen",)
