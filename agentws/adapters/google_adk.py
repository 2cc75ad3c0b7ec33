"""Sessions and memory of Google's ADK in a workspace.

    services = {"session_service": SessionService(workspace), "memory_service": MemoryService(workspace)}
    runner = Runner(agent=agent, app_name="house", **services)

A session is a log of rows, `data/google-adk/<app>/<user>/<session>.jsonl`; an event is a row. Needs
`pip install 'agentws[google-adk]'`.
"""

from __future__ import annotations

import asyncio
import json
import threading
import uuid
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from typing import TYPE_CHECKING, cast
from urllib.parse import quote, unquote

from agentws.adapters.row_index import Row, RowIndex, in_thread

try:
    from google.adk.errors import StaleSessionError
    from google.adk.errors.already_exists_error import AlreadyExistsError
    from google.adk.errors.session_not_found_error import SessionNotFoundError
    from google.adk.events.event import Event
    from google.adk.memory.base_memory_service import BaseMemoryService, SearchMemoryResponse
    from google.adk.memory.memory_entry import MemoryEntry
    from google.adk.sessions.base_session_service import BaseSessionService, ListSessionsResponse
    from google.adk.sessions.session import Session
    from google.adk.sessions.state import State
    from pydantic import TypeAdapter
except ModuleNotFoundError as missing:
    raise ModuleNotFoundError(
        f"The services need {missing.name}: pip install 'agentws[google-adk]'", name=missing.name
    ) from missing

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from google.adk.sessions.base_session_service import GetSessionConfig

    from agentws.workspace import Workspace

_ROOT = "google-adk"
_STATE = TypeAdapter(dict[str, object])
_MOST_INDEXED = 1000
_MOST_MEMORIES = 10


class SessionService(BaseSessionService):
    """A session service of the ADK. An event is on the disk when `append_event` returns.

    Threads and processes may share a session: who appends to one that another has changed gets a StaleSessionError;
    the same event is added once.
    """

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace
        self._lock = threading.Lock()
        self._sessions: dict[str, _Session] = {}
        self._states: dict[str, _SharedState] = {}

    async def create_session(
        self,
        *,
        app_name: str,
        user_id: str,
        state: dict[str, object] | None = None,
        session_id: str | None = None,
    ) -> Session:
        """Make a session, durably. AlreadyExistsError if its id is used."""
        return await in_thread(self._create, app_name, user_id, (session_id or "").strip() or str(uuid.uuid4()), state)

    def _create(self, app: str, user: str, session_id: str, state: dict[str, object] | None) -> Session:
        session, plain = (
            self._session(app, user, session_id),
            _STATE.dump_python(state or {}, mode="json", fallback=str),
        )
        with session.changing():
            if session.is_there:
                raise AlreadyExistsError(f"Session with id {session_id} already exists.")
            self._share(app, user, plain)
            now = self._workspace.stores.clock.now().timestamp()
            session.add({"session": session_id, "created": now, "state": _own(plain)})
        return cast(Session, self._get(app, user, session_id, None))

    async def get_session(
        self, *, app_name: str, user_id: str, session_id: str, config: GetSessionConfig | None = None
    ) -> Session | None:
        """Return a session with its events and state, or None."""
        return await asyncio.to_thread(self._get, app_name, user_id, session_id.strip(), config)

    def _get(self, app: str, user: str, session_id: str, config: GetSessionConfig | None) -> Session | None:
        session = self._session(app, user, session_id)
        count = None if config is None else config.num_recent_events
        stored = session.read(lambda: session.stored(count))
        if stored is None:
            return None
        after = config.after_timestamp if config is not None else None
        made = self._made(app, user, session_id, stored)
        made.events = [event for event in stored.events if after is None or event.timestamp >= after]
        return made

    async def list_sessions(self, *, app_name: str, user_id: str | None = None) -> ListSessionsResponse:
        """Return the sessions of a user or of all users, without events, the one used last at the end."""
        return ListSessionsResponse(sessions=await asyncio.to_thread(self._list, app_name, user_id))

    def _list(self, app: str, user_id: str | None) -> list[Session]:
        sessions = []
        for name in self._workspace.data.row_logs(_name(_ROOT, app, *([] if user_id is None else [user_id]), "")):
            _, _, user, *session_id = map(unquote, name.split("/"))
            if not session_id:
                continue  # the shared state
            session = self._session(app, user, session_id[0])
            stored = session.read(partial(session.stored, 0))
            if stored is not None:
                sessions.append(self._made(app, user, session_id[0], stored))
        return sorted(sessions, key=lambda session: (session.last_update_time, session.user_id, session.id))

    async def delete_session(self, *, app_name: str, user_id: str, session_id: str) -> None:
        """Remove a session with its file."""
        await in_thread(self._session(app_name, user_id, session_id.strip()).log.delete)

    async def get_user_state(self, *, app_name: str, user_id: str) -> dict[str, object]:
        """Return what all sessions of a user share, without the prefix `user:`."""
        return await asyncio.to_thread(self._shared(app_name).of_user, user_id)

    async def append_event(self, session: Session, event: Event) -> Event:
        """Add an event, durably, with the state that it changes; a part of an event is not stored.

        SessionNotFoundError if the session was deleted, StaleSessionError if another process has changed it.
        """
        if event.partial:
            return event
        self._apply_temp_state(session, event)
        event = self._trim_temp_delta_state(event)
        if await in_thread(self._append, session, event):
            session.last_update_time = event.timestamp
            self._commit_event_to_session(session, event)
        return event

    def _append(self, session: Session, event: Event) -> bool:
        stored, row = self._session(session.app_name, session.user_id, session.id), _row(event)
        with stored.changing():
            if not stored.is_there:
                raise SessionNotFoundError(f"Session {session.id} not found.")
            known = stored.ids.get(event.id)
            if known is not None and stored.log.at(known) == row:
                return False
            if stored.updated > session.last_update_time:
                raise StaleSessionError(
                    f"Session {session.id} was changed by another program since it was read. Read it again."
                )
            self._share(session.app_name, session.user_id, _delta(row))
            stored.add(row)
            return True

    def _session(self, app: str, user: str, session_id: str) -> _Session:
        name = _name(_ROOT, app, user, session_id)
        with self._lock:
            index = self._sessions.pop(name, None) or _Session(self._workspace.data.rows(name))
            self._sessions[name] = index  # the last one used is at the end
            if len(self._sessions) > _MOST_INDEXED:
                del self._sessions[next(iter(self._sessions))]
        return index

    def _shared(self, app: str) -> _SharedState:
        name = _name(_ROOT, app, "state")
        return self._states.get(app) or self._states.setdefault(app, _SharedState(self._workspace.data.rows(name)))

    def _share(self, app: str, user: str, delta: Mapping[str, object]) -> None:
        """Store what a change of state changes for the app and for the user. Repeating it changes nothing."""
        rows: list[Row] = [
            {"user": owner, "state": state}
            for owner, prefix in ((None, State.APP_PREFIX), (user, State.USER_PREFIX))
            if (state := {key.removeprefix(prefix): delta[key] for key in delta if key.startswith(prefix)})
        ]
        if rows:
            self._shared(app).log.append(*rows)

    def _made(self, app: str, user: str, session_id: str, stored: _Stored) -> Session:
        shared = self._shared(app)
        state = stored.state
        state |= {State.APP_PREFIX + key: value for key, value in shared.of_user(None).items()}
        state |= {State.USER_PREFIX + key: value for key, value in shared.of_user(user).items()}
        return Session(id=session_id, app_name=app, user_id=user, state=state, last_update_time=stored.updated)


