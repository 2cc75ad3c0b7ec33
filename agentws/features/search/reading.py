"""Reading a workspace file for search: its bytes become units, with the parsers that all of agentws uses."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime, tzinfo
from itertools import chain, islice, pairwise

from agentws.core.formats import audience, layout
from agentws.core.formats.documents import document, fields
from agentws.core.formats.journal import event, summary
from agentws.core.formats.json import plainjson
from agentws.core.markdown import markdown, notes
from agentws.core.notes import reading, vocabulary
from agentws.core.notes.entry import Entry
from agentws.core.notes.vocabulary import Vocabulary
from agentws.core.text import origin
from agentws.errors import AgentwsError, UsageError
from agentws.features.search import masking
from agentws.features.search.plan import unit as _unit
from agentws.features.search.plan.unit import Unit

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from agentws.core.formats.documents.document import Document
    from agentws.core.formats.journal.event import Event
    from agentws.core.stores.stores import Stores

    Row = tuple[Any, ...]


class Reader:
    """Turns the bytes of workspace files into search units; without stores those of any workspace, in UTC."""

    __slots__ = ("_keeps_out", "_words", "_zone")

    def __init__(self, stores: Stores | None) -> None:
        self._zone = self._keeps_out = None
        self._words = vocabulary.USUAL
        if stores is None:
            return
        self._keeps_out = stores.keeps_out()
        self._words = vocabulary.extended(stores.manifest.vocabulary)
        zone = stores.manifest.timezone
        self._zone = None if zone in ("", "UTC", "Etc/UTC") else stores.clock.now().tzinfo

    def rows(self, path: str, room: str, data: bytes, first_line: int = 1) -> Iterator[Row]:
        """Read a file into units and yield their rows for the index; a segment's `data` may begin at `first_line`."""
        return (unit.row() for unit in self.units(path, room, data, first_line))

    def units(self, path: str, room: str, data: bytes, first_line: int = 1) -> Iterator[Unit]:
        """Read the content of the file at `path` and yield its units, without those that hold forgotten text."""
        passages = self._units(path, room, data, first_line)
        if self._keeps_out is None:
            return passages
        is_kept_out = self._keeps_out
        return (
            unit for unit in passages if not is_kept_out("\n".join((unit.text, unit.head, *unit.headings, *unit.tags)))
        )

    def _units(self, path: str, room: str, data: bytes, first_line: int) -> Iterator[Unit]:
        """Yield the units of a file, also if its front matter is broken."""
        if room == _unit.JOURNAL:
            yield from units(path, data, self._zone, first_line)
            return
        if b"\0" in data:
            return  # a binary file
        if b"<<<<<<<" in data and layout.is_memory(path):
            from agentws.core.markdown import conflict  # seldom

            if conflict.line(data.decode("utf-8", "replace")):
                return  # either side may be wrong
        if path == layout.SOURCES:
            yield from rows(path, data)
            return
        if room == _unit.DATA:
            yield from table_rows(path, data)
            return
        read = _document(path, masking.lines(data))
        name = path.rpartition("/")[2]
        day = layout.day_of(name) or (_other_day(path) if room == _unit.LOGS else "") or _day(read)
        slug = name.removesuffix(".md") if room == _unit.TASKS else fields.text(read, "task")
        src = fields.source(read)
        heard = audience.of_value(read.fields.get(audience.KEY))
        tags = tuple(fields.labels(read))
        passages = units_of(read.body, path=path, room=room, day=day, first_line=read.body_line, words=self._words)
        if room in (_unit.TASKS, _unit.HANDOFFS):
            passages = chain(of(read, path=path, room=room, day=day), passages)
        for unit in passages:
            if room == _unit.IDENTITY and _is_empty_field(unit):
                continue
            unit.task = slug or unit.task
            if src and not unit.src:
                unit.src, unit.kind, unit.state, unit.importance, unit.tags = src, "", "", 0, ()
            if room != _unit.LOGS:
                unit.audience = heard
            unit.tags = tuple(dict.fromkeys((*unit.tags, *tags))) if tags else unit.tags
            yield unit


def _other_day(path: str) -> str:
    from agentws.core.formats import adoption  # seldom

    return adoption.day_at(path)


def _is_empty_field(unit: Unit) -> bool:
    """Return whether an item is a template field that was never filled in: `- **Time zone:**`."""
    return unit.form == markdown.ITEM and "\n" not in unit.text and unit.text.rstrip(" *_").endswith((":", "："))


def _document(path: str, data: bytes) -> Document:
    if b"\n" not in data:
        data = data.replace(b"\r", b"\n")
    return document.lenient(data, where=path)[0]


def _day(read: Document) -> str:
    """Return the day that the front matter names, empty if it names none."""
    for name in ("updated", "created", "at"):
        text = fields.text(read, name)[:10]
        if layout.is_day(text):
            return text
    return ""


_TOLD = {
    _unit.TASKS: ("title", "status", "priority", "due", "waiting_on", "created", "updated", "session"),
    _unit.HANDOFFS: ("session", "at", "status", "origin"),
}
_MOST_CHARS = 4_000
_MOST_ROW_BYTES = 1 << 16


