"""A lease has one holder, by the server's clock; its epoch grows with each; a command ends before the lease does."""

from __future__ import annotations

import os
import select
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import psycopg
import pytest

from agentws.errors import AgentwsError, LockHeldError, MayNotWriteError, RemoteAwayError, UsageError
from agentws.features.fleet import database as _database, lease
from agentws.features.fleet.database import Database
from tests.features.fleet.team.conftest import GARDEN, Town
from tests.fleet.cluster import Server
from tests.fleet.proxy import Proxy

AGENT = "a" * 32


def expire(town: Town, seconds: int = 1) -> None:
    """Let the time of all leases be over."""
    town.owner("UPDATE agentws.leases SET until = clock_timestamp() - %s * interval '1 second'", seconds)


def test_of_two_holders_one_gets_the_lease(ana: Database) -> None:
    first = lease.take(ana, GARDEN, AGENT, "run", 60)
    second = lease.take(ana, GARDEN, AGENT, "run", 60)
    assert (first.is_taken, second.is_taken) == (True, False)
    assert (second.holder, second.epoch) == (first.holder, first.epoch)


def test_a_holder_whose_answer_was_lost_asks_again_and_has_the_same_epoch(ana: Database) -> None:
    first = lease.take(ana, GARDEN, AGENT, "run", 60, "me")
    again = lease.take(ana, GARDEN, AGENT, "run", 60, "me")
    assert (again.is_taken, again.epoch) == (True, first.epoch)


def test_each_new_holder_has_a_higher_epoch_and_the_old_one_holds_nothing(town: Town, ana: Database) -> None:
    first = lease.take(ana, GARDEN, AGENT, "run", 60)
    expire(town)
    second = lease.take(ana, GARDEN, AGENT, "run", 60)
    assert second.is_taken
    assert second.epoch > first.epoch
    assert not lease.check_fence(ana, GARDEN, AGENT, "run", first.epoch)
    assert not lease.renew(ana, GARDEN, AGENT, "run", first.epoch, 60)
    assert not lease.renew(ana, GARDEN, AGENT, "run", first.epoch)
    assert lease.check_fence(ana, GARDEN, AGENT, "run", second.epoch)


def test_a_lease_that_ended_is_not_renewed_even_if_nobody_took_it(town: Town, ana: Database) -> None:
    held = lease.take(ana, GARDEN, AGENT, "run", 60)
    expire(town)
    assert not lease.renew(ana, GARDEN, AGENT, "run", held.epoch, 60)
    assert lease.take(ana, GARDEN, AGENT, "run", 60, held.holder).epoch > held.epoch


def test_a_released_lease_is_free_and_its_epochs_go_on(ana: Database) -> None:
    held = lease.take(ana, GARDEN, AGENT, "run", 60)
    assert lease.renew(ana, GARDEN, AGENT, "run", held.epoch)
    (shown,) = lease.show(ana, GARDEN, AGENT)
    assert (shown.holder, shown.seconds_left) == ("", 0)
    assert lease.take(ana, GARDEN, AGENT, "run", 60).epoch == held.epoch + 1


def test_another_member_neither_renews_nor_releases_by_the_epoch(town: Town, ana: Database) -> None:
    held = lease.take(ana, GARDEN, AGENT, "run", 60)
    with _database.connected(town.url_of("ben")) as ben:
        assert not lease.renew(ben, GARDEN, AGENT, "run", held.epoch, 60)
        assert not lease.renew(ben, GARDEN, AGENT, "run", held.epoch)
    assert lease.check_fence(ana, GARDEN, AGENT, "run", held.epoch)


def test_epochs_grow_over_a_failover_that_lost_the_newest_lease(cluster: Server, town: Town, ana: Database) -> None:
    lease.take(ana, GARDEN, AGENT, "run", 60)
    standby = cluster.clone(synchronous=False)
    try:
        standby.promote()
        expire(town)
        newest = lease.take(ana, GARDEN, AGENT, "run", 60)  # which the standby, promoted already, never gets
        name = town.url.partition("@/")[2].partition("?")[0]
        standby.run("UPDATE agentws.leases SET until = now()", name)
        with _database.connected(standby.url(name, "ana")) as after:
            assert lease.take(after, GARDEN, AGENT, "run", 60).epoch > newest.epoch
    finally:
        standby.drop()


def test_a_transaction_that_checked_its_fence_ends_before_the_next_holder_begins(town: Town, ana: Database) -> None:
    held = lease.take(ana, GARDEN, AGENT, "run", 60)
    with psycopg.connect(town.url_of("ben"), autocommit=True) as other:
        other.execute("SET lock_timeout = '200ms'")
        with ana.transaction():
            assert lease.check_fence(ana, GARDEN, AGENT, "run", held.epoch)
            with pytest.raises(psycopg.errors.LockNotAvailable):
                other.execute("SELECT agentws.lease_take(%s, %s, 'run', 'other', 60)", (GARDEN, AGENT))


