"""Journal events as search units: what people, the agent and its tools said, in short.

Structural events are left out. A unit has the line of its event, and its summary as text.
"""

from __future__ import annotations

from datetime import datetime

from agentws.core.formats.journal import event, summary
from agentws.core.formats.json import plainjson
from agentws.core.text import origin
from agentws.errors import AgentwsError
from agentws.features.search.plan import unit as _unit
from agentws.features.search.plan.unit import Unit

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import tzinfo

    from agentws.core.formats.journal.event import Event

_LONGEST_CHARS = 500
_MOST_CHARS = 2_000
_NO_WORDS = (event.ENDED, *event.RESERVED)
"""Kinds that agentws itself records: `sql` lists them, words do not find them."""


def units(path: str, data: bytes, zone: tzinfo | None, first_line: int = 1) -> Iterator[Unit]:
    """Yield the units of the events in a journal segment; `data` are whole lines from `first_line` on."""
    is_first = first_line == 1
    for line, stored in enumerate(data.split(b"\n"), first_line):
        one = of(path, line, stored, zone) if stored else None
        if one is not None:
            one.is_first, is_first = is_first, False
            yield one


def of(path: str, line: int, stored: bytes, zone: tzinfo | None) -> Unit | None:
    """Return the unit of a stored event line; None for a structural, damaged or empty event."""
    writer = path.split("/")[1]
    try:
        found = event.decode(stored, writer=writer)
    except AgentwsError:
        return None
    if found.kind in event.STRUCTURE or found.body is None:
        return None
    text = _unit.plain(summary.of(found.body, longest=_LONGEST_CHARS))
    one = _made(path, line, found, text, zone)
    if found.kind.startswith(_NO_WORDS) or not any(map(str.isalnum, text)):
        one.form = _unit.RECORD
    return one


def _made(path: str, line: int, found: Event, text: str, zone: tzinfo | None) -> Unit:
    body = found.body or {}
    one = Unit(0, path, line, line, text)
    one.room, one.form = _unit.JOURNAL, "event"
    at = _local(found.at, zone)
    one.day, one.time = at[:10], at[11:16]
    one.src = found.src if origin.is_outside(found.src) else ""
    if not (one.src and found.kind in origin.NO_KINDS):
        one.kind = found.kind
    importance, task = body.get("importance"), body.get("task")
    one.importance = importance if isinstance(importance, int) and not one.src else 0
    one.task = task if isinstance(task, str) else ""
    told = {"kind": found.kind, "session": found.session, "at": found.at, "tool": body.get("tool")}
    told |= {name: _short(body[name]) for name in ("input", "output") if body.get(name) is not None}
    one.head = plainjson.dumps({key: value for key, value in told.items() if value is not None})
    return one


def _short(value: object) -> str:
    return summary.shown(value)[:_MOST_CHARS]


def _local(at: str, zone: tzinfo | None) -> str:
    if zone is None:
        return at
    try:
        return datetime.fromisoformat(at).astimezone(zone).isoformat()
    except (ValueError, OverflowError):
        return at
