"""data: tables of JSON rows, each a file that people and programs read: `data/orders.jsonl`.

A table is a log of rows (row_log.py) without `/` in its name. With `data/orders.schema.json` beside it, every row that
is written must meet that JSON schema; its `x-key` names the field that `set` and `get` go by, else that is `id`.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

from agentws.changes import ChangeSet, Write
from agentws.core import Result
from agentws.core.formats import digest, layout
from agentws.core.formats.json import plainjson
from agentws.core.formats.secrets import secrets
from agentws.core.stores.stores import Stores
from agentws.errors import ChangedUnderneathError, DamagedError, MissingFileError, UsageError
from agentws.features.data import row_log, rows_file
from agentws.features.data.plan import query as _query

_ATTEMPTS = 20
_NAME = re.compile(r"[a-z0-9][a-z0-9_-]{0,79}")
ARTIFACTS = "artifacts"
"""The table that names the artifacts; `artifact add` writes it."""


class Rows(Result):
    """Rows of a table, those that a query met, or that were written: `path` (RelPath) is the table's file."""

    __slots__ = ("notices", "path", "rows", "table")

    def __init__(self, table: str, path: str, rows: Sequence[dict[str, Any]], notices: list[str]) -> None:
        self.table = table
        self.path = path
        self.rows = list(rows)
        self.notices = notices


@dataclass(slots=True, repr=False)
class SetRow(Result):
    """The row that `set` wrote under a key (None: removed), and the row `before` it (None: the key is new)."""

    table: str
    path: str
    key: str
    row: Any
    before: Any
    notices: list[str]


@dataclass(slots=True, repr=False)
class TableInfo(Result):
    """A table or log of rows: its file, how many rows and bytes it has, whether it has a schema."""

    table: str
    path: str
    rows: int
    bytes: int
    has_schema: bool


@dataclass(slots=True, repr=False)
class Tables(Result):
    """All tables, and logs of rows that programs keep."""

    tables: list[TableInfo]
    notices: list[str]


def list_tables(stores: Stores) -> Tables:
    """Return the tables and the logs of programs, by name."""
    tables = []
    for name in row_log.row_logs(stores):
        log = row_log.rows(stores, name)
        has_schema = "/" not in name and stores.files.exists(_schema_path(name))
        count = 0
        try:
            for _ in log.read():
                count += 1
        except DamagedError as error:
            stores.notices.append(error.notice)
        tables.append(TableInfo(name, log.path, count, log.size, has_schema))
    return Tables(tables, stores.notices)


def repeated_keys(stores: Stores, table: str) -> tuple[str, list[str]]:
    """Return the field of a table's key, and the keys that several of its rows have."""
    field = _key_field(_schema(stores, table))
    keys = (_query.field_of(row, field) for _, row in row_log.rows(stores, table).read())
    counts = Counter(str(key) for key in keys if key is not None)
    return field, [key for key, count in counts.items() if count > 1]


def query(
    stores: Stores,
    table: str,
    where: _query.Conditions = (),
    *,
    order: str | None = None,
    descending: bool = False,
    limit: int | None = None,
) -> Rows:
    """Return the rows that meet all conditions, in the order in which they were added or that of a field.

    `where` are texts such as `status=open` or `amount>=100`, or a mapping of fields to values. MissingFileError if
    there is no such table.
    """
    log = _existing(stores, table)
    is_meant = _query.check(where)
    rows: Iterable[dict[str, Any]] = (row for _, row in log.read() if is_meant(row))
    if order is not None:
        rows = _query.ordered(rows, order, descending=descending)
    elif descending:
        rows = reversed([*rows])
    return Rows(table, log.path, list(islice(rows, limit)), stores.notices)


def get(stores: Stores, table: str, key: object) -> dict[str, Any]:
    """Return the row with a key; of several the newest. MissingFileError for an unknown key."""
    log, field = _existing(stores, table), _key_field(_schema(stores, table))
    matches = [row for _, row in log.read() if _query.is_key(_query.field_of(row, field), key)]
    if not matches:
        raise _no_row(log, field, key)
    return matches[-1]


def _no_row(log: row_log.RowLog, field: str, key: object) -> MissingFileError:
    hint = f"List the rows: agentws data query {log.name}"
    return MissingFileError(f"{log.path}: no row has {field} {str(key)!r}.", hint=hint)


def append(stores: Stores, table: str, *rows: Mapping[str, Any]) -> Rows:
    """Add rows to a table, all or none, durably; a missing table is created.

    UsageError for a row that is no JSON object or does not meet the schema, SecretRefusedError for one with a secret.
    """
    log = _writable(stores, table)
    _check(stores, table, _schema(stores, table), rows)
    if len(rows) == 1:
        log.append(*rows)
    elif rows:
        # A batch in the log is void without its last line, which a person may remove.
        with log.locked():
            log.replace([*(row for _, row in log.read()), *rows])
    return Rows(table, log.path, [dict(row) for row in rows], stores.notices)


