"""The open item that the words of `done` and `drop` name, and the error where it is none, or several. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from agentws.errors import AmbiguousError, NothingOpenError
from agentws.formats import origin
from agentws.formats.documents import daily
from agentws.planning.todo import closure, match

if TYPE_CHECKING:
    from collections.abc import Sequence

    from agentws.planning.notes.entry import Entry
    from agentws.planning.todo.row import OpenItem

_MOST_TOLD = 8
_WRONG = "To undo: agentws undo"


class Open(Protocol):
    """The open items: the agent's own rows, those from outside, all entries by file, and what closed which."""

    rows: list[OpenItem]
    outside: list[OpenItem]
    entries: list[list[Entry]]
    over: dict[Entry, Entry]


def of(words: Sequence[str], found: Open, *, today: str) -> tuple[list[OpenItem], str]:
    """The rows that are named, and a notice where that was a guess: by references, else by words, which never name what
    others wrote. AmbiguousError, NothingOpenError.
    """
    by_reference = [match.by_reference(word, [*found.rows, *found.outside]) for word in words]
    if all(by_reference):
        return list(dict.fromkeys(_one(word, rows) for word, rows in zip(words, by_reference, strict=True))), ""
    given = " ".join(words)
    rows = match.literally(given, found.rows)
    if rows:
        return [_one(given, rows)], ""
    closed_today = [row for row in closure.closed_items((), found.over) if row.last == today]
    fits = match.by_words(given, [*found.rows, *closed_today])
    rows = [row for row in fits if row in found.rows]
    rivals = closure.closed_rivals(fits, found.rows)
    if rows and not rivals:
        one = _one(given, rows)
        return [one], f"No exact match for {given!r}; closed {closure.words(one.text, '')!r}. {_WRONG}"
    unknown = [word for word, named in zip(words, by_reference, strict=True) if not named]
    over = [(given, row) for row in rivals] or _over(unknown if len(unknown) < len(words) else [given, *words], found)
    near = rows or match.nearest(given, found.rows, [entry.words for entries in found.entries for entry in entries])
    raise _nothing(" ".join(unknown), over, near)


def _over(given: Sequence[str], found: Open) -> list[tuple[str, OpenItem]]:
    """What these references name that is over already, each with its reference; else what the first text says."""
    ended = closure.closed_items(found.entries, found.over)
    named = [(word, closure.closed_by_reference(word, ended, found.entries)) for word in given]
    over = [(word, row) for word, row in named if row]
    return over or [(given[0], row) for row in match.literally(given[0], ended)]


def _nothing(given: str, over: Sequence[tuple[str, OpenItem]], near: Sequence[OpenItem]) -> NothingOpenError:
    """What to say where nothing that is open is named: what is over already, and what is nearest."""
    told = f"Nearest open items:\n{_told(near)}" if near else "List open items: agentws todo"
    if not over:
        return NothingOpenError(f"No open item matches {given!r}.", hint=told)
    name, row = over[0]
    day = f" on {row.last}" if row.last else ""
    verb = "dropped" if row.state == daily.DROPPED else "closed"
    said = f"{closure.words(row.text, '')} ({row.path}:{row.line})"
    return NothingOpenError(f"{name!r} was already {verb}{day}: {said}", hint=told)


def _one(given: str, rows: Sequence[OpenItem]) -> OpenItem:
    if len(rows) == 1:
        return rows[0]
    more = f"\n  and {len(rows) - _MOST_TOLD} more: agentws todo" if len(rows) > _MOST_TOLD else ""
    raise AmbiguousError(
        f"{len(rows)} open items match {given!r}. Nothing was closed.",
        hint=f"Name one by reference:\n{_told(rows[:_MOST_TOLD])}{more}",
    )


def _told(rows: Sequence[OpenItem]) -> str:
    return "\n".join(f"  {one.ref}  {_said(one)}  ({one.path}:{one.line})" for one in rows)


def _said(item: OpenItem) -> str:
    return closure.words(item.text, "") + origin.ending(item.src)
