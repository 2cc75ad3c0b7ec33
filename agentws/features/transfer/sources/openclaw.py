"""OpenClaw: the transcripts of its sessions, which Pi writes alike, and the pages of its workspace.

A transcript has JSON lines: the first is of the type `session`; a `message` holds a role and a content in parts.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from agentws.core.formats.json import plainjson
from agentws.features.hosts.call import within
from agentws.features.transfer.plan.items import Item, Rest, Turn, Turns, parts, texts
from agentws.features.transfer.sources import Place, Source, notes, reader
from agentws.features.transfer.sources.reader import Input

_MEMORY = ("MEMORY.md", "USER.md")
_DATABASE = "openclaw-agent.sqlite"


def _usual(place: Place) -> list[str]:
    return place.of_host("openclaw", "agents", *(f"workspace/{name}" for name in (*_MEMORY, "memory")))


def _read(file: Input) -> Iterator[Item]:
    if file.name.endswith(".md"):
        yield from notes.memories(file)
        return
    if file.name.endswith(_DATABASE):
        yield from _database(file)
        return
    turns = Turns(file.name)
    for _, line in file.objects():
        yield from _event(turns, line)
    yield from turns.last()


def _database(file: Input) -> Iterator[Item]:
    """Yield the sessions in the database of an agent (since 2026.9), which has the same events."""
    with reader.database(file.path) as base:
        if "transcript_events" not in reader.tables(base):
            return
        session, turns = None, Turns("")
        for row in base.execute("SELECT session_id, seq, event_json FROM transcript_events ORDER BY session_id, seq"):
            if row[0] != session:
                yield from turns.last()
                session, turns = row[0], Turns(str(row[0]))
            where = f"{file.name} {row[0]}:{row[1]}"
            try:
                event = plainjson.loads(row[2]) if row[2] is not None else None
            except ValueError:
                event = ()
            if isinstance(event, dict):
                yield from _event(turns, event)
            else:
                yield Rest(where, "compressed by zstd" if event is None else "not a JSON object")
        yield from turns.last()


def _event(turns: Turns, line: Mapping[str, object]) -> Iterator[Turn]:
    if line.get("type") == "session":
        yield from turns.go_on(line.get("id"))
    if line.get("type") != "message":
        return
    role, content = within(line, "message", "role"), within(line, "message", "content")
    at = line.get("timestamp") or within(line, "message", "timestamp")
    turns.latest = at or turns.latest
    if role == "user":
        yield from turns.ask(texts(content, "text"), at=at, id=line.get("id") and f"{turns.session}:{line['id']}")
    elif role == "assistant":
        turns.answer(texts(content, "text"), at=at)
        for part in parts(content):
            if part.get("type") == "toolCall":
                turns.call(part.get("id"), part.get("name"), part.get("arguments"))
    elif role == "toolResult" and within(line, "message", "isError") is True:
        turns.fail(within(line, "message", "toolCallId"), texts(content, "text"))


OPENCLAW = Source("OpenClaw", (".jsonl", ".md", _DATABASE), _read, _usual)
