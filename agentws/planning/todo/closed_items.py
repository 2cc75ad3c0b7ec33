"""What was open and is over: when, and what says so. Asked only where no open item is plainly named. Pure."""

from __future__ import annotations

from agentws.planning.notes import similarity
from agentws.planning.notes.entry import DONE, OVER
from agentws.planning.todo import match
from agentws.planning.todo.row import OpenItem

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from agentws.planning.notes.entry import Entry


def rows(files: Sequence[Sequence[Entry]], over: dict[Entry, Entry]) -> list[OpenItem]:
    """Return a row for each thing that is over, the newest first.

    `over` has the entries that were open, each with the entry that closed it. A row stands where it is said: its state,
    the day (`last`, empty in a file that is no log), path and line. `said` is what was open.
    """
    itself = ((entry, entry) for entry in _of(files) if entry.state in OVER and not entry.closes)
    found: dict[tuple[str, int], OpenItem] = {}
    for entry, by in sorted((*over.items(), *itself), key=lambda end: end[1].day, reverse=True):
        row = _row(entry, by)
        found.setdefault((row.path, row.line), row).said.append(entry)
    return list(found.values())


def by_reference(given: str, ended: Sequence[OpenItem], files: Sequence[Sequence[Entry]]) -> OpenItem | None:
    """Return what has this reference and is over, None where nothing does."""
    name = given.removeprefix("^")
    if not name:
        return None
    named = (row for row in ended if any(match.is_called(entry, name) for entry in row.said))
    return next(named, None) or next((_row(entry, entry) for entry in _of(files) if name in entry.closes), None)


def rivals(fits: Sequence[OpenItem], still_open: Sequence[OpenItem]) -> list[OpenItem]:
    """Return those of `fits` that are over and say another thing than each of the open ones."""
    words = [similarity.words(row.text) for row in fits if row in still_open]
    return [row for row in fits if row not in still_open and similarity.words(row.text) not in words]


def _of(files: Sequence[Sequence[Entry]]) -> Iterable[Entry]:
    return (entry for entries in files for entry in entries)


def _row(entry: Entry, by: Entry) -> OpenItem:
    row = OpenItem(entry.ref, entry.body.strip(), by.path, by.line, state=by.state or DONE)
    row.last = by.day
    return row
