"""claude-mem: its SQLite database of observations and summaries of sessions, opened read-only."""

from __future__ import annotations

from collections.abc import Iterator

from agentws.core.formats.json import plainjson
from agentws.features.transfer.plan.items import Item, Memory, Rest, Turns, stamp
from agentws.features.transfer.sources import Source, reader
from agentws.features.transfer.sources.reader import Input

_OBSERVATIONS, _SUMMARIES = "observations", "session_summaries"


def _read(file: Input) -> Iterator[Item]:
    if not file.path.endswith((".db", ".sqlite", ".sqlite3")):
        yield Rest(file.name, "not a database")
        return
    with reader.database(file.path) as base:
        tables = reader.tables(base)
        if not tables & {_OBSERVATIONS, _SUMMARIES}:
            yield Rest(file.name, "not a database of claude-mem")
        for table, items in ((_OBSERVATIONS, _observation), (_SUMMARIES, _summary)):
            for row in reader.rows(base, table, file) if table in tables else ():
                if not file.project or row.get("project") == file.project.rpartition("/")[2]:
                    yield from items(row, file)


def _at(row: dict[str, object]) -> str:
    return stamp(row.get("created_at_epoch")) or stamp(row.get("created_at"))


def _observation(row: dict[str, object], file: Input) -> Iterator[Item]:
    parts = [str(row[key]) for key in ("title", "subtitle", "narrative", "text") if row.get(key)]
    facts = _listed(row.get("facts"))
    if parts or facts:
        yield Memory("\n".join([". ".join(parts[:2]), *parts[2:], *facts]).strip(), str(row.get("id")), _at(row))
    else:
        yield Rest(f"{file.name} observation {row.get('id')}", "no text")


def _summary(row: dict[str, object], file: Input) -> Iterator[Item]:
    session = str(row.get("memory_session_id") or row.get("sdk_session_id") or row.get("id"))
    turns = Turns(session)
    id = f"summary {row.get('id')} {session} {_at(row)}"  # another database has the same numbers
    yield from turns.ask(str(row.get("request") or "Session"), at=_at(row), id=id)
    turns.answer("\n".join(str(row[key]) for key in ("completed", "learned", "next_steps") if row.get(key)))
    for path in _listed(row.get("files_edited")):
        turns.call("", "edit", {"path": path})
    yield from turns.end()


def _listed(value: object) -> list[str]:
    try:
        decoded = plainjson.loads(value) if isinstance(value, str) and value.strip() else []
    except ValueError:
        decoded = [value]
    return [str(each) for each in decoded] if isinstance(decoded, list) else []


CLAUDE_MEM = Source(
    "claude-mem", (".db", ".sqlite", ".sqlite3"), _read, lambda place: [f"{place.home}/.claude-mem/claude-mem.db"]
)
