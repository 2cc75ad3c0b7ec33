"""sql: runs a SQL query on the search index, read-only, limited in time and rows."""

from __future__ import annotations

import sqlite3
import time

from agentws.core import Result
from agentws.errors import DiskError, UsageError
from agentws.features.search import indexed
from agentws.features.search.store import schema

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from agentws.core.stores.stores import Stores

_ALLOWED = (sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ, sqlite3.SQLITE_FUNCTION, sqlite3.SQLITE_RECURSIVE)
_FORBIDDEN = ("load_extension", "readfile", "writefile", "edit", "fts3_tokenizer", "randomblob", "zeroblob")
_STEPS = 10_000
_LONGEST_VALUE_BYTES = 16 << 20
_LONGEST_QUERY_CHARS = 100_000
_HINT = "Views and columns: agentws sql"


class Rows(Result):
    """The result of a SQL query: the names of its columns, its rows, and whether there `are_more`."""

    __slots__ = ("are_more", "columns", "notices", "rows")

    def __init__(self, columns: Sequence[str], rows: Sequence[Sequence[Any]], *, are_more: bool = False) -> None:
        self.columns = list(columns)
        self.rows = [list(row) for row in rows]
        self.are_more = are_more
        self.notices: list[str] = []


def sql(stores: Stores, query: str = "", *, limit: int = 1000, timeout_s: int = 10) -> Rows:
    """Return the rows of a SQL query, `limit` at most; without a query the views with their columns.

    UsageError if the query is invalid, would change something, or takes longer than `timeout_s`.
    """
    opened = indexed.opened(stores)
    if opened is None:
        raise DiskError("The search index cannot be stored.", hint="Set XDG_CACHE_HOME to a writable folder.")
    try:
        rows = _asked(opened.index.connection, query, limit, timeout_s) if query.strip() else _views(opened)
    finally:
        opened.close()
    rows.notices = list(stores.notices)
    return rows


def _views(opened: indexed.Indexed) -> Rows:
    opened.index.connection.execute("PRAGMA trusted_schema=ON")
    columns = {
        name: [row[1] for row in opened.index.connection.execute(f"PRAGMA table_info({name})")] for name in schema.VIEWS
    }
    return Rows(("view", "columns"), [(name, ", ".join(names)) for name, names in columns.items()])


def _asked(connection: sqlite3.Connection, query: str, limit: int, timeout_s: int) -> Rows:
    connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, _LONGEST_VALUE_BYTES)
    connection.setlimit(sqlite3.SQLITE_LIMIT_SQL_LENGTH, _LONGEST_QUERY_CHARS)
    connection.execute("PRAGMA query_only=ON")
    connection.execute("PRAGMA trusted_schema=ON")  # our views read JSON, which older versions call unsafe
    end = time.monotonic() + timeout_s
    connection.set_progress_handler(lambda: time.monotonic() > end, _STEPS)
    connection.set_authorizer(_allows)
    try:
        cursor = connection.execute(query)
        rows = cursor.fetchmany(limit + 1)
    except (sqlite3.Error, sqlite3.Warning, ValueError) as error:
        if "interrupted" in str(error):
            raise UsageError(
                f"The query took longer than {timeout_s} s.", hint="Narrow the query, or raise --timeout."
            ) from error
        raise UsageError(f"The query failed: {_reason(error)}.", hint=_HINT) from error
    names = [column[0] for column in cursor.description or ()]
    return Rows(names, rows[:limit], are_more=len(rows) > limit)


def _reason(error: Exception) -> str:
    words = str(error)
    if "not authorized" in words or "prohibited" in words:
        return "only SELECT is allowed"
    return words.removesuffix(".")


def _allows(action: int, first: str | None, second: str | None, *_: object) -> int:
    is_forbidden = action == sqlite3.SQLITE_FUNCTION and (second or "").lower() in _FORBIDDEN
    return sqlite3.SQLITE_OK if action in _ALLOWED and not is_forbidden else sqlite3.SQLITE_DENY
