"""A fleet over simulated weeks: shippers killed, the server killed and failed over, the network cut, clocks skewed.

`make fleet` takes 1,000 agents; CI a few, without the failover.
"""

from __future__ import annotations

import random
import subprocess
import sys
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from agentws.core.formats.journal import chain
from agentws.core.journal import read
from agentws.core.stores import record
from agentws.core.stores.record import Happening
from agentws.features.fleet import database, join, verify
from agentws.workspace import Environment, Workspace
from tests.fleet import shipper, town
from tests.fleet.cluster import Server, made_server, programs
from tests.fleet.proxy import Proxy
from tests.thorough import THOROUGH

AGENTS = 1_000 if THOROUGH else 5
WEEKS = 4 if THOROUGH else 2
EVENTS = 12
"""For each agent and week."""
SHIPPERS = 4 if THOROUGH else 2
NOON = datetime(2026, 10, 5, 12, tzinfo=UTC)
STORED = "SELECT agent, writer, seq, at, kind, session, src, header, tail, absent, hash FROM agentws.events"


def test_after_kills_cuts_and_a_failover_every_event_is_there_once(tmp_path: Path) -> None:
    if programs() is None:
        pytest.skip("PostgreSQL is missing: apt-get install postgresql")
    chance = random.Random(45)
    with made_server(durable=True, needed_bytes=4 << 30) as server, Proxy(server) as proxy:
        url = town.made(server, "fleet")
        roots = [_born(tmp_path / f"agent{number:04}", proxy.url(url)) for number in range(AGENTS)]
        standby = server.clone(synchronous=True) if THOROUGH else None
        serving = server
        for week in range(WEEKS):
            for root in roots:
                _live(root, week, chance)
            ways = [_kill_a_shipper, _cut, _kill_the_server, _fail_over]
            way = ways[week % 4] if THOROUGH else ways[week % 2]
            serving = way(tmp_path, roots, serving, standby, proxy, chance)
            _check_acknowledged(tmp_path, serving)
        proxy.mend()
        _wait(_ship(tmp_path, roots))

        stored = _rows(serving, "fleet")
        assert sorted((*row[:3], row[7]) for row in stored) == sorted(line for root in roots for line in _lines(root))
        with database.connected(serving.url("fleet")) as opened:
            assert [each for each in verify.verify(opened, town.TEAM) if each.wrong] == []
        _check_refill(tmp_path, roots, serving, proxy, stored)


def _born(root: Path, url: str) -> Path:
    """Make a workspace whose agent has joined the fleet."""
    home = root.with_name(f"{root.name}-home")
    home.mkdir()
    environment = Environment(
        now=NOON, timezone="UTC", state=(str(home / "state"), None), config=str(home / "config.toml")
    )
    workspace = Workspace.init(str(root), environment=environment, name=root.name, git=False)
    join.join(workspace.stores, url, town.TEAM, "all")
    return root


def _live(root: Path, week: int, chance: random.Random) -> None:
    """Record a session of this week, by a clock that is up to a day wrong, and at times weeks."""
    skew = timedelta(hours=chance.randrange(-24, 24)) + timedelta(weeks=chance.choice([0] * 18 + [-40, 3]))
    workspace = shipper.opened(root, NOON + timedelta(weeks=week) + skew)
    session = f"s{week}"
    happenings = [Happening("session.started", {}, session=session)]
    happenings += [
        Happening("note", {"text": f"measured bed {number} of week {week}"}, session=session)
        for number in range(EVENTS - 2)
    ]
    record.record(workspace.stores, [*happenings, Happening("session.ended", {}, session=session)])


def _ship(tmp_path: Path, roots: list[Path]) -> list[subprocess.Popen[bytes]]:
    """Start shippers that share the workspaces; each pair of them shares some."""
    words = [sys.executable, "-m", "tests.fleet.shipper"]
    shares = [[*roots[number::SHIPPERS], *roots[:2]] for number in range(SHIPPERS)]
    return [
        subprocess.Popen([*words, str(tmp_path / f"acknowledged{number}"), *map(str, share)], stdout=subprocess.PIPE)
        for number, share in enumerate(shares)
    ]


