"""Headers as search units: the front matter of tasks and handoffs, and the rows of memory/sources.jsonl."""

from __future__ import annotations

from agentws.core.formats.documents import fields
from agentws.core.formats.json import plainjson
from agentws.features.search.plan import unit as _unit
from agentws.features.search.plan.unit import Unit

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from agentws.core.formats.documents.document import Document

_TOLD = {
    _unit.TASKS: ("title", "status", "priority", "due", "waiting_on", "created", "updated", "session"),
    _unit.HANDOFFS: ("session", "at", "status", "origin"),
}
_MOST_CHARS = 4_000


def of(read: Document, *, path: str, room: str, day: str) -> Iterator[Unit]:
    """Yield the header of a task, which is found by the words of its title, or of a handoff, which only `sql` lists."""
    is_task = room == _unit.TASKS
    every = read.text.split("\n")
    title = next((at for at, line in enumerate(every) if at >= read.body_line - 1 and line.strip()), 0)
    has_title = every[title].startswith("# ")
    lines = every[: title + 1] if has_title else every[: read.body_line - 1]
    text = _unit.plain("\n".join(lines)).rstrip("\r") if is_task else ""
    one = Unit(0, path, 1, max(1, len(lines)) if is_task else 1, text)
    one.room, one.day, one.form = room, day, _unit.HEADER if text else _unit.RECORD
    one.is_first = True
    told = {name: said for name in _TOLD[room] if (said := _said(read, name))}
    if is_task and has_title:
        told.setdefault("title", every[title].lstrip("# ").rstrip())
    one.head = plainjson.dumps({key: _unit.plain(value) for key, value in told.items()})
    yield one


def _said(read: Document, name: str) -> str:
    value = read.fields.get(name)
    return fields.text(read, name) if isinstance(value, str | None) else plainjson.dumps(value)


def rows(path: str, data: bytes) -> Iterator[Unit]:
    """Yield a record unit for each row of memory/sources.jsonl, without text; long or broken lines are left out."""
    for line, stored in enumerate(data.split(b"\n"), 1):
        if not stored.startswith(b"{") or len(stored) > _MOST_CHARS:
            continue
        try:
            told = plainjson.loads(stored)
        except (ValueError, RecursionError):
            continue
        one = Unit(0, path, line, line, "")
        one.room, one.form, one.head = _unit.MEMORY, _unit.RECORD, _unit.plain(plainjson.dumps(told))
        yield one
