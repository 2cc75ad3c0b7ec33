"""The connection to the PostgreSQL database of a fleet, and the failures of it as errors of this program."""

from __future__ import annotations

import contextlib
import json
import os
import socket
import threading
from contextlib import contextmanager
from dataclasses import dataclass, replace

from agentws.core import extras
from agentws.core.text.sanitize import one_line
from agentws.errors import AgentwsError, MayNotWriteError, OutsideProgramError, RemoteAwayError, UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from types import ModuleType
    from typing import TypeVar

    import psycopg

    Row = tuple[object, ...]
    Record = TypeVar("Record")
    Values = Sequence[object] | Mapping[str, object]

_TIMEOUT_S = 10
_NETWORK = {"keepalives_idle": 15, "keepalives_interval": 5, "keepalives_count": 3, "tcp_user_timeout": 20_000}
"""Parameters of libpq (seconds, milliseconds) with which a connection through a dead network ends."""
_MOST_MS = {"statement_timeout": 120_000, "lock_timeout": 60_000, "idle_in_transaction_session_timeout": 120_000}
_LIMITS = """
    SELECT set_config(name, %s::json ->> name, false) FROM pg_settings
    WHERE name IN (SELECT json_object_keys(%s::json)) AND source IN ('default', 'configuration file') AND setting = '0'
"""
"""Sets limits of the server where neither the URL, a service file, the role nor the database sets one."""
_GRACE_S = 15.0
_NO_TABLES = ("3F000", "42P01", "42883")
_AWAY = ("53300", "25006", "55P03")
"""Too many connections, a standby, a lock that was not free in time: later it may work."""
_TRIES = 4
_AGAIN = ("40P01", "40001")
"""Deadlock, serialization failure: PostgreSQL took the statement back, and it may be run again."""
_LOOPBACK = ("localhost", "127.0.0.1", "::1")
_SAFE = ("require", "verify-ca", "verify-full")
"""Values of PGSSLMODE that encrypt surely: no weaker one replaces them."""
_SECRET = frozenset({"password", "sslpassword", "scram_client_key", "oauth_client_secret"})
"""Parameters of a URL that are secrets."""
_PASSWORDS = (
    "~/.pgpass, a service file or a client certificate (https://www.postgresql.org/docs/current/libpq-pgpass.html)"
)
_OWN_STATE = "AW"
"""SQLSTATEs that begin so are raised by the functions of the schema: their messages are for users."""


@dataclass(frozen=True, slots=True)
class Database:
    """An open connection, in autocommit mode."""

    connection: psycopg.Connection[Row]
    patience_s: float | None = None
    """The seconds after which a statement without any answer ends the connection: RemoteAwayError. None: never."""

    def rows(self, statement: str, values: Values = ()) -> list[Row]:
        """Return the rows of a statement; values replace its `%s`, or `%(name)s`.

        Outside of a transaction, one that PostgreSQL took back is run again.
        """
        for attempt in range(_TRIES):
            try:
                with _failures(), self._bounded(), self.connection.cursor() as cursor:
                    cursor.execute(statement.encode(), values or None)
                    return cursor.fetchall() if cursor.description else []
            except OutsideProgramError as error:
                is_within = self.connection.info.transaction_status != driver().pq.TransactionStatus.IDLE
                if is_within or getattr(error.__cause__, "sqlstate", None) not in _AGAIN or attempt == _TRIES - 1:
                    raise
        raise AssertionError

    @contextmanager
    def _bounded(self) -> Iterator[None]:
        """End the connection if the block takes longer than the patience: a server that hangs says nothing."""
        if self.patience_s is None:
            yield
            return
        timer = threading.Timer(self.patience_s, _hang_up, (self.connection.fileno(),))
        timer.daemon = True
        timer.start()
        try:
            yield
        finally:
            timer.cancel()

    def records(self, kind: Callable[..., Record], statement: str, values: Values = ()) -> list[Record]:
        """Return the rows of a statement, each as a record with its columns in order."""
        return [kind(*row) for row in self.rows(statement, values)]

    def row(self, statement: str, values: Values = ()) -> Row:
        """Return the first row of a statement, empty without one."""
        return next(iter(self.rows(statement, values)), ())

    def wait(self, seconds: float) -> None:
        """Wait for a notification, at most so long."""
        with _failures():
            for _ in self.connection.notifies(timeout=seconds, stop_after=1):
                pass

    @contextmanager
    def transaction(self, *, is_kept: bool = True) -> Iterator[None]:
        """Run the statements within in one transaction, which is rolled back at the end unless it `is_kept`."""
        with _failures(), self.connection.transaction(force_rollback=not is_kept):
            yield


