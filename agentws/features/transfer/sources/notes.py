"""Folders of Markdown: an Obsidian vault or plain notes, Basic Memory, MemFS. An item or a paragraph is a memory."""

from __future__ import annotations

from collections.abc import Iterator

from agentws.core.formats.documents import document, fields
from agentws.core.markdown import markdown
from agentws.features.transfer.plan.items import MOST_MEMORY_CHARS, TOO_LONG, Item, Memory, Rest, stamp
from agentws.features.transfer.sources import Source
from agentws.features.transfer.sources.reader import Input

_TIMES = ("created", "created_at", "date", "updated", "modified")
_ABOUT = ("description", "summary")


def memories(file: Input) -> Iterator[Item]:
    """Yield each item, paragraph, table row and code block of a page, with the headings above it."""
    text = file.text()
    if text is None:
        return
    page, damage = document.lenient(text.encode("utf-8", "replace"), where=file.name)
    at = next((value for key in _TIMES if (value := stamp(fields.text(page, key)))), "") or stamp(file.modified)
    name = file.name.rpartition("/")[2].removesuffix(".md")
    private = " #private" if "private" in fields.labels(page) else ""
    body, line = page.body, page.body_line
    if damage is not None:
        yield Rest(f"{file.name}:1", "damaged front matter: the page counts as private")
        header, end, below = body.partition("\n---\n")
        if header.startswith("---") and end:
            body, line = below, header.count("\n") + 3
    for key in _ABOUT:
        if about := fields.text(page, key):
            yield Memory(f"{name}: {about}{private}", at=at)
    for unit in markdown.units(body, first_line=line):
        words = unit.text.strip()
        if unit.kind == markdown.ITEM:
            words = words[markdown.marker(words) :]
        titles = " › ".join(dict.fromkeys([name, *unit.path]))
        first, newline, more = words.partition("\n")
        whole = (
            f"{titles}: {first}{private}{newline}{more}"
            if unit.kind not in (markdown.FENCE, markdown.ROW)
            else f"{titles}:{private}\n{unit.head}{words}"
        )
        if len(whole) > MOST_MEMORY_CHARS:
            yield Rest(f"{file.name}:{unit.line}", TOO_LONG)
        elif words:
            yield Memory(whole, at=at)


MARKDOWN = Source("Markdown", (".md",), memories)
BASIC_MEMORY = Source("Basic Memory", (".md",), memories, lambda place: [f"{place.home}/basic-memory"])
MEMFS = Source("MemFS", (".md",), memories, lambda place: [f"{place.home}/.letta/agents"])
