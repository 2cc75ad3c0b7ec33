"""The journal's state of each task: its newest `task.*` event, of all writers.

Events of different writers are never ordered by the clock: an event names the last ones of other writers that it knew
of (`knows`), and so follows them. Closed segments do not change, so the result for them is kept in the cache.
"""

from __future__ import annotations

from agentws.core.formats import digest
from agentws.core.formats.journal import event, segment
from agentws.core.journal import read, select
from agentws.core.notes import transitions
from agentws.core.stores import writer_trust
from agentws.errors import AgentwsError, MissingFileError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from agentws.core.disk.files import Files
    from agentws.core.formats.journal.event import Event
    from agentws.core.stores.stores import Stores

    Told = dict[str, Any]
    """The facts of a task event, its time (`at`), its `cursor`, its `seq`, and the numbers it `knows`, by writer."""
    Known = dict[str, Told]

FAMILY = "task.*"
KNOWS = "knows"
_ENTRY = "tasks"
_MOST_DIGITS = 18
_HEADER_BYTES = 300


class LastTold:
    """The newest event of each task, as the journal has it; `notices` receives what could not be read."""

    def __init__(self, stores: Stores, notices: list[str]) -> None:
        remembered = stores.cache.get(_ENTRY)
        before = remembered if isinstance(remembered, dict) else {}
        kept: dict[str, list[Any]] = {}
        self._by_writer: dict[str, Known] = {}
        for writer in writer_trust.known(stores):
            self._by_writer[writer], kept[writer] = _of_writer(stores.files, writer, before.get(writer), notices)
        if kept != before:
            stores.cache.put(_ENTRY, kept, made_by=[__file__, transitions.__file__, event.__file__])

    @property
    def slugs(self) -> set[str]:
        """The tasks that have an event."""
        return set().union(*self._by_writer.values())

    def of(self, slug: str) -> list[Told]:
        """Return the newest event of a task; several, newest first, if writers did not know of each other."""
        return _newest({writer: known[slug] for writer, known in self._by_writer.items() if slug in known})


def _newest(by_writer: dict[str, Told]) -> list[Told]:
    """Return those of the writers' last events about a task that no other writer knew of."""
    records = [
        fields
        for writer, fields in by_writer.items()
        if not any(other[KNOWS].get(writer, 0) >= fields["seq"] for name, other in by_writer.items() if name != writer)
    ]
    return sorted(records, key=lambda fields: fields["at"], reverse=True)


def _of_writer(files: Files, writer: str, before: list[Any] | None, notices: list[str]) -> tuple[Known, list[Any]]:
    """Return a writer's last event about each task, and the cache entry: the same up to its last closed segment."""
    until, seal, remembered = before or [0, "", {}]
    if until and _seal(files, writer, until) != seal:
        until, remembered = 0, {}
    known = dict(remembered)
    numbers = read.later(files, writer, until)
    reader = select.Reader(files, select.Wanted(kinds=[FAMILY]))
    closed = dict(known)
    for number in numbers:
        _fold(files, reader, writer, number, known)
        if number != numbers[-1]:
            until, closed = number, dict(known)
    notices += reader.notices
    return known, [until, _seal(files, writer, until), closed]


def _seal(files: Files, writer: str, until: int) -> str:
    """Return what identifies all segments up to this one: the header of the next, which holds their last hash."""
    try:
        return digest.quick(read.beginning(files, segment.path(writer, until + 1), _HEADER_BYTES)) if until else ""
    except MissingFileError:
        return ""


def _fold(files: Files, reader: select.Reader, writer: str, number: int, known: Known) -> None:
    for offset, block in read.blocks(files, writer, number):
        for entry in reader.within(writer, number, offset, block):
            body = _body(files, entry, reader.notices)
            slug, fields = (body or {}).get("task"), transitions.known_of(body)
            if isinstance(slug, str) and fields is not None:
                knows = {**known.get(slug, {}).get(KNOWS, {}), **_cursors((body or {}).get(KNOWS))}
                known[slug] = {**fields, "at": entry.at, "seq": entry.seq, "cursor": entry.cursor, KNOWS: knows}


def _cursors(named: object) -> dict[str, int]:
    """Return the number by writer of each cursor in a list; anything else is ignored."""
    counts = {}
    for cursor in named if isinstance(named, list) else ():
        writer, _, number = cursor.partition(":") if isinstance(cursor, str) else ("", "", "")
        if number.isascii() and number.isdigit() and len(number) < _MOST_DIGITS:
            counts[writer] = int(number)
    return counts


def _body(files: Files, entry: Event, notices: list[str]) -> dict[str, Any] | None:
    try:
        return read.body(files, entry)
    except AgentwsError as error:
        notices.append(f"{entry.cursor}: {error.message}")
        return None