def check_url(url: str) -> None:
    """Raise UsageError for a URL that PostgreSQL's client cannot read, or that contains a password."""
    if _SECRET.intersection(_parts(url)):
        raise UsageError("The URL contains a password, which agentws does not keep.", hint=f"Use {_PASSWORDS}.")


@contextmanager
def connected(url: str) -> Iterator[Database]:
    """Connect to the database at `url`, for as long as the block runs. RemoteAwayError if it cannot be reached."""
    with _failures():
        psycopg = driver()
        parts = _parts(url)
        defaults: dict[str, str | int] = {"application_name": "agentws"}
        usual = {option.keyword.decode(): (option.val or b"").decode() for option in psycopg.pq.Conninfo.get_defaults()}
        defaults["connect_timeout"] = usual["connect_timeout"] or _TIMEOUT_S  # psycopg reads no service file for it
        is_service = "service" in parts  # its file may say more, and parameters would take precedence over it
        if not is_service:
            defaults |= _NETWORK
            if not (_is_near({**usual, **parts}) or usual["sslmode"] in _SAFE):
                defaults["sslmode"] = "require"
        missing = {key: value for key, value in defaults.items() if key not in parts}
        connection = psycopg.connect(url, autocommit=True, **missing)
    with connection:
        opened = Database(connection, _MOST_MS["statement_timeout"] / 1000 + _GRACE_S)
        opened.rows(_LIMITS, [json.dumps(_MOST_MS)] * 2)
        (longest_ms,) = opened.row("SELECT setting::int FROM pg_settings WHERE name = 'statement_timeout'")
        yield replace(opened, patience_s=int(str(longest_ms)) / 1000 + _GRACE_S if longest_ms else None)


def _hang_up(file: int) -> None:
    with contextlib.suppress(OSError), socket.socket(fileno=os.dup(file)) as line:
        line.shutdown(socket.SHUT_RDWR)


def driver() -> ModuleType:
    """Return the module psycopg. MissingFileError names the extra to install."""
    with extras.needed("fleet"):
        import psycopg
    return psycopg


def _parts(url: str) -> Mapping[str, object]:
    psycopg = driver()
    from psycopg import conninfo

    try:
        return conninfo.conninfo_to_dict(url)
    except psycopg.ProgrammingError as error:
        raise UsageError(
            f"Not a URL of PostgreSQL: {str(error).strip()}.",
            hint="For example: postgresql://robin@db.example.org/fleet",
        ) from None


def _is_near(parts: Mapping[str, object]) -> bool:
    """Return whether the server is on this machine, or not named: then a service file decides, or it is here."""
    hosts = [host for key in ("host", "hostaddr") for host in str(parts.get(key) or "").split(",")]
    return all(not host or host.startswith(("/", "@")) or host in _LOOPBACK for host in hosts)


@contextmanager
def _failures() -> Iterator[None]:
    """Raise errors of psycopg as errors of this program."""
    psycopg = driver()
    try:
        yield
    except psycopg.Error as error:
        state, message = error.sqlstate or "", (error.diag.message_primary or str(error)).strip()
        kind: type[AgentwsError] = OutsideProgramError
        hint = error.diag.message_hint
        if state in _NO_TABLES:
            message, hint = (
                f"The database lacks tables of the fleet: {message}.",
                "Its owner runs: agentws fleet migrate",
            )
        elif state == "42501":
            kind, hint = (
                MayNotWriteError,
                "An admin of the team grants rights: agentws fleet member ROLE --may ship,read",
            )
        elif not state or state[:2] in ("08", "57") or state in _AWAY:
            kind, message = RemoteAwayError, f"The database of the fleet is out of reach: {one_line(str(error))}"
            hint = "Does the server run? Check host, port, database and role in the URL; a password is in ~/.pgpass."
        elif not state.startswith(_OWN_STATE) and state != "42704":
            message = f"PostgreSQL refused: {message} ({state})."
        raise kind(message, hint=hint) from error