def of(read: Document, *, path: str, room: str, day: str) -> Iterator[Unit]:
    """Yield the header of a task, which is found by the words of its title, or of a handoff, which only `sql` lists."""
    is_task = room == _unit.TASKS
    every = read.text.split("\n")
    title = next((at for at, line in enumerate(every) if at >= read.body_line - 1 and line.strip()), 0)
    has_title = every[title].startswith("# ")
    lines = every[: title + 1] if has_title else every[: read.body_line - 1]
    text = _unit.plain("\n".join(lines)).rstrip("\r") if is_task else ""
    unit = Unit(0, path, 1, max(1, len(lines)) if is_task else 1, text)
    unit.room, unit.day, unit.form = room, day, _unit.HEADER if text else _unit.RECORD
    unit.is_first = True
    texts = {name: message for name in _TOLD[room] if (message := _field_text(read, name))}
    if is_task and has_title:
        texts.setdefault("title", every[title].lstrip("# ").rstrip())
    unit.head = plainjson.dumps(masking.value({key: _unit.plain(value) for key, value in texts.items()}))
    yield unit


def _field_text(read: Document, name: str) -> str:
    value = read.fields.get(name)
    return fields.text(read, name) if isinstance(value, str | None) else plainjson.dumps(value)


def table_rows(path: str, data: bytes) -> Iterator[Unit]:
    """Yield a unit for each row of a table; long or broken lines are left out."""
    for line, stored in enumerate(masking.lines(data).split(b"\n"), 1):
        text = stored.strip()
        if not text.startswith(b"{") or len(text) > _MOST_ROW_BYTES:
            continue
        try:
            value = plainjson.loads(text)
        except ValueError:
            continue
        unit = Unit(0, path, line, line, _unit.plain(text.decode("utf-8", "replace")))
        unit.room, unit.head = _unit.DATA, _unit.plain(plainjson.dumps(value))
        yield unit


def rows(path: str, data: bytes) -> Iterator[Unit]:
    """Yield a record unit for each row of memory/sources.jsonl, without text; long or broken lines are left out."""
    for line, stored in enumerate(data.split(b"\n"), 1):
        if not stored.startswith(b"{") or len(stored) > _MOST_CHARS:
            continue
        try:
            value = masking.value(plainjson.loads(stored))
        except (ValueError, RecursionError, AgentwsError):
            continue
        unit = Unit(0, path, line, line, "")
        unit.room, unit.form, unit.head = _unit.MEMORY, _unit.RECORD, _unit.plain(plainjson.dumps(value))
        yield unit


_TASK = "task:"
"""The beginning of a tag that names the task of a line."""


def units_of(
    body: str,
    *,
    path: str,
    room: str,
    day: str = "",
    first_line: int = 1,
    words: Vocabulary = vocabulary.USUAL,
) -> Iterator[Unit]:
    """Yield the units of a document's body, without numbers; `day` is that of a log."""
    body = _unit.plain(body)
    lines = body.split("\n")
    before: tuple[str, ...] | None = None
    entries = reading.read(body, path=path, day=day if room == _unit.LOGS else "", words=words, first_line=first_line)
    for at, behind in pairwise((*_begins(entries), len(entries))):
        entry = entries[at]
        end_line = max(each.end_line for each in entries[at:behind])
        text = "\n".join(lines[entry.line - first_line : end_line - first_line + 1]).rstrip("\r")
        if any(map(str.isalnum, text)):
            unit = _made(entry, text, end_line, room, day)
            unit.is_first = unit.headings != before
            before = unit.headings
            yield unit


def _begins(entries: Sequence[Entry]) -> list[int]:
    """Return the entries that begin a unit: outermost ones, and nested ones with another origin than those above."""
    result: list[int] = []
    src = ""
    for at, entry in enumerate(entries):
        if entry.parent is None or entry.src != src:
            result.append(at)
            src = entry.src
    return result


def _made(entry: Entry, text: str, end_line: int, room: str, day: str) -> Unit:
    unit = Unit(0, entry.path, entry.line, end_line, text)
    unit.room, unit.day, unit.form = room, day, entry.form
    unit.time = entry.time or ""
    unit.kind, unit.state = entry.kind or "", entry.state or ""
    unit.importance = entry.importance or 0
    unit.src = entry.src
    if not entry.src:
        unit.tags = tuple(dict.fromkeys((*notes.tags_in(" ".join(entry.headings)), *notes.tags_in(text))))
        unit.task = next((tag.removeprefix(_TASK) for tag in unit.tags if tag.startswith(_TASK)), "")
    unit.headings = entry.headings
    unit.head = entry.head if entry.form == markdown.ROW else ""
    unit.audience = audience.of_entry(text.partition("\n")[0])
    return unit


_LONGEST_CHARS = 500
_MOST_CHARS_OF_EVENT = 2_000
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
            yield _made_of_event(path, line, entry, entry.body or {}, zone)
        return
    for line, entry in entries:
        try:
            yield _made_of_event(path, line, entry, masking.value(entry.body), zone)
        except UsageError:
            continue  # nested too deeply to be looked through


def _made_of_event(path: str, line: int, entry: Event, body: Mapping[str, Any], zone: tzinfo | None) -> Unit:
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
    return summary.shown(value)[:_MOST_CHARS_OF_EVENT]


def _local(at: str, zone: tzinfo | None) -> str:
    if zone is None:
        return at
    try:
        return datetime.fromisoformat(at).astimezone(zone).isoformat()
    except (ValueError, OverflowError):
        return at
