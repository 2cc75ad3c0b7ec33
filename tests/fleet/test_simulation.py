"""A fleet over simulated weeks: shippers killed, the server killed and failed over, the network cut, clocks skewed.

`make fleet` takes 1,000 agents, CI a few. The shippers are a few processes that each ship many workspaces.
"""

from __future__ import annotations

import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from agentws.core.formats.journal import chain
from agentws.core.journal import read
from agentws.core.stores import record
from agentws.core.stores.record import Happening
from agentws.features.fleet import database, membership, verify
from agentws.workspace import Workspace
from tests.fleet import shipper, town
from tests.fleet.cluster import GUARD_S, MISSING, Server, made_server, programs
from tests.fleet.proxy import Proxy
from tests.thorough import THOROUGH

AGENTS = int(os.environ.get("AGENTWS_AGENTS", "1000" if THOROUGH else "3"))
EVENTS = 12
"""For each agent and week."""
SHIPPERS = 4 if THOROUGH else 2
FAILURES = 20 if THOROUGH else 2
"""Kills of shippers, and cuts, in their week."""
COMMANDS = 5 if THOROUGH else 1
"""Agents that ship by the command itself."""
PAUSE_S = 2.0 if THOROUGH else 0.2
NOON = datetime(2026, 10, 5, 12, tzinfo=UTC)
STORED = "SELECT agent, writer, seq, at, kind, session, src, header, tail, absent, hash FROM agentws.events"


@dataclass
class Fleet:
    """The agents, the server that they ship to, and the network between."""

    folder: Path
    serving: Server
    network: Proxy
    chance: random.Random
    roots: list[Path] = field(default_factory=list)
    week: int = 0
    failures: int = 0

    def shipping(self) -> list[subprocess.Popen[bytes]]:
        """Start the shippers of a week; each of them shares two workspaces with the others. Waits until all work."""
        running = [self.shipper(number) for number in range(SHIPPERS)]
        for process in running:
            assert process.stdout is not None
            process.stdout.readline()
        return running

    def shipper(self, number: int) -> subprocess.Popen[bytes]:
        """Start a shipper; one that was killed goes on behind what was acknowledged."""
        share = map(str, [*self.roots[number::SHIPPERS], *self.roots[:2]])
        notes = self.folder / f"acknowledged-{self.week}-{number}"
        return subprocess.Popen(
            [sys.executable, "-m", "tests.fleet.shipper", notes, *share], stdout=subprocess.PIPE, stderr=subprocess.PIPE
        )

    def pause(self) -> None:
        """Let the shippers work for a while."""
        time.sleep(self.chance.uniform(0, PAUSE_S))

    def ship(self) -> None:
        """Ship everything without a failure."""
        ended(self.shipping())


def test_after_kills_cuts_and_failovers_every_event_is_there_once() -> None:
    if programs() is None:
        pytest.skip(MISSING)
    with made_server(durable=True, needed_bytes=4 << 30) as server, Proxy(server) as network, memory() as folder:
        fleet = Fleet(folder, server, network, random.Random(45))
        url = network.url(town.made(server, "fleet"))
        fleet.roots = [born(folder / f"agent{number:04}", url) for number in range(AGENTS)]
        say(f"{AGENTS} agents were born")
        for fail in (kill_shippers, cut, kill_the_server, fail_over, lose_the_server):
            for root in fleet.roots:
                live(root, fleet.week, fleet.chance)
            fail(fleet)
            check_acknowledged(fleet)
            say(f"week {fleet.week}: {fail.__name__}, {fleet.failures} failures so far")
            fleet.week += 1
        assert fleet.failures >= 2 * FAILURES
        for root in fleet.roots[:COMMANDS]:
            live(root, fleet.week, fleet.chance)
            by_command(root)
        fleet.ship()

        stored = rows(fleet.serving)
        assert sorted((*row[:3], row[7]) for row in stored) == sorted(
            line for root in fleet.roots for line in lines(root)
        )
        assert len(stored) > AGENTS * EVENTS * 5
        with database.connected(fleet.serving.url("fleet")) as opened:
            verified = verify.verify(opened, town.TEAM)
        assert (len(verified), [each for each in verified if each.wrong]) == (AGENTS, [])
        say(f"{len(stored):,} events, each once; {len(verified)} chains verified")
        check_refill(fleet, stored)
        say("an empty database was filled again, the same")


@contextmanager
def memory() -> Iterator[Path]:
    """A folder in memory where there is one: workspaces sync a lot."""
    name = tempfile.mkdtemp(prefix="agentws-fleet-", dir="/dev/shm" if os.access("/dev/shm", os.W_OK) else None)
    try:
        yield Path(name)
    finally:
        shutil.rmtree(name, ignore_errors=True)


def say(what: str) -> None:
    """Show progress where pytest's `-s` is given."""
    print(f"{time.process_time():7.1f} s  {what}", flush=True)


def born(root: Path, url: str) -> Path:
    """Make a workspace whose agent has joined the fleet."""
    environment = shipper.surroundings(root, NOON)
    shipper.home_of(root).joinpath("config/agentws").mkdir(parents=True)
    workspace = Workspace.init(str(root), environment=environment, name=root.name, git=False)
    membership.join(workspace.stores, url, town.TEAM, "all")
    return root


