"""Finds what to forget in the event bodies of all journals, also in blobs."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from agentws.core.formats.journal import event, segment, summary
from agentws.core.formats.journal.event import Event
from agentws.core.journal import entry, read
from agentws.core.stores import purges
from agentws.core.stores.stores import Stores
from agentws.errors import AgentwsError, DamagedError
from agentws.features.forget.plan.wanted import Wanted

_BLOB = b'"blob":"'
_RECALLED = f'"kind":"{event.RECALLED}"'.encode()
_MOST_LINES = 10_000
_MOST_STEPS = 8


@dataclass(slots=True)
class Said:
    """An event to forget: a summary of its body, and its `line`, which is to be purged."""

    text: str
    line: purges.PurgedEvent


@dataclass(slots=True)
class EventMatches:
    """The matches in events: `events` lose their bodies; `kept` (cursor, what) match in parts that cannot be purged.

    `blobs` are all (writer, name) that events refer to. `begun` are the cursors of matching events that begin a
    workflow step.
    """

    events: list[Said] = field(default_factory=list)
    begun: list[str] = field(default_factory=list)
    blobs: set[tuple[str, str]] = field(default_factory=set)
    kept: list[tuple[str, str]] = field(default_factory=list)
    unread: list[str] = field(default_factory=list)


def find(
    stores: Stores,
    wanted: Wanted,
    gone: Collection[tuple[str, int]] = (),
    *,
    only: Collection[tuple[str, int]] | None = None,
) -> EventMatches:
    """Return the events to forget in all journals. `gone` are the lines (path, number) that documents lose.

    `only` limits the search to these segments (writer, number); None searches all.

    A recall receipt that names one of the `gone` lines matches too: it holds a digest of the text.
    """
    event_matches = EventMatches()
    places = {(path.rpartition("/")[2], line) for path, line in gone}
    for writer in read.writers(stores.files):
        for number in read.segments(stores.files, writer):
            if only is not None and (writer, number) not in only:
                continue
            try:
                for offset, stored in read.lines(stores.files, writer, number):
                    _look(stores, wanted, places, event_matches, stored, (writer, number, offset))
            except AgentwsError as error:
                event_matches.unread.append(f"Not searched: {error.message}")
    return event_matches


def steps_again(event_matches: EventMatches) -> list[str]:
    """Return a notice if forgotten events include begun workflow steps, since these steps may run again."""
    if not event_matches.begun:
        return []
    more = ", …" if len(event_matches.begun) > _MOST_STEPS else ""
    listed = ", ".join(event_matches.begun[:_MOST_STEPS])
    return [
        f"The record of {len(event_matches.begun)} begun steps of workflows goes ({listed}{more}). These may run again."
    ]


def _look(
    stores: Stores,
    wanted: Wanted,
    places: Collection[tuple[str, int]],
    event_matches: EventMatches,
    stored: bytes,
    place: tuple[str, int, int],
) -> None:
    writer, number, offset = place
    if not wanted.may_be_in(stored) and _BLOB not in stored and not (places and _RECALLED in stored):
        return
    try:
        record = event.decode(stored, writer=writer, segment=number, offset=offset)
        if record.body is not None and summary.is_blob(record.body):
            event_matches.blobs.add((writer, record.body["blob"]))
        says = _says(stores, wanted, record)
    except DamagedError as error:
        event_matches.unread.append(f"{segment.path(writer, number)}, byte {offset}: not searched: {error.message}")
        return
    event_matches.kept += [(record.cursor, what) for what in _headers(wanted, record)]
    if says is None and record.kind == event.RECALLED and _recalls(record, places):
        says = summary.of(record.body)
    if says is None:
        return
    if record.kind in event.LASTING:
        event_matches.kept.append(
            (record.cursor, f"the body of a `{record.kind}` event, which cannot be purged: the journal needs it")
        )
    else:
        event_matches.events.append(Said(says, purges.line(stores, record, stored)))
        if record.kind == event.STEP_BEGAN:
            event_matches.begun.append(record.cursor)


def _recalls(record: Event, places: Collection[tuple[str, int]]) -> bool:
    """Return whether a recall receipt names one of these places (name of the file, line)."""
    entries = (record.body or {}).get("entries")
    named = [each for each in entries if isinstance(each, dict)] if isinstance(entries, list) else []
    lines = {(str(each.get("path")).rpartition("/")[2], line) for each in named for line in _lines(each)}
    return bool(lines.intersection(places))


def _lines(fields: Mapping[str, Any]) -> range:
    first, last = (value if isinstance(value := fields.get(key), int) else 0 for key in ("line", "end_line"))
    return range(first, min(last, first + _MOST_LINES) + 1)


def _headers(wanted: Wanted, record: Event) -> Iterator[str]:
    """Yield the parts of an event header that match; headers cannot be changed."""
    for name, word in (("session", record.session), ("source", record.src), ("kind", record.kind)):
        if word and wanted.is_in(word):
            yield f"the {name} in an event header, which cannot be changed"
    if wanted.is_in_value(record.rest):
        yield "a key in an event header, which cannot be changed"


def _says(stores: Stores, wanted: Wanted, record: Event) -> str | None:
    """Return a summary of a matching body; None if it does not match."""
    if record.body is None or not summary.is_blob(record.body):
        return summary.of(record.body) if record.body is not None and wanted.is_in_value(record.body) else None
    # As a text of JSON, piece by piece: the value that a large one stands for would take many times its size.
    content = entry.read_blob(stores.files, record.writer, record.body["blob"])
    return summary.cut(content[: summary.LONGEST * 8].decode("utf-8", "replace")) if wanted.may_be_in(content) else None