def _wait(running: list[subprocess.Popen[bytes]]) -> None:
    for process in running:
        process.communicate(timeout=1_800)
    assert [process.returncode for process in running] == [0] * len(running)


def _begun(running: list[subprocess.Popen[bytes]], chance: random.Random) -> None:
    """Wait until all shippers work, and then a while."""
    for process in running:
        assert process.stdout is not None
        process.stdout.readline()
    with pytest.raises(subprocess.TimeoutExpired):
        subprocess.run(["sleep", "9"], timeout=chance.uniform(0.0, 0.2 if not THOROUGH else 5.0))


def _kill_a_shipper(
    tmp_path: Path, roots: list[Path], server: Server, standby: Server | None, proxy: Proxy, chance: random.Random
) -> Server:
    running = _ship(tmp_path, roots)
    _begun(running, chance)
    killed = running.pop(chance.randrange(len(running)))
    killed.kill()
    killed.communicate()
    _wait(running)
    return server


def _cut(
    tmp_path: Path, roots: list[Path], server: Server, standby: Server | None, proxy: Proxy, chance: random.Random
) -> Server:
    running = _ship(tmp_path, roots)
    _begun(running, chance)
    for _ in range(8 if THOROUGH else 2):
        proxy.cut(after_bytes=chance.randrange(20_000))
        with pytest.raises(subprocess.TimeoutExpired):
            subprocess.run(["sleep", "9"], timeout=0.2)
        proxy.mend()
    _wait(running)
    return server


def _kill_the_server(
    tmp_path: Path, roots: list[Path], server: Server, standby: Server | None, proxy: Proxy, chance: random.Random
) -> Server:
    running = _ship(tmp_path, roots)
    _begun(running, chance)
    server.kill()
    server.start()
    _wait(running)
    return server


def _fail_over(
    tmp_path: Path, roots: list[Path], server: Server, standby: Server | None, proxy: Proxy, chance: random.Random
) -> Server:
    assert standby is not None
    running = _ship(tmp_path, roots)
    _begun(running, chance)
    server.kill()
    proxy.point_at(standby)
    standby.promote()
    _wait(running)
    return standby


def _check_acknowledged(tmp_path: Path, server: Server) -> None:
    """Everything that a shipper was told is stored, whatever was killed since."""
    told = {tuple(line.split()) for path in tmp_path.glob("acknowledged*") for line in path.read_text().splitlines()}
    heads = {
        (row[0], row[1]): int(str(row[2]))
        for row in server.run("SELECT agent, writer, head_seq FROM agentws.writers", "fleet")
    }
    assert [line for line in told if int(line[2]) > heads.get((line[0], line[1]), 0)] == []


def _rows(server: Server, name: str) -> list[tuple[object, ...]]:
    return server.run(f"{STORED} ORDER BY agent, writer, seq, at", name)


def _lines(root: Path) -> Iterator[tuple[str, str, int, str]]:
    """Every line of a workspace's journal: agent, writer, number, header."""
    stores = shipper.opened(root).stores
    for writer in read.writers(stores.files):
        numbers = read.segments(stores.files, writer)
        lines = (line for number in numbers for _, line in read.lines(stores.files, writer, number))
        for seq, line in enumerate(lines, 1):
            yield stores.manifest.agent_id, writer, seq, chain.header(line).decode()


def _check_refill(
    tmp_path: Path, roots: list[Path], server: Server, proxy: Proxy, stored: list[tuple[object, ...]]
) -> None:
    """An empty database, filled from the workspaces alone, holds the same."""
    server.run("ALTER DATABASE fleet RENAME TO fleet_before")
    town.made(server, "fleet")
    _wait(_ship(tmp_path, roots))
    assert _rows(server, "fleet") == stored
