"""The connection to the PostgreSQL database of a fleet, and the failures of it as errors of this program."""

from __future__ import annotations

import re
from contextlib import contextmanager
from dataclasses import dataclass

from agentws.errors import (
    AgentwsError,
    MayNotWriteError,
    MissingFileError,
    OutsideProgramError,
    RemoteAwayError,
    UsageError,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from types import ModuleType

    import psycopg

    Row = tuple[object, ...]

EXTRA = "pip install 'agentws[fleet]'"
SCHEMA = "agentws"
_NAME = re.compile(rf"\b{SCHEMA}(?=\.)|(?<=\bSCHEMA ){SCHEMA}\b|(?<=\bEXISTS ){SCHEMA}\b|(?<=search_path = ){SCHEMA}\b")
_TIMEOUT_S = 10
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
    """An open connection, in autocommit mode, and the schema that statements mean where they write `agentws`."""

    connection: psycopg.Connection[Row]
    schema: str = SCHEMA

    def rows(self, statement: str, values: Sequence[object] | Mapping[str, object] = ()) -> list[Row]:
        """Return the rows of a statement; values replace its `%s`, or `%(name)s`."""
        with _failures(), self.connection.cursor() as cursor:
            cursor.execute(self.sql(statement).encode(), values or None)
            return cursor.fetchall() if cursor.description else []

    def row(self, statement: str, values: Sequence[object] | Mapping[str, object] = ()) -> Row:
        """Return the first row of a statement, empty without one."""
        return next(iter(self.rows(statement, values)), ())

    def sql(self, text: str) -> str:
        """Return SQL in which `agentws` is this database's schema."""
        return text if self.schema == SCHEMA else _NAME.sub(self.schema, text)

    def wait(self, seconds: float) -> None:
        """Wait for a notification, at most so long."""
        with _failures():
            for _ in self.connection.notifies(timeout=seconds, stop_after=1):
                pass

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Run the statements within in one transaction."""
        with _failures(), self.connection.transaction():
            yield


def check_url(url: str) -> None:
    """Raise UsageError for a URL that PostgreSQL's client cannot read, or that contains a password."""
    if _SECRET.intersection(_parts(url)):
        raise UsageError("The URL contains a password, which agentws does not keep.", hint=f"Use {_PASSWORDS}.")


@contextmanager
def connected(url: str, *, schema: str = SCHEMA) -> Iterator[Database]:
    """Connect to the database at `url`, for as long as the block runs. RemoteAwayError if it cannot be reached."""
    with _failures():
        psycopg = driver()
        parts = _parts(url)
        defaults: dict[str, str | int] = {"connect_timeout": _TIMEOUT_S, "application_name": "agentws"}
        usual = {option.keyword.decode(): (option.val or b"").decode() for option in psycopg.pq.Conninfo.get_defaults()}
        is_service = "service" in parts  # its file may say more, and parameters would take precedence over it
        if not (_is_near({**usual, **parts}) or usual["sslmode"] in _SAFE or is_service):
            defaults["sslmode"] = "require"
        missing = {key: value for key, value in defaults.items() if key not in parts}
        connection = psycopg.connect(url, autocommit=True, **missing)
    with connection:
        yield Database(connection, schema)


def driver() -> ModuleType:
    """Return the module psycopg. MissingFileError names the extra to install."""
    try:
        import psycopg
    except ImportError as error:
        raise MissingFileError(f"The Python package psycopg is not usable: {error}.", hint=EXTRA) from None
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
        raise _known(error) from error


def _known(error: psycopg.Error) -> AgentwsError:
    state = error.sqlstate or ""
    message = (error.diag.message_primary or str(error)).strip()
    if state in ("3F000", "42P01", "42883"):
        return OutsideProgramError(
            f"The database lacks tables of the fleet: {message}.", hint="Its owner runs: agentws fleet migrate"
        )
    if state == "42501":
        return MayNotWriteError(
            message, hint="An admin of the team grants rights: agentws fleet member ROLE --may ship,read"
        )
    if state.startswith(_OWN_STATE) or state == "42704":
        return OutsideProgramError(message, hint=error.diag.message_hint)
    if not state or state[:2] in ("08", "57") or state == "53300":
        text = " ".join(str(error).split())
        return RemoteAwayError(
            f"The database of the fleet is out of reach: {text}",
            hint="Does the server run? Check host, port, database and role in the URL; a password is in ~/.pgpass.",
        )
    return OutsideProgramError(f"PostgreSQL refused: {message} ({state}).", hint=error.diag.message_hint)
