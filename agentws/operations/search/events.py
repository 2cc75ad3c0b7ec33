"""The units of a journal: what people, the agent and its tools said, in short; what holds the journal together is not.

A unit has the line of its event, and its gist as text.
"""

from __future__ import annotations

from datetime import datetime

from agentws.errors import AgentwsError
from agentws.formats import origin
from agentws.formats.journal import event, summary
from agentws.planning.search import unit as _unit
from agentws.planning.search.unit import Unit

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import tzinfo

    from agentws.formats.journal.event import Event

_LONGEST_CHARS = 500
_LEFT_OUT = (*event.STRUCTURE, event.ENDED)


def units(path: str, data: bytes, zone: tzinfo | None, first_line: int = 1) -> Iterator[Unit]:
    """Yield the units of a segment of which `data` are whole lines."""
    for line, stored in enumerate(data.split(b"\n"), first_line):
        one = of(path, line, stored, zone) if stored else None
        if one is not None:
            yield one


def of(path: str, line: int, stored: bytes, zone: tzinfo | None) -> Unit | None:
    """Return the unit of a stored line, None for one that nobody looks for."""
    writer = path.split("/")[1]
    try:
        found = event.decode(stored, writer=writer)
    except AgentwsError:
        return None
    body = found.body or {}
    if found.kind in _LEFT_OUT or found.kind.startswith(event.RESERVED) or not body:
        return None
    text = _unit.plain(summary.of(body, longest=_LONGEST_CHARS))
    return _made(path, line, found, text, zone) if any(map(str.isalnum, text)) else None


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
    return one


def _local(at: str, zone: tzinfo | None) -> str:
    if zone is None:
        return at
    try:
        return datetime.fromisoformat(at).astimezone(zone).isoformat()
    except (ValueError, OverflowError):
        return at
