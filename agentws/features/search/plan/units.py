"""The units of a document: its outermost entries with those nested in them, as core/notes/reading.py reads them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

from agentws.core.formats import audience
from agentws.core.markdown import markdown, notes
from agentws.core.notes import reading, vocabulary
from agentws.core.notes.entry import Entry
from agentws.core.notes.vocabulary import Vocabulary
from agentws.features.search.plan import unit as _unit
from agentws.features.search.plan.unit import Unit

_TASK = "task:"
"""The beginning of a tag that names the task of a line."""


def of(
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
