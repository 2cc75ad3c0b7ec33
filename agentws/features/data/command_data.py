"""The verbs `agentws data get|set|append|query|list`: their options and calls."""

from __future__ import annotations

from typing import Any

from agentws.core.formats.json import plainjson, values
from agentws.core.terminal import invocation, output
from agentws.core.terminal.invocation import Run
from agentws.core.terminal.options import Verb, flag, number, text, texts, word, words
from agentws.core.text import sizes
from agentws.errors import UsageError


def get(run: Run, *, table: str, key: str) -> None:
    """Print the newest row of a table with a key (field `id`)."""
    row = run.workspace().data.get(table, key)
    run.done("data-get", {"table": table, "key": key, "row": row}, [_shown(row)], ())


def set_row(run: Run, *, table: str, key: str, row: str) -> None:
    """Put a row under a key, in place of an earlier one; `null` removes it.

    A missing table is created. `agentws undo` reverts it.
    """
    value = _json(invocation.argument(row))
    if value is not None and not isinstance(value, dict):
        raise UsageError("A row must be a JSON object, or null.", hint=_HINT)
    result = run.workspace().data.set(table, key, value)
    done = "set" if value is not None else "removed"
    run.result("data-set", result, "table path key row before notices", [f"{output.place(result.path)}: {key} {done}"])


def append(run: Run, *, table: str, rows: list[str]) -> None:
    """Add rows to a table, all or none: JSON objects, or JSON lines on standard input.

    A missing table is created.
    """
    lines = rows if rows and rows != ["-"] else invocation.argument("-").splitlines()
    added = [_json(line) for line in lines if line.strip()]
    if not all(isinstance(row, dict) for row in added):
        raise UsageError("Each row must be a JSON object.", hint=_HINT)
    result = run.workspace().data.append(table, *added)
    message = f"{output.place(result.path)}: {len(added):,} row{'s' * (len(added) != 1)} added"
    run.result("data-append", result, "table path added notices", [message], added=len(added))


def query(run: Run, *, table: str, where: list[str] | None, sort: str | None, desc: bool, limit: int | None) -> None:
    """Print the rows of a table that meet all conditions, as JSON lines.

    Conditions: `status=open`, `amount>=100`, also with `!=`, `>`, `<`, `<=`. `customer.name` is a field of an inner
    object. For joins and sums: agentws sql "SELECT … FROM data"
    """
    result = run.workspace().data.query(table, where or (), order=sort, descending=desc, limit=limit)
    run.result("data-query", result, "table path rows notices", map(_shown, result.rows))


def list_tables(run: Run) -> None:
    """List the tables, and the logs of rows that programs keep."""
    result = run.workspace().data.list()
    lines = [
        f"{each.table}  {each.rows:,} row{'s' * (each.rows != 1)}  {sizes.readable(each.bytes)}"
        + ("  schema" if each.has_schema else "")
        for each in result.tables
    ]
    names = "tables[table path rows bytes schema=has_schema] notices"
    run.result("data-list", result, names, lines or ["No tables. Make one: agentws data append TABLE JSON"], look=_LOOK)


def _json(given: str) -> Any:
    try:
        return plainjson.loads(given)
    except ValueError as error:
        raise UsageError(f"A row is not JSON: {error}.", hint=_HINT) from error


def _shown(row: dict[str, Any]) -> str:
    return values.dumps(output.without_secrets(row))


_HINT = """For example: agentws data append orders '{"id": 7, "status": "open"}'"""
_LOOK = output.ROWS
_TABLE = word("table", "TABLE", "Name of the table.", completes="table")
_KEY = word("key", "KEY", "Value of the field `id`, or of the one that the schema names (`x-key`).")
VERBS = (
    Verb("data get", get, (_TABLE, _KEY), "agentws data get orders 7"),
    Verb(
        "data set",
        set_row,
        (_TABLE, _KEY, word("row", "JSON", "The row; `null` removes it, `-` reads standard input.")),
        """agentws data set orders 7 '{"status": "paid", "amount": 120}'""",
        "agentws data set orders 7 null",
    ),
    Verb(
        "data append",
        append,
        (_TABLE, words("rows", "[JSON]...", "Rows; without any, JSON lines on standard input.", is_required=False)),
        """agentws data append orders '{"id": 7, "status": "open"}'""",
        "agentws data append readings < readings.jsonl",
    ),
    Verb(
        "data query",
        query,
        (
            word("table", "TABLE", "Name of the table, or of a program's log.", completes="table"),
            texts("--where", "COND", "Only rows that meet this: FIELD=VALUE; repeatable."),
            text("--sort", "FIELD", "Order by this field; rows without it come last."),
            flag("--desc", "The last first."),
            number("--limit", "N", "At most N rows.", least=1),
        ),
        "agentws data query orders --where status=open --sort due --limit 5",
    ),
    Verb("data list", list_tables, (), "agentws data list"),
)
