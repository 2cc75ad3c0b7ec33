"""Journal events as search units: what people, the agent and its tools said, in short.

Structural events are left out. A unit has the line of its event, and its summary as text.
"""

from __future__ import annotations

from datetime import datetime, tzinfo
from itertools import islice

from agentws.core.formats.journal import event, summary
from agentws.core.formats.json import plainjson
from agentws.core.text import origin
from agentws.errors import AgentwsError, UsageError
from agentws.features.search import masking
from agentws.features.search.plan import unit as _unit
from agentws.features.search.plan.unit import Unit

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from typing import Any

    from agentws.core.formats.journal.event import Event

_LONGEST_CHARS = 500
_MOST_CHARS = 2_000
_AT_ONCE = 500
_SHOWN = ("input", "output")
_NO_WORDS = (event.ENDED, *event.RESERVED)
"""Kinds that agentws itself records: `sql` lists them, words do not find them."""


def units(path: str, data: bytes, zone: tzinfo | None, first_line: int = 1) -> Iterator[Unit]:
    """Yield the units of the events in a journal segment; `data` are whole lines from `first_line` on."""
    is_first = first_line == 1
    lines = enumerate(data.split(b"\n"), first_line)
    while some := list(islice(lines, _AT_ONCE)):
        entries = [(line, entry) for line, stored in some if stored and (entry := _decoded(path, stored))]
        for unit in _units(path, entries, zone):
            unit.is_first, is_first = is_first, False
            yield unit


def _decoded(path: str, stored: bytes) -> Event | None:
    """Return the event of a stored line; None for a structural, damaged or empty event."""
    try:
        entry = event.decode(stored, writer=path.split("/")[1])
    except AgentwsError:
        return None
    return None if entry.kind in event.STRUCTURE or entry.body is None else entry


def _units(path: str, entries: Sequence[tuple[int, Event]], zone: tzinfo | None) -> Iterator[Unit]:
    """Yield the units of these events, with a placeholder for each secret.

    Secrets are replaced when an event is recorded, but another version or program may have missed some. Some show in
    the whole body only: a unit cuts texts, and tells a command's parts as JSON. Looking at all events together takes a
    third of the time.
    """
    if masking.are_clean(entry.body for _, entry in entries):
        for line, entry in entries:
            yield _made(path, line, entry, entry.body or {}, zone)
        return
    for line, entry in entries:
        try:
            yield _made(path, line, entry, masking.value(entry.body), zone)
        except UsageError:
            continue  # nested too deeply to be looked through


def _made(path: str, line: int, entry: Event, body: Mapping[str, Any], zone: tzinfo | None) -> Unit:
    text = _unit.plain(summary.of(body, longest=_LONGEST_CHARS))
    unit = Unit(0, path, line, line, text)
    unit.room, unit.form = _unit.JOURNAL, "event"
    at = _local(entry.at, zone)
    unit.day, unit.time = at[:10], at[11:16]
    unit.src = entry.src if origin.is_outside(entry.src) else ""
    if not (unit.src and entry.kind in origin.NO_KINDS):
        unit.kind = entry.kind
    importance, task = body.get("importance"), body.get("task")
    unit.importance = importance if isinstance(importance, int) and not unit.src else 0
    unit.task = task if isinstance(task, str) else ""
    tool = {"kind": entry.kind, "session": entry.session, "at": entry.at, "tool": body.get("tool")}
    tool |= {name: _short(body[name]) for name in _SHOWN if body.get(name) is not None}
    unit.head = plainjson.dumps({key: value for key, value in tool.items() if value is not None})
    if entry.kind.startswith(_NO_WORDS) or not any(map(str.isalnum, text)):
        unit.form = _unit.RECORD
    return unit


def _short(value: object) -> str:
    return summary.shown(value)[:_MOST_CHARS]


def _local(at: str, zone: tzinfo | None) -> str:
    if zone is None:
        return at
    try:
        return datetime.fromisoformat(at).astimezone(zone).isoformat()
    except (ValueError, OverflowError):
        return at