def set_row(stores: Stores, table: str, key: str, row: Mapping[str, Any] | None) -> SetRow:
    """Put a row under its key, in place of the one that has it now, or remove that one (None). `undo` reverts it.

    The field of the key is filled in if the row lacks it. Errors as for `append`; MissingFileError if there is no row
    to remove.
    """
    log, schema = _writable(stores, table), _schema(stores, table)
    if row is None:
        _existing(stores, table)
    field = _key_field(schema)
    has_key = row is not None and field in row
    if row is not None:
        row = {field: key, **row}
        if not _query.is_key(row[field], key):
            raise UsageError(
                f"The row has {field} {row[field]!r}, not {key!r}.", hint="Leave the field out of the row."
            )
    for attempt in range(_ATTEMPTS):
        is_there = stores.files.exists(log.path)
        data = stores.files.read(log.path) if is_there else b""
        before, lines, at = None, [], -1
        for offset, old in log.read():
            if not _query.is_key(_query.field_of(old, field), key):
                lines.append(_line_at(data, offset))
                continue
            before, at = old, at if at >= 0 else len(lines)
            if row is not None and not has_key:
                row[field] = _query.field_of(old, field)  # a number stays one
        if row is None and before is None:
            raise _no_row(log, field, key)
        if row is not None:
            _check(stores, table, schema, [row])
            lines.insert(at if at >= 0 else len(lines), rows_file.line_of(row))
        if (after := b"".join(lines)) == data:
            break
        expects = digest.of(data) if is_there else digest.ABSENT
        try:
            stores.apply(ChangeSet("data set", (Write(log.path, after, expects=expects),)))
            break
        except ChangedUnderneathError:  # another program has added a row
            if attempt == _ATTEMPTS - 1:
                raise
    return SetRow(table, log.path, str(key), row=row, before=before, notices=stores.notices)


def _line_at(data: bytes, offset: int) -> bytes:
    """Return a line of a file as a separate row, also if it was written in a batch."""
    end = data.find(b"\n", offset)
    return data[offset : end if end >= 0 else len(data)].strip() + b"\n"


def _existing(stores: Stores, table: str) -> row_log.RowLog:
    log = row_log.rows(stores, table)
    if not log.size and not stores.files.exists(log.path):
        raise MissingFileError(f"There is no table {table!r}.", hint="List the tables: agentws data list")
    return log


def _writable(stores: Stores, table: str) -> row_log.RowLog:
    stores.check_writable()
    if not _NAME.fullmatch(table) or table == ARTIFACTS:
        raise UsageError(
            f"{table!r} cannot be the name of a table.",
            hint="A name has small letters, digits, - and _, for example: orders. `artifacts` is that of agentws.",
        )
    return row_log.rows(stores, table)


def _check(stores: Stores, table: str, schema: dict[str, Any] | None, rows: Sequence[Mapping[str, Any]]) -> None:
    """Raise an error for a row that is no JSON, has a secret or forgotten text, or does not meet the schema."""
    texts = [rows_file.line_of(row).decode() for row in rows]
    secrets.refuse(*texts)
    stores.refuse_forgotten(*texts)
    if schema is None:
        return
    try:
        import jsonschema
    except ImportError as error:
        raise UsageError(
            f"{_schema_path(table)}: checking a row needs jsonschema.", hint="pip install 'agentws[data]'"
        ) from error
    try:
        validator = jsonschema.validators.validator_for(schema, jsonschema.Draft202012Validator)
        validator.check_schema(schema)
        problem = next((each for row in rows for each in validator(schema).iter_errors(dict(row))), None)
    except jsonschema.SchemaError as error:
        raise DamagedError(
            f"{_schema_path(table)}: not a JSON schema: {error.message}.",
            hint=f"Correct the file: agentws open {_schema_path(table)}",
        ) from error
    if problem is not None:
        where = ".".join(map(str, problem.absolute_path)) or "the row"
        raise UsageError(
            f"{where}: {problem.message} ({_schema_path(table)}).", hint="Nothing was written. Correct the row."
        )


def _schema_path(table: str) -> str:
    return f"{layout.DATA}/{table}.schema.json"


def _schema(stores: Stores, table: str) -> dict[str, Any] | None:
    path = _schema_path(table)
    if "/" in table or not stores.files.exists(path):
        return None
    try:
        schema = plainjson.loads(stores.files.read(path))
    except ValueError as error:
        raise DamagedError(f"{path}: not JSON: {error}.", hint=f"Correct the file: agentws open {path}") from error
    return schema if isinstance(schema, dict) else {}


def _key_field(schema: dict[str, Any] | None) -> str:
    return str((schema or {}).get("x-key", "id"))
