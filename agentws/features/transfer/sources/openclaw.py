"""OpenClaw: the transcripts of its sessions, which Pi writes alike, and the pages of its workspace.

A transcript has JSON lines: the first is of the type `session`; a `message` holds a role and a content in parts.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from agentws.features import hosts
from agentws.features.transfer.plan.items import Rest, Turns, parts, texts, within
from agentws.features.transfer.sources import Place, Source, notes

if TYPE_CHECKING:
    from collections.abc import Iterator

    from agentws.features.transfer.plan.items import Item
    from agentws.features.transfer.sources.reading import Input

_MEMORY = ("MEMORY.md", "USER.md")


def _usual(place: Place) -> list[str]:
    home = hosts.settings("openclaw").home(place.variables)
    pages = [f"{home}/workspace/{name}" for name in (*_MEMORY, "memory")]
    return [f"{home}/agents", *pages] if home else []


def _read(file: Input) -> Iterator[Item]:
    if file.name.endswith(".md"):
        yield from notes.memories(file)
        return
    turns = Turns(file.name)
    for row in file.objects():
        if isinstance(row, Rest):
            yield row
            continue
        line = row[1]
        if line.get("type") == "session":
            turns.session = str(line.get("id") or turns.session)
        elif line.get("type") == "message":
            role, content = within(line, "message", "role"), within(line, "message", "content")
            at = line.get("timestamp") or within(line, "message", "timestamp")
            if role == "user":
                yield from turns.ask(
                    texts(content, "text"), at=at, id=line.get("id") and f"{turns.session}:{line['id']}"
                )
            elif role == "assistant":
                turns.answer(texts(content, "text"), at=at)
                for part in parts(content):
                    if part.get("type") == "toolCall":
                        turns.call(part.get("id"), part.get("name"), part.get("arguments"))
            elif role == "toolResult" and within(line, "message", "isError") is True:
                turns.fail(within(line, "message", "toolCallId"), texts(content, "text"))
    yield from turns.end()


OPENCLAW = Source("OpenClaw", (".jsonl", ".md"), _usual, _read)
