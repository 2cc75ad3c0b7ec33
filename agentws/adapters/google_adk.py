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
_SHARED = (State.APP_PREFIX, State.USER_PREFIX)


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
            now = self._workspace.stores.clock.now().timestamp()
            session.add({"session": session_id, "created": now, "state": plain})
            self._share(app, user, session)
        return cast(Session, self._get(app, user, session_id, None))

    async def get_session(
        self, *, app_name: str, user_id: str, session_id: str, config: GetSessionConfig | None = None
    ) -> Session | None:
        """Return a session with its events and state, or None."""
        return await asyncio.to_thread(self._get, app_name, user_id, session_id.strip(), config)

    def _get(self, app: str, user: str, session_id: str, config: GetSessionConfig | None) -> Session | None:
        session = self._read(app, user, session_id, None if config is None else config.num_recent_events)
        if session is not None and config is not None and config.after_timestamp is not None:
            session.events = [event for event in session.events if event.timestamp >= config.after_timestamp]
        return session

    async def list_sessions(self, *, app_name: str, user_id: str | None = None) -> ListSessionsResponse:
        """Return the sessions of a user or of all users, without events, the one used last at the end."""
        return ListSessionsResponse(sessions=await asyncio.to_thread(self._list, app_name, user_id))

    def _list(self, app: str, user_id: str | None) -> list[Session]:
        sessions = []
        for name in self._workspace.data.row_logs(_name(_ROOT, app, *([] if user_id is None else [user_id]), "")):
            _, _, user, *session_id = map(unquote, name.split("/"))
            if not session_id:
                continue  # the shared state
            if (session := self._read(app, user, session_id[0], 0)) is not None:
                sessions.append(session)
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
            self._share(session.app_name, session.user_id, stored)
            stored.add(row)
            self._share(session.app_name, session.user_id, stored)
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

    def _share(self, app: str, user: str, session: _Session) -> None:
        """Store what the newest change of a session changes for the app and the user, unless it is stored.

        A crash may come after the event. The caller is in `session.changing`.
        """
        shared, (change, delta) = self._shared(app), session.sharing
        if shared.has(change):
            return
        rows: list[Row] = [
            {"user": owner, "state": state, "change": change}
            for owner, prefix in ((None, State.APP_PREFIX), (user, State.USER_PREFIX))
            if (state := {key.removeprefix(prefix): delta[key] for key in delta if key.startswith(prefix)})
        ]
        shared.log.append(*rows)

    def _read(self, app: str, user: str, session_id: str, count: int | None) -> Session | None:
        """Return a session with its last `count` events, all if it is None."""
        session, shared = self._session(app, user, session_id), self._shared(app)
        stored = session.read(lambda: session.stored(count))
        if stored is None:
            return None
        if not shared.has(stored.change):
            with session.changing():
                self._share(app, user, session)
        state = stored.state
        state |= {State.APP_PREFIX + key: value for key, value in shared.of_user(None).items()}
        state |= {State.USER_PREFIX + key: value for key, value in shared.of_user(user).items()}
        return Session(
            id=session_id,
            app_name=app,
            user_id=user,
            state=state,
            events=stored.events,
            last_update_time=stored.updated,
        )


@dataclass(frozen=True, slots=True)
class _Stored:
    events: list[Event]
    state: dict[str, object]
    updated: float
    change: str


class _Session(RowIndex):
    """State in a session's rows, without its events."""

    def reset(self) -> None:
        self.is_there = False
        self.offsets: list[int] = []
        self.ids: dict[str, int] = {}
        self.state: dict[str, object] = {}
        self.updated = 0.0
        self.sharing: tuple[str, dict[str, object]] = ("", {})
        """The newest change of the state of the app or the user, and the change of the whole state."""

    def index(self, offset: int, row: Row) -> None:
        if "session" in row:
            delta, key = cast("dict[str, object]", row["state"]), str(row["created"])
            self.is_there, self.updated = True, cast(float, row["created"])
        else:
            delta, key = _delta(row), cast(str, row["id"])
            self.offsets.append(offset)
            self.ids[key] = offset
            self.updated = cast(float, row["timestamp"])
        own = _own(delta)
        self.state.update(own)
        if any(name.startswith(_SHARED) for name in delta.keys() - own.keys()):
            self.sharing = f"{self.log.name} {key}", delta

    def stored(self, count: int | None) -> _Stored | None:
        """Return the session with its last `count` events, all if it is None."""
        if not self.is_there:
            return None
        offsets = self.offsets if count is None else self.offsets[max(0, len(self.offsets) - count) :]
        rows = self.log.since(offsets[0], generation=self.generation, parse=_event)[0] if offsets else []
        events = [cast(Event, row["event"]) for _, row in rows[: len(offsets)]]
        return _Stored(events, _copy(self.state), self.updated, self.sharing[0])


class _SharedState(RowIndex):
    """The state that belongs to an app (user None) and to its users."""

    def reset(self) -> None:
        self.states: dict[str | None, dict[str, object]] = {}
        self.changes: set[object] = {""}

    def index(self, offset: int, row: Row) -> None:
        owner = cast("str | None", row["user"])
        self.states.setdefault(owner, {}).update(cast("dict[str, object]", row["state"]))
        self.changes.add(row["change"])

    def has(self, change: str) -> bool:
        """Return whether a change is stored; the empty one always is."""
        return change in self.changes or self.read(lambda: change in self.changes)

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
    return {key: value for key, value in state.items() if not key.startswith((*_SHARED, State.TEMP_PREFIX))}


def _copy(state: dict[str, object]) -> dict[str, object]:
    return cast("dict[str, object]", json.loads(json.dumps(state)))


def _text(row: Row) -> str:
    parts = cast("dict[str, list[dict[str, str]]]", row["content"]).get("parts") or ()
    return " ".join(part["text"] for part in parts if part.get("text") and not part.get("thought"))
