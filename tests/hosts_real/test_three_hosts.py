"""P9 between real machines: three hosts with names, homes and sshd of their own, and a network that can be cut."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests import own_mounts
from tests.hosts_real import rig
from tests.hosts_real.rig import BIN, Machine

_PORT = 22
_PATIENCE_S = 60.0
CUTS = [round(1500 * 1.23**number) for number in range(30)]
"""Bytes towards the destination after which the network is cut: from the greeting of ssh to the end of the copy."""


class Net:
    """Machines a, b and c, each in a network namespace, all on one wire."""

    def __init__(self, base: Path) -> None:
        self.base = base
        self.names = {name: f"aws{os.getpid()}{name}" for name in "abc"}
        self.bridge = f"aws{os.getpid()}x"
        self.machines = [
            Machine(base, name, f"10.77.0.{number}", _PORT, namespace, has_agentws=name != "c")
            for number, (name, namespace) in enumerate(self.names.items(), 1)
        ]

    def begin(self) -> None:
        ip("netns", "add", self.bridge)
        within(self.bridge, "ip", "link", "add", "wire", "type", "bridge")
        within(self.bridge, "ip", "link", "set", "wire", "up")
        for number, (name, namespace) in enumerate(self.names.items(), 1):
            ip("netns", "add", namespace)
            pair = ["link", "add", "eth", "netns", namespace, "type", "veth", "peer", "name", f"to-{name}"]
            ip(*pair, "netns", self.bridge)
            within(self.bridge, "ip", "link", "set", "dev", f"to-{name}", "master", "wire", "up")
            within(namespace, "ip", "address", "add", f"10.77.0.{number}/24", "dev", "eth")
            within(namespace, "ip", "link", "set", "eth", "up")
            within(namespace, "ip", "link", "set", "lo", "up")

    def end(self) -> None:
        for namespace in [*self.names.values(), self.bridge]:
            subprocess.run(["ip", "netns", "del", namespace], check=False)

    def cut_after(self, machine: Machine, count: int) -> None:
        """Let so many bytes more reach the sshd of a machine, and nothing after that, either way."""
        rule = ["-p", "tcp", "--dport", str(_PORT)]
        within(
            machine.namespace, "iptables", "-A", "INPUT", *rule, "-m", "quota", "--quota", str(count), "-j", "ACCEPT"
        )
        within(machine.namespace, "iptables", "-A", "INPUT", *rule, "-j", "DROP")

    def mend(self, machine: Machine) -> None:
        within(machine.namespace, "iptables", "-F", "INPUT")


def ip(*words: str) -> None:
    subprocess.run(["ip", *words], check=True, capture_output=True)


def within(namespace: str, *words: str) -> None:
    subprocess.run(["ip", "netns", "exec", namespace, *words], check=True, capture_output=True)


@pytest.fixture
def net(tmp_path: Path) -> Iterator[Net]:
    with running(Net(tmp_path)) as found:
        yield found


@pytest.fixture
def small(tmp_path: Path) -> Iterator[Net]:
    """As `net`, where b has a disk of 6 MiB for its agents. Mounted first: later on its sshd would not see it."""
    agents = tmp_path / "b" / "agents"
    agents.mkdir(parents=True)
    own_mounts.mount("-t", "tmpfs", "-o", "size=6m", "tmpfs", str(agents)).check_returncode()
    try:
        with running(Net(tmp_path)) as found:
            yield found
    finally:
        subprocess.run(["umount", "-l", str(agents)], check=True)


@contextmanager
def running(net: Net) -> Iterator[Net]:
    try:
        net.begin()
        with rig.machines(net.base, *net.machines):
            a = net.machines[0]
            a.run(f"{BIN}/agentws", "init", "--no-git", "--name", "Robin", str(a.place("robin")))
            a.agentws("robin", "log", "written on a")
            fill(a.place("robin"), 200)
            yield net
    finally:
        net.end()


def fill(place: Path, files: int, size: int = 2000) -> None:
    """More than goes through the open connection."""
    (place / "notes").mkdir(exist_ok=True)
    for number in range(files):
        (place / "notes" / f"{number}.txt").write_bytes(os.urandom(size // 2).hex().encode())
    if not (place / "notes" / "link").is_symlink():
        (place / "notes" / "link").symlink_to("../nowhere")


def copies(net: Net) -> list[Path]:
    found = {path.parent for each in net.machines for path in (each.folder / "agents").glob("*/agentws.toml")}
    return sorted(found | {p.parent for m in net.machines for p in (m.folder / "agents").glob(".*/agentws.toml")})


def writable(net: Net) -> list[Path]:
    return [place for place in copies(net) if net.machines[0].may_write(place)]


def held(root: Path) -> dict[str, object]:
    """What a tree holds, but for what belongs to one machine."""
    found: dict[str, object] = {}
    for path in root.rglob("*"):
        name = str(path.relative_to(root))
        if name.split("/")[0] in (".agentws", "identity"):
            continue  # of one machine; and what grows there by the installation that is signed in
        status = path.lstat()
        content = os.readlink(path) if path.is_symlink() else path.read_bytes() if path.is_file() else None
        found[name] = (status.st_mode, 0 if path.is_dir() else int(status.st_mtime), content)
    return found


def check(net: Net, source: Machine, goal: Machine) -> None:
    """At least one complete copy, at most one that may be written."""
    may = writable(net)
    assert len(may) <= 1, may
    here, there = held(source.place("robin")), held(goal.place("robin"))
    assert sum(name.startswith("notes/") for name in here) == 201, "the source is whole"
    if there:
        assert there == here, "what is in its place is all of it"
        assert may == [goal.place("robin")]


def test_from_a_to_b_to_c_and_home_with_work_in_between(net: Net) -> None:
    a, b, c = net.machines

    first = json.loads(a.agentws("robin", "migrate", b.to("robin"), "--yes", "--json").stdout)
    b.agentws("robin", "log", "written on b")
    second = json.loads(b.agentws("robin", "migrate", c.to("robin"), "--yes", "--json").stdout)
    c.agentws("robin", "log", "written on c")
    c.agentws("robin", "event", "decision", "to go home")
    third = json.loads(c.agentws("robin", "migrate", a.to("robin"), "--yes", "--json").stdout)

    assert [done["host"] for done in (first, second, third)] == ["b", "c", "a"]
    assert [done["booted"] for done in (first, second, third)] == [True, None, True], "c has no agentws of its own"
    days = "".join(path.read_text() for path in (a.place("robin") / "memory").glob("*.md"))
    assert all(f"written on {name}" in days for name in "abc")
    assert writable(net) == [a.place("robin")]
    assert Path(third["aside"]).is_dir()
    assert a.agentws("robin", "journal", "verify").returncode == 0
    a.agentws("robin", "log", "home again")


@pytest.mark.parametrize("count", CUTS)
def test_a_cut_of_the_network_leaves_one_agent_and_a_rerun_finishes_it(net: Net, count: int) -> None:
    a, b, _ = net.machines
    net.cut_after(b, count)

    cut = a.agentws("robin", "migrate", b.to("robin"), "--yes", check=False)

    assert cut.returncode in (0, 20), cut.stderr
    check(net, a, b)
    net.mend(b)
    a.agentws("robin", "migrate", b.to("robin"), "--yes")
    assert writable(net) == [b.place("robin")]
    assert held(a.place("robin")) == held(b.place("robin"))


STEPS: dict[str, Callable[[Machine, Machine], bool]] = {
    "begun": lambda a, b: (a.place("robin") / ".agentws" / "migration.json").exists(),
    "receiving": lambda a, b: bool(list((b.folder / "agents").glob(".robin.incoming-*"))),
    "in the middle": lambda a, b: bool(list((b.folder / "agents").glob(".robin.incoming-*/notes/1*"))),
    "copied": lambda a, b: '"copied"' in (a.place("robin") / ".agentws" / "migration.json").read_text(),
    "handed over": lambda a, b: (a.place("robin") / "identity" / "moved.json").exists(),
    "in its place": lambda a, b: b.place("robin").exists(),
}


@pytest.mark.parametrize("which", ["source", "destination"])
@pytest.mark.parametrize("step", STEPS)
def test_killed_at_a_step_on_either_side_a_rerun_finishes_it(net: Net, step: str, which: str) -> None:
    a, b, _ = net.machines
    process = a.start(f"{BIN}/agentws", "-C", str(a.place("robin")), "migrate", b.to("robin"), "--yes")
    deadline = time.monotonic() + _PATIENCE_S
    while process.poll() is None and not reached(step, a, b):
        assert time.monotonic() < deadline

    for pid in [*rig.children(process.pid), process.pid] if which == "source" else b.served():
        rig.kill(pid)
    process.wait()

    check(net, a, b)
    a.agentws("robin", "log", "in between", check=False)
    a.agentws("robin", "migrate", b.to("robin"), "--yes")
    assert writable(net) == [b.place("robin")]
    assert held(a.place("robin")).items() <= held(b.place("robin")).items()


def reached(step: str, a: Machine, b: Machine) -> bool:
    try:
        return STEPS[step](a, b)
    except FileNotFoundError:
        return False


def test_a_full_disk_at_the_destination_is_said_and_with_room_a_rerun_finishes_it(small: Net) -> None:
    a, b, _ = small.machines
    fill(a.place("robin"), 200, 60_000)
    agents = b.folder / "agents"

    told = a.agentws("robin", "migrate", b.to("robin"), "--yes", check=False)

    assert told.returncode == 1, "seen before anything is sent"
    assert "are free" in told.stderr
    assert os.listdir(agents) == []
    check(small, a, b)


def test_a_disk_that_fills_up_on_the_way_leaves_a_copy_that_a_rerun_goes_on_with(small: Net) -> None:
    a, b, _ = small.machines
    fill(a.place("robin"), 200, 60_000)
    agents = b.folder / "agents"
    resize(agents, "48m")
    process = a.start(f"{BIN}/agentws", "-C", str(a.place("robin")), "migrate", b.to("robin"), "--yes")
    while process.poll() is None and not reached("receiving", a, b):
        pass
    fill_up(agents / "ballast")

    assert process.wait() in (1, 20)
    check(small, a, b)
    (agents / "ballast").unlink()
    a.agentws("robin", "migrate", b.to("robin"), "--yes")

    assert writable(small) == [b.place("robin")]
    assert held(a.place("robin")) == held(b.place("robin"))


def resize(mounted: Path, size: str) -> None:
    own_mounts.mount("-o", f"remount,size={size}", str(mounted)).check_returncode()


def fill_up(path: Path) -> None:
    with open(path, "wb", buffering=0) as file:
        try:
            while True:
                file.write(bytes(1 << 16))
        except OSError:
            return


def test_another_key_than_the_known_one_stops_it_before_anything_is_sent(net: Net, tmp_path: Path) -> None:
    a, b, c = net.machines
    wrong = (c.folder / "hostkey.pub").read_text()
    known = (tmp_path / "known_hosts").read_text().replace((b.folder / "hostkey.pub").read_text(), wrong)
    (tmp_path / "known_hosts").write_text(known)

    told = a.agentws("robin", "migrate", b.to("robin"), "--yes", check=False)

    assert told.returncode == 20
    assert os.listdir(b.folder / "agents") == []
    assert writable(net) == [a.place("robin")]
    assert (tmp_path / "known_hosts").read_text() == known


def test_what_is_written_while_it_moves_moves_along(net: Net) -> None:
    a, b, _ = net.machines
    fill(a.place("robin"), 200, 60_000)
    writer = a.start("sh", "-c", f'while {BIN}/agentws -C "{a.place("robin")}" log busy >>"{tmp(a)}"; do :; done')
    while not tmp(a).exists():
        time.sleep(0.01)

    a.agentws("robin", "migrate", b.to("robin"), "--yes")
    writer.wait()

    acknowledged = len(tmp(a).read_text().splitlines())
    days = "".join(path.read_text() for path in (b.place("robin") / "memory").glob("*.md"))
    assert days.count("busy") == acknowledged > 0


def tmp(machine: Machine) -> Path:
    return machine.folder / "acknowledged"


def test_interrupted_and_given_up_the_agent_goes_on_at_home(net: Net) -> None:
    a, b, _ = net.machines
    process = a.start(f"{BIN}/agentws", "-C", str(a.place("robin")), "migrate", b.to("robin"), "--yes")
    while process.poll() is None and not reached("in the middle", a, b):
        pass
    for pid in rig.children(process.pid)[-1:]:
        os.kill(pid, signal.SIGINT)
    process.send_signal(signal.SIGINT)
    process.wait()

    if writable(net) == [a.place("robin")]:
        a.agentws("robin", "migrate", "--abort")
        assert os.listdir(b.folder / "agents") == []
        a.agentws("robin", "log", "still here")