def test_racers_never_hold_the_same_epoch(town: Town) -> None:
    taken: list[tuple[int, str]] = []

    def race(number: int) -> None:
        with _database.connected(town.url_of("ana")) as racer:
            for turn in range(25):
                mine = lease.take(racer, GARDEN, AGENT, "run", 60, f"{number}:{turn}")
                if mine.is_taken:
                    taken.append((mine.epoch, mine.holder))
                    assert lease.renew(racer, GARDEN, AGENT, "run", mine.epoch)

    threads = [threading.Thread(target=race, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    epochs = [epoch for epoch, _ in taken]
    assert len(epochs) > 8
    assert len(set(epochs)) == len(epochs)


def test_another_team_takes_and_sees_nothing(town: Town, ana: Database) -> None:
    held = lease.take(ana, GARDEN, AGENT, "run", 60)
    lease.take(ana, GARDEN, "", "deploy", 60)
    with _database.connected(town.url_of("eve")) as eve:
        assert lease.show(eve, GARDEN) == []
        for call in (
            lambda: lease.take(eve, GARDEN, AGENT, "run", 60),
            lambda: lease.take(eve, GARDEN, "", "other", 60),
            lambda: lease.renew(eve, GARDEN, AGENT, "run", held.epoch, 60),
            lambda: lease.renew(eve, GARDEN, AGENT, "run", held.epoch),
            lambda: lease.check_fence(eve, GARDEN, AGENT, "run", held.epoch),
            lambda: eve.rows("INSERT INTO agentws.leases VALUES ('harbour', '', 'x', 'x', 'eve', 1, now())"),
            lambda: eve.rows("UPDATE agentws.leases SET holder = 'eve'"),
        ):
            with pytest.raises(MayNotWriteError):
                call()


@pytest.mark.parametrize("seconds", [0, -5, 86_401, float("nan")])
def test_a_lease_lasts_a_second_to_a_day(ana: Database, seconds: float) -> None:
    with pytest.raises(UsageError):
        lease.take(ana, GARDEN, AGENT, "run", seconds)


def run(url: str, *command: str, seconds: float = 60) -> int:
    """Run a command under the lease, with this process's variables."""
    return lease.run(url, GARDEN, AGENT, "run", seconds, command, os.environ)


def test_a_command_runs_under_the_lease_and_its_status_is_returned(town: Town, ana: Database) -> None:
    assert run(town.url_of("ana"), "sh", "-c", 'test "$AGENTWS_LEASE" = run && exit 7') == 7
    (shown,) = lease.show(ana, GARDEN, AGENT)
    assert shown.holder == ""


def test_a_command_does_not_start_while_somebody_holds_the_lease(town: Town, ana: Database, tmp_path: Path) -> None:
    lease.take(ana, GARDEN, AGENT, "run", 60)
    with pytest.raises(LockHeldError):
        run(town.url_of("ana"), "touch", str(tmp_path / "ran"))
    assert not (tmp_path / "ran").exists()


def test_a_command_that_is_not_there_frees_the_lease(town: Town, ana: Database) -> None:
    with pytest.raises(AgentwsError):
        run(town.url_of("ana"), "no-such-command-anywhere")
    assert [each.holder for each in lease.show(ana, GARDEN)] == [""]


_DIES = """
import os, signal, subprocess
from agentws.features.fleet import lease
class Dying(subprocess.Popen):
    def __init__(self, words, **more):
        super().__init__(words, **more)
        if words[0] == "sleep":
            os.kill(os.getpid(), signal.SIGKILL)
lease.subprocess.Popen = Dying
lease._Command(["sleep", "600"], os.environ)
"""


def test_a_holder_that_is_killed_once_its_command_has_started_takes_it_with_it() -> None:
    with subprocess.Popen([sys.executable, "-c", _DIES], stdout=subprocess.PIPE) as holder:
        assert holder.stdout is not None
        assert select.select([holder.stdout], [], [], 30)[0], "its output ends when all have ended that share it"
        assert holder.stdout.read() == b""
    assert holder.returncode == -signal.SIGKILL


def test_a_command_that_leaves_its_process_group_is_killed_all_the_same() -> None:
    leaves = (
        "import os, sys, time\ntry:\n    os.setsid()\nexcept OSError:\n    pass\nprint(1, flush=True)\ntime.sleep(60)"
    )
    holder = "import os\nfrom agentws.features.fleet import lease\n"
    holder += f"lease._Command({[sys.executable, '-c', leaves]}, os.environ)\ninput()"
    with subprocess.Popen([sys.executable, "-c", holder], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as holding:
        assert holding.stdout is not None
        assert holding.stdout.readline() == b"1\n"
        holding.kill()
        assert select.select([holding.stdout], [], [], 30)[0], "its output ends when the command has ended"


_WAITS = "import pathlib, sys, time\npathlib.Path(sys.argv[1]).write_text('started')\ntime.sleep(600)"


def test_a_command_is_killed_when_the_server_says_that_the_lease_ended(town: Town, tmp_path: Path) -> None:
    started = tmp_path / "started"

    def end() -> None:
        while not started.exists():
            time.sleep(0.01)
        expire(town)

    threading.Thread(target=end, daemon=True).start()
    with pytest.raises(LockHeldError, match="the database says that it ended"):
        run(town.url_of("ana"), sys.executable, "-c", _WAITS, str(started), seconds=6)


def test_a_command_is_ended_before_a_lease_that_cannot_be_renewed(cluster: Server, town: Town, tmp_path: Path) -> None:
    started = tmp_path / "started"
    with Proxy(cluster) as proxy:

        def cut() -> None:
            while not started.exists():
                time.sleep(0.01)
            proxy.cut()

        threading.Thread(target=cut, daemon=True).start()
        with pytest.raises(LockHeldError, match="could not be renewed in time"):
            run(proxy.url(town.url_of("ana")), sys.executable, "-c", _WAITS, str(started), seconds=6)
    with _database.connected(town.url_of("ana")) as ana:
        (shown,) = lease.show(ana, GARDEN)
        assert shown.seconds_left > 0, "the command had ended while the lease was still held"


def test_without_a_database_nothing_runs(tmp_path: Path) -> None:
    with pytest.raises(RemoteAwayError):
        run(f"postgresql://ana@/none?host={tmp_path}", "touch", str(tmp_path / "ran"))
    assert not (tmp_path / "ran").exists()