@dataclass(frozen=True, slots=True)
class _Stored:
    events: list[Event]
    state: dict[str, object]
    updated: float


class _Session(RowIndex):
    """What a session's rows say, without its events."""

    def reset(self) -> None:
        self.is_there = False
        self.offsets: list[int] = []
        self.ids: dict[str, int] = {}
        self.state: dict[str, object] = {}
        self.updated = 0.0

    def index(self, offset: int, row: Row) -> None:
        if "session" in row:
            self.is_there, self.state = True, cast("dict[str, object]", row["state"])
            self.updated = cast(float, row["created"])
            return
        self.offsets.append(offset)
        self.ids[cast(str, row["id"])] = offset
        self.state.update(_own(_delta(row)))
        self.updated = cast(float, row["timestamp"])

    def stored(self, count: int | None) -> _Stored | None:
        """Return the session with its last `count` events, all if it is None."""
        if not self.is_there:
            return None
        offsets = self.offsets if count is None else self.offsets[max(0, len(self.offsets) - count) :]
        rows = self.log.since(offsets[0], generation=self.generation, parse=_event)[0] if offsets else []
        return _Stored([cast(Event, row["event"]) for _, row in rows[: len(offsets)]], _copy(self.state), self.updated)


class _SharedState(RowIndex):
    """The state that belongs to an app (user None) and to its users."""

    def reset(self) -> None:
        self.states: dict[str | None, dict[str, object]] = {}

    def index(self, offset: int, row: Row) -> None:
        owner = cast("str | None", row["user"])
        self.states.setdefault(owner, {}).update(cast("dict[str, object]", row["state"]))

    def of_user(self, user: str | None) -> dict[str, object]:
        """Return the state of a user, or of the app."""
        return self.read(lambda: _copy(self.states.get(user, {})))