def live(root: Path, week: int, chance: random.Random) -> None:
    """Record a session of this week, by a clock that is up to a day wrong, and at times weeks."""
    skew = timedelta(hours=chance.randrange(-24, 24)) + timedelta(weeks=chance.choice([0] * 18 + [-40, 3]))
    workspace = shipper.opened(root, NOON + timedelta(weeks=week) + skew)
    session = f"s{week}"
    notes = [{"text": f"measured bed {number} of week {week}"} for number in range(EVENTS - 2)]
    happenings = [Happening("note", body, session=session) for body in notes]
    begin, end = (Happening(f"session.{what}", {}, session=session) for what in ("started", "ended"))
    record.record(workspace.stores, [begin, *happenings, end])


def by_command(root: Path) -> None:
    """Ship a workspace by the command itself."""
    home = shipper.home_of(root)
    variables = {"XDG_CONFIG_HOME": str(home / "config"), "XDG_STATE_HOME": str(home / "state"), "HOME": str(home)}
    words = [str(Path(sys.executable).with_name("agentws")), "-C", str(root), "fleet", "ship"]
    done = subprocess.run(words, env=os.environ | variables, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def ended(running: list[subprocess.Popen[bytes]]) -> None:
    """Wait for the shippers; each must have shipped all of its share."""
    for process in running:
        _, errors = process.communicate(timeout=1_800)
        assert process.returncode == 0, errors.decode()[-3000:]


def kill_shippers(fleet: Fleet) -> None:
    """Kill shippers in the middle; others go on in their place."""
    running = fleet.shipping()
    for _ in range(FAILURES):
        fleet.pause()
        number = fleet.chance.randrange(SHIPPERS)
        running[number].kill()
        running[number].communicate()
        running[number] = fleet.shipper(number)
        fleet.failures += 1
    ended(running)


def cut(fleet: Fleet) -> None:
    """Cut the network in the middle of statements and answers, or lose the answers alone."""
    running = fleet.shipping()
    for number in range(FAILURES):
        if number % 4 == 3:
            fleet.network.lose_answers()
            fleet.pause()
            fleet.network.cut()
        else:
            fleet.network.cut(after_bytes=fleet.chance.randrange(20_000))
        fleet.pause()
        fleet.network.mend()
        fleet.pause()
        fleet.failures += 1
    ended(running)


def kill_the_server(fleet: Fleet) -> None:
    """Kill all processes of the server, which starts again."""
    while_shipping(fleet, fleet.serving.restart)


def fail_over(fleet: Fleet) -> None:
    """Kill the server; its synchronous standby goes on."""
    standby = fleet.serving.clone(synchronous=True)

    def promote() -> None:
        fleet.network.point_at(standby)
        standby.promote()
        fleet.serving = standby

    while_shipping(fleet, promote)


def lose_the_server(fleet: Fleet) -> None:
    """Kill the server; its asynchronous standby, which lacks what was acknowledged last, goes on."""
    standby = fleet.serving.clone(synchronous=False)
    standby.cut_off()
    running = fleet.shipping()
    until = time.monotonic() + GUARD_S
    while not acknowledged(fleet) - heads_of(standby):
        assert time.monotonic() < until, "nothing was shipped"
        time.sleep(0.02)
    fleet.pause()
    fleet.serving.kill()
    # Now, since a shipper that goes on may ship again what was lost.
    assert acknowledged(fleet) - heads_of(standby)
    fleet.serving = standby
    fleet.network.point_at(standby)
    standby.promote()
    fleet.failures += 1
    ended(running)
    for notes in fleet.folder.glob(f"acknowledged-{fleet.week}-*"):
        notes.unlink()
    fleet.ship()


def while_shipping(fleet: Fleet, go_on: Callable[[], None]) -> None:
    """Kill the server while shippers work, then go on."""
    running = fleet.shipping()
    fleet.pause()
    fleet.serving.kill()
    go_on()
    fleet.failures += 1
    ended(running)


Heads = set[tuple[str, str, int]]


def acknowledged(fleet: Fleet) -> Heads:
    """The newest events of which shippers have heard that they are stored: agent, writer, number."""
    newest: dict[tuple[str, str], int] = {}
    for notes in fleet.folder.glob("acknowledged*"):
        for line in notes.read_text().splitlines():
            agent, writer, seq = line.split()
            newest[agent, writer] = max(int(seq), newest.get((agent, writer), 0))
    return {(*place, seq) for place, seq in newest.items()}


def heads_of(server: Server) -> Heads:
    """The heads that the database has witnessed."""
    return set(server.run("SELECT agent, writer, head_seq FROM agentws.writers", "fleet"))  # type: ignore[arg-type]


def check_acknowledged(fleet: Fleet) -> None:
    """What was acknowledged is stored, whatever was killed since."""
    heads = {place[:2]: place[2] for place in heads_of(fleet.serving)}
    assert [line for line in acknowledged(fleet) if line[2] > heads.get(line[:2], 0)] == []


def rows(server: Server) -> list[tuple[object, ...]]:
    """All stored events."""
    return server.run(f"{STORED} ORDER BY agent, writer, seq, at", "fleet")


def lines(root: Path) -> Iterator[tuple[str, str, int, str]]:
    """Every line of a workspace's journal: agent, writer, number, header."""
    stores = shipper.opened(root).stores
    for writer in read.writers(stores.files):
        numbers = read.segments(stores.files, writer)
        stored = (line for number in numbers for _, line in read.lines(stores.files, writer, number))
        for seq, line in enumerate(stored, 1):
            yield stores.manifest.agent_id, writer, seq, chain.header(line).decode()


def check_refill(fleet: Fleet, stored: list[tuple[object, ...]]) -> None:
    """An empty database, filled from the workspaces alone, holds the same."""
    fleet.serving.run("ALTER DATABASE fleet RENAME TO fleet_before")
    town.made(fleet.serving, "fleet")
    fleet.week += 1
    fleet.ship()
    assert rows(fleet.serving) == stored
