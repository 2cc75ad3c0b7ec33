"""The rows of a query, as a table, as JSON and as CSV."""

from __future__ import annotations

from agentws.cli import output

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from agentws.cli.invocation import Run
    from agentws.operations.search.sql import Rows

_WIDEST_CHARS = 80


def show(run: Run, found: Rows, *, as_csv: bool) -> None:
    """Print the rows."""
    if found.are_more:
        found.notices.append(f"Only the first {len(found.rows):,} rows are shown: raise --limit.")
    if as_csv:
        output.notices(found.notices, quiet=run.quiet)
        output.text(output.without_secrets(_csv(found)))
        return
    run.done("sql", fields(found), lines(found), found.notices, look=output.TABLE)


def fields(found: Rows) -> dict[str, object]:
    """The fields of `agentws/sql@1`."""
    rows = [dict(zip(found.columns, map(_plain, row), strict=True)) for row in found.rows]
    return {"columns": found.columns, "rows": rows, "more": found.are_more, "notices": found.notices}


def lines(found: Rows) -> Iterator[str]:
    """The rows below the names of their columns, each column as wide as it needs."""
    table = [found.columns, *([_shown(value) for value in row] for row in found.rows)]
    widths = [max(map(len, column)) for column in zip(*table, strict=True)]
    yield from (_row(row, widths) for row in table)


def _row(row: Sequence[str], widths: Sequence[int]) -> str:
    return "  ".join(f"{value:<{width}}" for value, width in zip(row, widths, strict=True)).rstrip()


def _shown(value: object) -> str:
    text = "" if value is None else f"{len(value)} bytes" if isinstance(value, bytes) else str(value)
    line = " ".join(text.split())
    return line if len(line) <= _WIDEST_CHARS else f"{line[: _WIDEST_CHARS - 1]}…"


def _plain(value: object) -> object:
    """The value as JSON has it: no bytes, and no number that JSON does not know."""
    is_odd = isinstance(value, bytes) or (isinstance(value, float) and bool(value - value))
    return value.hex() if isinstance(value, bytes) else str(value) if is_odd else value


def _csv(found: Rows) -> str:
    import csv
    import io

    page = io.StringIO()
    writer = csv.writer(page, lineterminator="\n")
    writer.writerow(found.columns)
    writer.writerows([_plain(value) for value in row] for row in found.rows)
    return page.getvalue()
