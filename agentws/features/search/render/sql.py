"""Rendering of `agentws sql`: rows as a table, as JSON and as CSV."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence

from agentws.core.terminal import output
from agentws.core.terminal.invocation import Run
from agentws.features.search.sql import Rows

_WIDEST_CHARS = 80


def show(run: Run, rows: Rows, *, as_csv: bool, is_overview: bool = False) -> None:
    """Print the rows of a SQL query; an overview lists the views and their columns uncut."""
    if rows.are_more:
        shown = "row is" if len(rows.rows) == 1 else f"{len(rows.rows):,} rows are"
        rows.notices.append(f"Only the first {shown} shown: raise --limit.")
    if as_csv:
        output.notices(rows.notices, quiet=run.quiet)
        output.text(output.without_secrets(_csv(rows)))
        return
    if is_overview:
        run.done("sql", fields(rows), _views(rows), rows.notices)
        return
    run.done("sql", fields(rows), lines(rows), rows.notices, look=output.TABLE)


def fields(answer: Rows) -> dict[str, object]:
    """Return the fields of `agentws/sql@1`."""
    rows = [dict(zip(answer.columns, map(_plain, row), strict=True)) for row in answer.rows]
    return {"columns": answer.columns, "rows": rows, "more": answer.are_more, "notices": answer.notices}


def lines(rows: Rows) -> Iterator[str]:
    """Yield the table that `agentws sql` prints: column names, then rows, each column as wide as its widest value."""
    table = [rows.columns, *([_shown(value) for value in row] for row in rows.rows)]
    widths = [max(map(_width, column)) for column in zip(*table, strict=True)]
    yield from (_row(row, widths) for row in table)


def _views(rows: Rows) -> Iterator[str]:
    """Yield each view with the names of its columns, wrapped."""
    for name, columns in rows.rows:
        yield from textwrap.wrap(f"{name}: {columns}", _WIDEST_CHARS, subsequent_indent="    ")


def _row(row: Sequence[str], widths: Sequence[int]) -> str:
    cells = (f"{value}{' ' * (width - _width(value))}" for value, width in zip(row, widths, strict=True))
    return "  ".join(cells).rstrip()


def _width(text: str) -> int:
    """Return how many columns of a terminal a text takes."""
    if text.isascii():
        return len(text)
    from rich.cells import cell_len

    return cell_len(text)


def _shown(value: object) -> str:
    text = "" if value is None else f"{len(value)} bytes" if isinstance(value, bytes) else str(value)
    line = " ".join(text.split())
    return line if len(line) <= _WIDEST_CHARS else f"{line[: _WIDEST_CHARS - 1]}…"


def _plain(value: object) -> object:
    """Return a value for JSON and CSV: bytes as hex digits, NaN and infinity as text."""
    is_odd = isinstance(value, bytes) or (isinstance(value, float) and bool(value - value))
    return value.hex() if isinstance(value, bytes) else str(value) if is_odd else value


def _csv(rows: Rows) -> str:
    import csv
    import io

    page = io.StringIO()
    writer = csv.writer(page, lineterminator="\n")
    writer.writerow(rows.columns)
    writer.writerows([_plain(value) for value in row] for row in rows.rows)
    return page.getvalue()
