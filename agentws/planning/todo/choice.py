"""The open item that the words of `done` and `drop` name, and the error where it is none, or several. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING

from agentws.errors import AmbiguousError, NothingOpenError
from agentws.formats import origin
from agentws.formats.documents import daily
from agentws.planning.todo import closure, match

if TYPE_CHECKING:
    from collections.abc import Sequence

    from agentws.planning.todo.row import Open, Row

_MOST_SHOWN = 8


def of(words: Sequence[str], among: Open) -> list[Row]:
    """Return the rows that are named: by references, else by words, which never name what others wrote.

    AmbiguousError, NothingOpenError.
    """
    by_reference = [match.by_reference(word, [*among.rows, *among.outside]) for word in words]
    if all(by_reference):
        return list(dict.fromkeys(_only(word, rows) for word, rows in zip(words, by_reference, strict=True)))
    given = " ".join(words)
    rows = match.literally(given, among.rows)
    if rows:
        return [_only(given, rows)]
    unknown = [word for word, named in zip(words, by_reference, strict=True) if not named]
    closed = _closed(unknown if len(unknown) < len(words) else [given, *words], among)
    raise _nothing_open(" ".join(unknown), closed, match.nearest(given, among.rows))


def _closed(given: Sequence[str], among: Open) -> list[tuple[str, Row]]:
    """What these references name that is closed already, each with its reference; else what the first text says."""
    items = closure.closed_items(among.entries, among.closed)
    named = [(word, match.by_reference(word, items)) for word in given]
    closed = [(word, rows[0]) for word, rows in named if rows]
    return closed or [(given[0], row) for row in match.literally(given[0], items)]


def _nothing_open(given: str, closed: Sequence[tuple[str, Row]], near: Sequence[Row]) -> NothingOpenError:
    hint = f"Nearest open items:\n{_lines(near)}" if near else "List open items: agentws todo"
    if not closed:
        return NothingOpenError(f"No open item matches {given!r}.", hint=hint)
    name, row = closed[0]
    day = f" on {row.last}" if row.last else ""
    verb = "dropped" if row.state == daily.DROPPED else "closed"
    place = f"{closure.words(row.text, '')} ({row.path}:{row.line})"
    return NothingOpenError(f"{name!r} was already {verb}{day}: {place}", hint=hint)


def _only(given: str, rows: Sequence[Row]) -> Row:
    if len(rows) == 1:
        return rows[0]
    more = f"\n  and {len(rows) - _MOST_SHOWN} more: agentws todo" if len(rows) > _MOST_SHOWN else ""
    raise AmbiguousError(
        f"{len(rows)} open items match {given!r}. Nothing was closed.",
        hint=f"Name one by reference:\n{_lines(rows[:_MOST_SHOWN])}{more}",
    )


def _lines(rows: Sequence[Row]) -> str:
    return "\n".join(
        f"  {row.ref}  {closure.words(row.text, '')}{origin.ending(row.src)}  ({row.path}:{row.line})" for row in rows
    )
