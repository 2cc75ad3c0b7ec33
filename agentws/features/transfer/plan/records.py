"""The records of an export: each entry of the documents as one value, and the files in which they leave. Pure.

Specified in docs/format/export.md.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Literal

from agentws.core.formats import layout
from agentws.core.formats.documents import daily
from agentws.core.formats.documents.document import Document
from agentws.core.formats.documents.task import NORMAL, Task
from agentws.core.formats.json import plainjson
from agentws.core.markdown import markdown
from agentws.core.text import origin

Kind = Literal["log", "memory"]


LOG: Kind = "log"
MEMORY: Kind = "memory"
_ESCAPED = re.compile(r"\\(?=\(via |\^|\[|!|#|<!--)")
_MEMFS = {
    layout.SOUL: ("system/persona.md", "Who I am."),
    layout.IDENTITY: ("system/identity.md", "My name."),
    layout.USER: ("system/human.md", "The person that I serve."),
    layout.AGENTS: ("system/instructions.md", "How I work."),
    layout.MEMORY: ("system/memory.md", "Long-term facts."),
}
"""Folder of MemFS that its agent always reads."""


@dataclass(frozen=True, slots=True)
class Record:
    """An entry that leaves a workspace: its `text` with the headings above it, and where it was (`path`, `line`).

    `at` is its local day, with the minute if known, else empty; `origin` is as in `(via …)`, `unknown` without one.
    """

    kind: Kind
    at: str
    origin: str
    path: str
    line: int
    text: str


def of_document(path: str, document: Document) -> Iterator[Record]:
    """Yield the records of a document, in their order. The first one of a task has its title and its state."""
    if path.startswith(f"{layout.TASKS}/"):
        yield _of_task(path, Task(path.rpartition("/")[2].removesuffix(".md"), document))
    day = layout.day_of(path.rpartition("/")[2]) or "" if path.startswith(f"{layout.DAYS}/") else ""
    first = next((line for line in document.body.split("\n") if line.strip()), "")
    title = markdown.title_of(first) if first.startswith("# ") else None
    for unit in markdown.units(document.body, first_line=document.body_line):
        headings = unit.path[1:] if unit.path and unit.path[0] == title else unit.path
        top = unit.text.strip("\n").split("\n")[0]
        source = origin.of_line(top)
        words = _words(unit, source)
        time = ""
        if day and daily.is_ours(top):
            time, words = words[:5], words[5:].strip()
        elif not day and layout.is_day(words[:10]) and words[10:11] in ("", " "):
            time, words = words[:10], words[10:].strip()
        if unit.kind in (markdown.FENCE, markdown.ROW) and not headings:
            headings = (path.rpartition("/")[2].removesuffix(".md"),)
        text = _ESCAPED.sub("", f"{' › '.join(headings)}:{_gap(unit)}{words}" if headings else words)
        at = f"{day}T{time}" if day and time else day or time
        if text.strip():
            yield Record(LOG if day else MEMORY, at, source or origin.UNKNOWN, path, unit.line, text)


def _of_task(path: str, task: Task) -> Record:
    state = [
        task.status,
        f"priority {task.priority}" if task.priority != NORMAL else "",
        f"due {task.due}" if task.due else "",
        f"step: {task.step}" if task.step else "",
        f"waiting for: {task.waiting_on}" if task.waiting_on else "",
    ]
    text = _ESCAPED.sub("", f"Task {task.title} ({'; '.join(filter(None, state))})")
    day = task.created[:10]
    return Record(MEMORY, day if layout.is_day(day) else "", task.src or origin.UNKNOWN, path, 1, text)


def _gap(unit: markdown.Unit) -> str:
    return "\n" if unit.kind in (markdown.FENCE, markdown.ROW) else " "


def _words(unit: markdown.Unit, source: str) -> str:
    """Return the text of a unit without its bullet, its origin, and the indent of its further lines."""
    lines = unit.text.strip("\n").split("\n")
    width = markdown.marker(lines[0]) if unit.kind == markdown.ITEM else 0
    top = lines[0][width:].removesuffix(origin.ending(source)) if source else lines[0][width:]
    rest = [line[width:] if not line[:width].strip() else line.lstrip() for line in lines[1:]]
    if unit.kind == markdown.ROW:
        top = unit.head + top
    if unit.kind == markdown.HEADING:
        top = unit.text.strip().lstrip("#").strip()
    return "\n".join(line.rstrip() for line in (top, *rest)).strip()


def to_line(record: Record) -> str:
    """Return the line of JSON for a record."""
    fields: dict[str, object] = {"v": 1, **{name: getattr(record, name) for name in Record.__slots__}}
    return f"{plainjson.dumps(fields)}\n"


def from_fields(fields: Mapping[str, object]) -> Record | None:
    """Return the record with these fields of JSON, None if they are not a record."""
    kind, text, at = fields.get("kind"), fields.get("text"), fields.get("at")
    if kind not in (LOG, MEMORY) or not isinstance(text, str) or not text.strip() or not isinstance(at, str):
        return None
    day, time = at[:10], at[11:16]
    is_time = not at[10:] or (at[10] == "T" and daily.is_ours(f"- {time} "))
    if (at and not (layout.is_day(day) and is_time)) or (kind == LOG and not at):
        return None
    line = fields.get("line")
    return Record(
        LOG if kind == LOG else MEMORY,
        at[:16],
        str(fields.get("origin") or origin.UNKNOWN),
        str(fields.get("path") or ""),
        line if isinstance(line, int) else 0,
        text,
    )


def to_markdown(records: Iterable[Record], *, name: str) -> Iterator[str]:
    """Yield one Markdown document with a section for each file."""
    yield f"# Export of {name}\n"
    path = ""
    for record in records:
        if record.path != path:
            path = record.path
            yield f"\n## {path}\n\n"
        yield _bullet(record)


def to_memfs(records: Iterable[Record]) -> Iterator[tuple[str, str]]:
    """Yield (path of a file of MemFS, a part of its text); the first part of each file begins with its front matter."""
    places: dict[str, str] = {}
    taken: set[str] = set()
    for record in records:
        head = ""
        if record.path not in places:
            place, about = _MEMFS.get(layout.usual(record.path), ("", ""))
            place = place or f"reference/{record.path.removeprefix(f'{layout.DAYS}/').replace('/', '-')}"
            places[record.path] = _free(place, taken)
            head = f"---\ndescription: {plainjson.dumps(about or f'From {record.path}.')}\n---\n"
        yield places[record.path], head + _bullet(record)


def _free(place: str, taken: set[str]) -> str:
    """Return the place, with a number if another file has it, also on a disk that ignores case; adds it to `taken`."""
    stem = place.removesuffix(".md")
    name = next(
        name
        for number in itertools.count(1)
        if (name := place if number == 1 else f"{stem}-{number}.md").casefold() not in taken
    )
    taken.add(name.casefold())
    return name


def _bullet(record: Record) -> str:
    first, *rest = record.text.split("\n")
    when = record.at if record.kind == MEMORY else record.at[11:]
    source = f" (from {record.origin})" if record.origin != origin.UNKNOWN else ""
    lines = [" ".join(filter(None, (when, first))) + source, *rest]
    return "- " + "\n".join([lines[0], *(f"  {line}".rstrip() for line in lines[1:])]) + "\n"
