"""Machines to move between: each with its own sshd, home and name; on the loopback, or in network namespaces.

Nothing of the developer's own ssh is read or written: keys, known hosts and settings are made for the test, and an
`ssh` that uses them stands first on the PATH.
"""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from tests import forked

SSHD = shutil.which("sshd") or ("/usr/sbin/sshd" if os.path.exists("/usr/sbin/sshd") else None)
SSH = shutil.which("ssh")
RSYNC = shutil.which("rsync")
BIN = str(Path(sys.executable).parent)
"""Where `agentws` is: on the machines that have it."""
USUAL = "/usr/local/bin:/usr/bin:/bin"
_PATIENCE_S = 20.0
_HANGS_S = 600
_DEAF_S = 4
"""A connection that says nothing for so long is dead: so that cuts of the network do not take minutes."""

_SSHD_CONFIG = """\
Port {port}
ListenAddress {address}
HostKey {folder}/hostkey
AuthorizedKeysFile {base}/userkey.pub
PidFile {folder}/pid
StrictModes no
UsePAM no
UseDNS no
PasswordAuthentication no
KbdInteractiveAuthentication no
PermitRootLogin yes
PrintMotd no
SetEnv PATH={path} HOME={folder}/home XDG_STATE_HOME={folder}/home/state XDG_CACHE_HOME={folder}/home/cache TZ=UTC
"""
_SSH_CONFIG = """\
Host {name}
  HostName {address}
  Port {port}
  IdentityFile {base}/userkey
  IdentitiesOnly yes
  UserKnownHostsFile {base}/known_hosts
  GlobalKnownHostsFile /dev/null
  ServerAliveInterval 1
  ServerAliveCountMax {deaf}
"""


