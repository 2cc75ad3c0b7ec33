"""Our stores beside the SQLite stores of the OpenAI Agents SDK, Google's ADK and eventsourcing: the same calls in turn.

A step writes one item or event, durably; the steps go round 20 sessions (or aggregates), 50 to one store and then the
same 50 to the other. Each store is as its framework opens it. pydantic-ai has no store on SQLite.

    pip install '.[eventsourcing,google-adk,openai-agents]' aiosqlite
    python benchmarks/framework_stores.py [STEPS]
"""

from __future__ import annotations

import asyncio
import shutil
import sqlite3
import statistics
import sys
import tempfile
import time
import warnings
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol
from uuid import UUID

from agents import SQLiteSession
from eventsourcing.persistence import StoredEvent
from eventsourcing.sqlite import SQLiteApplicationRecorder, SQLiteDatastore
from google.adk.events.event import Event
from google.adk.events.event_actions import EventActions
from google.adk.sessions.base_session_service import GetSessionConfig
from google.adk.sessions.sqlite_session_service import SqliteSessionService
from google.genai import types

from agentws import Workspace
from agentws.adapters.eventsourcing import ApplicationRecorder
from agentws.adapters.google_adk import SessionService
from agentws.adapters.openai_agents import Session

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterator

_ROUND, _BLOCK, _READS, _LATEST = 20, 50, 100, 20
_TEXT = "The tiles of the north side were counted again, and three of them are cracked. " * 3


class Store(Protocol):
    """What is timed of a store: a step, and reading all or the latest steps of a session."""

    async def write(self, session: int, number: int) -> object: ...  # noqa: D102
    async def read(self, session: int) -> object: ...  # noqa: D102
    async def latest(self, session: int) -> object: ...  # noqa: D102


class Items:
    """Sessions of the OpenAI Agents SDK."""

    def __init__(self, opened: Callable[[str], Any]) -> None:
        self.sessions = [opened(f"session-{number}") for number in range(_ROUND)]

    async def write(self, session: int, number: int) -> object:
        """Add an item."""
        return await self.sessions[session].add_items([{"role": "user", "content": f"{number}: {_TEXT}"}])

    async def read(self, session: int) -> object:
        """Return all items."""
        return await self.sessions[session].get_items()

    async def latest(self, session: int) -> object:
        """Return the latest items."""
        return await self.sessions[session].get_items(_LATEST)


class Events:
    """A session service of the ADK."""

    def __init__(self, service: Any) -> None:
        self.service = service
        self.sessions: list[Any] = []

    async def write(self, session: int, number: int) -> object:
        """Append an event that changes a value of the state."""
        while len(self.sessions) <= session:
            made = await self.service.create_session(app_name="house", user_id="tim", session_id=f"s{session}")
            self.sessions.append(made)
        event = Event(
            author="user",
            invocation_id=f"i{number}",
            timestamp=4e9 + number,
            content=types.Content(role="user", parts=[types.Part(text=f"{number}: {_TEXT}")]),
            actions=EventActions(state_delta={"count": number}),
        )
        return await self.service.append_event(self.sessions[session], event)

    async def read(self, session: int) -> object:
        """Return the session with all events."""
        return await self._get(session, None)

    async def latest(self, session: int) -> object:
        """Return the session with its latest events."""
        return await self._get(session, GetSessionConfig(num_recent_events=_LATEST))

    async def _get(self, session: int, config: GetSessionConfig | None) -> object:
        return await self.service.get_session(app_name="house", user_id="tim", session_id=f"s{session}", config=config)


class Records:
    """An application recorder of eventsourcing."""

    def __init__(self, recorder: Any) -> None:
        self.recorder = recorder

    async def write(self, session: int, number: int) -> object:
        """Insert an event."""
        state = f'{{"timestamp":{{"_type_":"datetime_iso","_data_":"2026-11-29"}},"text":"{number}: {_TEXT}"}}'
        event = StoredEvent(UUID(int=session << 64), number, "house.domain:Roof.TilesCounted", state.encode())
        return self.recorder.insert_events([event])

    async def read(self, session: int) -> object:
        """Return all events of an aggregate."""
        return self.recorder.select_events(UUID(int=session << 64))

    async def latest(self, session: int) -> object:
        """Return the latest notifications."""
        newest = self.recorder.max_notification_id()
        return self.recorder.select_notifications(newest - _LATEST + 1, _LATEST)


def _pairs(ours: Path, theirs: Path) -> Iterator[tuple[str, Store, Store]]:
    workspace = Workspace.init(str(ours), git=False)
    recorder = SQLiteApplicationRecorder(SQLiteDatastore(str(theirs / "events.db")))
    recorder.create_table()
    database = theirs / "openai.db"
    yield (
        "OpenAI Agents",
        Items(lambda name: Session(workspace, name)),
        Items(lambda name: SQLiteSession(name, database)),
    )
    yield "Google ADK", Events(SessionService(workspace)), Events(SqliteSessionService(str(theirs / "adk.db")))
    yield "eventsourcing", Records(ApplicationRecorder(workspace.data.rows("eventsourcing/bench"))), Records(recorder)


async def _time(times: list[float], calls: list[Callable[[], Awaitable[object]]]) -> None:
    start = time.perf_counter()
    for call in calls:
        await call()
    times.append((time.perf_counter() - start) / len(calls))


async def _compare(name: str, ours: Store, theirs: Store, steps: int, folders: tuple[Path, Path]) -> None:
    """Print milliseconds of ours and theirs, and their ratio, for writes and reads; and the disk of both."""
    before = [_size(folder) for folder in folders]
    writes: tuple[list[float], list[float]] = ([], [])
    for start in range(0, steps, _BLOCK):
        for store, times in zip((ours, theirs), writes, strict=True):
            block = range(start, start + _BLOCK)
            await _time(times, [partial(store.write, number % _ROUND, number) for number in block])
    _print(name, "write", writes)
    for verb in ("read", "latest"):
        reads: tuple[list[float], list[float]] = ([], [])
        for number in range(_READS):
            for store, times in zip((ours, theirs), reads, strict=True):
                await _time(times, [partial(getattr(store, verb), number % _ROUND)])
        _print(name, verb, reads)
    sizes = [_size(folder) - size for folder, size in zip(folders, before, strict=True)]
    print(
        f"{name:14} {'disk':7} {sizes[0] / 1e6:8.2f} {sizes[1] / 1e6:8.2f} MB  {sizes[0] / sizes[1]:5.2f}", flush=True
    )


def _print(name: str, verb: str, times: tuple[list[float], list[float]]) -> None:
    ours, theirs = (statistics.median(values) * 1000 for values in times)
    print(f"{name:14} {verb:7} {ours:8.3f} {theirs:8.3f} ms  {ours / theirs:5.2f}", flush=True)


def _size(folder: Path) -> int:
    for database in folder.glob("*.db"):
        connection = sqlite3.connect(database)
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        connection.close()
    return sum(file.stat().st_size for file in folder.rglob("*") if file.is_file())


def main(steps: int) -> None:
    """Compare all, in a new folder."""
    warnings.simplefilter("ignore")
    folder = Path(tempfile.mkdtemp())
    try:
        theirs = folder / "theirs"
        theirs.mkdir()
        print(f"{steps} steps{'':12} ours   theirs     ours/theirs")
        for name, one, other in _pairs(folder / "ours", theirs):
            asyncio.run(_compare(name, one, other, steps, (folder / "ours" / "data", theirs)))
    finally:
        shutil.rmtree(folder)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 10_000)