class MemoryService(BaseMemoryService):
    """A memory service of the ADK: finds events by the words of a question, ranked as `agentws search` ranks.

    A user's memory of an app is a log of rows, `data/google-adk-memory/<app>/<user>.jsonl`.
    """

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace
        self._users: dict[str, _Memories] = {}

    async def add_session_to_memory(self, session: Session) -> None:
        """Add the events of a session that are not there yet, durably."""
        await self.add_events_to_memory(app_name=session.app_name, user_id=session.user_id, events=session.events)

    async def add_events_to_memory(
        self,
        *,
        app_name: str,
        user_id: str,
        events: Sequence[Event],
        session_id: str | None = None,
        custom_metadata: Mapping[str, object] | None = None,
    ) -> None:
        """Add events that are not there yet, durably; those without text and deleted ones are left out."""
        memories = [
            MemoryEntry(
                id=event.id,
                content=event.content,
                author=event.author,
                timestamp=datetime.fromtimestamp(event.timestamp, UTC).isoformat(),
                custom_metadata=dict(custom_metadata or {}),
            )
            for event in events
            if event.content and event.content.parts
        ]
        await in_thread(self._memories(app_name, user_id).remember, memories)

    async def add_memory(
        self,
        *,
        app_name: str,
        user_id: str,
        memories: Sequence[MemoryEntry],
        custom_metadata: Mapping[str, object] | None = None,
    ) -> None:
        """Add memories, durably; those without an id get one."""
        new = [
            memory.model_copy(
                update={
                    "id": memory.id or str(uuid.uuid4()),
                    "custom_metadata": {**memory.custom_metadata, **(custom_metadata or {})},
                }
            )
            for memory in memories
        ]
        await in_thread(self._memories(app_name, user_id).remember, new)

    async def search_memory(self, *, app_name: str, user_id: str, query: str) -> SearchMemoryResponse:
        """Return at most ten memories that share words with the question, the best first."""
        return SearchMemoryResponse(memories=await asyncio.to_thread(self._search, app_name, user_id, query))

    def _search(self, app: str, user: str, query: str) -> list[MemoryEntry]:
        rows = self._memories(app, user).every()
        ranked = self._workspace.search.texts(query, [_text(row) for row in rows])
        return [MemoryEntry.model_validate_json(json.dumps(rows[number])) for number, _ in ranked[:_MOST_MEMORIES]]

    async def delete_memory(self, *, app_name: str, user_id: str, memory_id: str | None = None) -> None:
        """Remove a memory from the file; it is not added again."""
        if memory_id:
            await in_thread(self._memories(app_name, user_id).forget, memory_id)

    def _memories(self, app: str, user: str) -> _Memories:
        name = _name(f"{_ROOT}-memory", app, user)
        return self._users.get(name) or self._users.setdefault(name, _Memories(self._workspace.data.rows(name)))


class _Memories(RowIndex):
    def reset(self) -> None:
        self.known: set[str] = set()

    def index(self, offset: int, row: Row) -> None:
        self.known.add(cast(str, row.get("id") or row["deleted"]))

    def remember(self, memories: Sequence[MemoryEntry]) -> None:
        """Add memories whose id is new."""
        rows = {memory.id: _row(memory) for memory in memories}
        with self.changing():
            self.add(*(row for key, row in rows.items() if key not in self.known))

    def forget(self, memory_id: str) -> None:
        """Remove a memory, and remember that it was deleted."""
        with self.changing():
            if memory_id in self.known:
                rest = [row for _, row in self.log.read() if row.get("id") != memory_id]
                self.log.replace([*rest, {"deleted": memory_id}])

    def every(self) -> list[Row]:
        """Return all memories."""
        return [row for _, row in self.log.read() if "id" in row]


def _name(*parts: str) -> str:
    """Return the name of a log of rows: a part with a slash stays one part."""
    return "/".join(quote(part, safe="") for part in parts)


def _row(model: Event | MemoryEntry) -> Row:
    return cast(Row, model.model_dump(mode="json", exclude_none=True))


def _event(line: bytes) -> Row | None:
    """Return the event in a line, read from JSON text: only so are its bytes read as base64."""
    try:
        return {"event": Event.model_validate_json(line)}
    except ValueError:
        return None


def _delta(row: Row) -> dict[str, object]:
    return cast("dict[str, dict[str, object]]", row.get("actions") or {}).get("state_delta") or {}


def _own(state: Mapping[str, object]) -> dict[str, object]:
    """Return the part of a state that belongs to the session alone."""
    shared = (State.APP_PREFIX, State.USER_PREFIX, State.TEMP_PREFIX)
    return {key: value for key, value in state.items() if not key.startswith(shared)}


def _copy(state: dict[str, object]) -> dict[str, object]:
    return cast("dict[str, object]", json.loads(json.dumps(state)))


def _text(row: Row) -> str:
    parts = cast("dict[str, list[dict[str, str]]]", row["content"]).get("parts") or ()
    return " ".join(part["text"] for part in parts if part.get("text") and not part.get("thought"))