@dataclass
class Machine:
    """One machine: what its sshd listens on, and the folder that holds its home and its workspaces."""

    base: Path
    name: str
    address: str = "127.0.0.1"
    port: int = 0
    namespace: str = ""
    has_agentws: bool = True
    daemon: subprocess.Popen[bytes] | None = field(default=None, repr=False)

    @property
    def folder(self) -> Path:
        return self.base / self.name

    @property
    def within(self) -> list[str]:
        """What stands before a command that runs on this machine."""
        if not self.namespace:
            return []
        return ["ip", "netns", "exec", self.namespace, "unshare", "--uts", "sh", "-c", _NAMED, "sh", self.name]

    @property
    def environment(self) -> dict[str, str]:
        home = self.folder / "home"
        paths = [str(self.base / "bin"), *([BIN] if self.has_agentws else []), USUAL, "/usr/sbin", "/sbin"]
        states = {"XDG_STATE_HOME": str(home / "state"), "XDG_CACHE_HOME": str(home / "cache")}
        return {"PATH": ":".join(paths), "HOME": str(home), "TZ": "UTC", **states}

    def place(self, name: str) -> Path:
        """Where a workspace of this machine is."""
        return self.folder / "agents" / name

    def to(self, name: str) -> str:
        """That place, as another machine says it."""
        return f"{self.name}:{self.place(name)}"

    def begin(self) -> None:
        """Make its home, and let its sshd listen."""
        assert SSHD is not None
        for each in ("home", "agents"):
            (self.folder / each).mkdir(parents=True, exist_ok=True)
        self.port = self.port or _free_port()
        _key(self.folder / "hostkey")
        path = f"{BIN}:{USUAL}" if self.has_agentws else USUAL
        values = {"port": self.port, "address": self.address, "folder": self.folder, "base": self.base, "path": path}
        (self.folder / "sshd_config").write_text(_SSHD_CONFIG.format(**values))
        with open(self.base / "known_hosts", "a") as known:
            host = self.address if self.port == 22 else f"[{self.address}]:{self.port}"
            known.write(f"{host} {(self.folder / 'hostkey.pub').read_text()}")
        with open(self.base / "ssh_config", "a") as config:
            words = {"name": self.name, "address": self.address, "port": self.port, "base": self.base}
            config.write(_SSH_CONFIG.format(**words, deaf=_DEAF_S))
        if os.geteuid() == 0:
            os.makedirs("/run/sshd", exist_ok=True)
        words = [*self.within, SSHD, "-D", "-e", "-f", str(self.folder / "sshd_config")]
        with open(self.folder / "log", "wb") as log:
            self.daemon = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        self._listens()

    def _listens(self) -> None:
        deadline = time.monotonic() + _PATIENCE_S
        while not self._answers():
            assert time.monotonic() < deadline, (self.folder / "log").read_text()
            time.sleep(0.05)

    def _answers(self) -> bool:
        if self.namespace:
            probe = f"import socket; socket.create_connection(({self.address!r}, {self.port}), 1).close()"
            words = ["ip", "netns", "exec", self.namespace, sys.executable, "-c", probe]
            return subprocess.run(words, capture_output=True, check=False).returncode == 0
        try:
            socket.create_connection((self.address, self.port), 1).close()
        except OSError:
            return False
        return True

    def end(self) -> None:
        """Stop its sshd, and what that serves."""
        if self.daemon is not None:
            for pid in children(self.daemon.pid):
                kill(pid)
            self.daemon.kill()
            self.daemon.wait()

    def served(self) -> list[int]:
        """The processes that serve connections to this machine."""
        return children(self.daemon.pid) if self.daemon is not None else []

    # Running things here

    def run(self, *words: str, check: bool = True) -> subprocess.CompletedProcess[str]:
        done = subprocess.run(
            [*self.within, *words], capture_output=True, text=True, env=self.environment, check=False, cwd=self.folder
        )
        assert not check or done.returncode == 0, (words, done.returncode, done.stdout, done.stderr)
        return done

    def start(self, *words: str) -> subprocess.Popen[bytes]:
        """A command that goes on by itself; its process group ends with `kill`."""
        return subprocess.Popen(
            [*self.within, *words],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env=self.environment,
            cwd=self.folder,
        )

    def agentws(self, name: str, *words: str, check: bool = True) -> subprocess.CompletedProcess[str]:
        """Run agentws on a workspace of this machine; what it calls on another one is started there as it is."""
        called = ("-C", str(self.place(name)), *words)
        if self.namespace:
            return self.run(f"{BIN}/agentws", *called, check=check)
        done = forked.run_text(*called, env=self.environment, cwd=self.folder, guard_s=_HANGS_S)
        assert not check or done.returncode == 0, (words, done.returncode, done.stdout, done.stderr)
        return done

    def may_write(self, place: Path) -> bool:
        """True where this copy takes an event, as far as can be told without writing one."""
        found = self.run(sys.executable, "-c", _ASKS, str(place), check=False)
        assert found.returncode in (0, 15), found.stderr
        return found.returncode == 0


_NAMED = 'hostname "$1"; shift; exec "$@"'
_ASKS = """
import sys
from agentws import AgentwsError, Workspace
try:
    Workspace.open(sys.argv[1]).stores.check_writable()
except AgentwsError as error:
    sys.exit(error.exit_code)
"""


@contextmanager
def machines(base: Path, *found: Machine) -> Iterator[None]:
    """These machines, running, with an `ssh` that knows them all."""
    assert SSH is not None
    _key(base / "userkey")
    (base / "bin").mkdir()
    wrapper = base / "bin" / "ssh"
    wrapper.write_text(f'#!/bin/sh\nexec {SSH} -F {base}/ssh_config -o ServerAliveInterval=1 "$@"\n')
    wrapper.chmod(0o755)
    try:
        for each in found:
            each.begin()
        yield
    finally:
        for each in found:
            each.end()


def _key(path: Path) -> None:
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(path)], check=True)


def _free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


def children(pid: int) -> list[int]:
    """The processes that come from this one, the youngest first."""
    found: list[int] = []
    for task in Path(f"/proc/{pid}/task").glob("*/children"):
        try:
            told = task.read_text()
        except (FileNotFoundError, ProcessLookupError):  # it has ended since it was listed
            continue
        for child in told.split():
            found += [*children(int(child)), int(child)]
    return found


def kill(pid: int) -> None:
    try:
        os.kill(pid, signal.SIGKILL)
    except ProcessLookupError:
        pass
