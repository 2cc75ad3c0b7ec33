"""Transcripts of the Claude Agent SDK in a workspace: `ClaudeAgentOptions(session_store=SessionStore(workspace))`.

A session is a log of rows (docs/format/data.md), an entry of the transcript a row. Needs
`pip install 'agentws[claude-agent-sdk]'`.
"""

from __future__ import annotations

import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, cast
from urllib.parse import quote, unquote

from agentws.errors import ChangedUnderneathError

try:
    from anyio import to_thread
    from claude_agent_sdk import fold_session_summary
except ModuleNotFoundError as error:
    raise ModuleNotFoundError(
        f"The Python package {error.name} is not installed: pip install 'agentws[claude-agent-sdk]'", name=error.name
    ) from error

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from claude_agent_sdk import SessionKey, SessionStoreEntry, SessionStoreListEntry
    from claude_agent_sdk.types import SessionListSubkeysKey, SessionSummaryEntry

    from agentws.features.data.row_log import RowLog
    from agentws.workspace import Workspace

    Row = dict[str, Any]

_ROOT = "claude-agent-sdk"
_SPARE_ROWS = 64
"""How many more rows than sessions the summaries of a project may have before they are written anew."""


class SessionStore:
    """A `SessionStore` of the Claude Agent SDK: a session is there, and can be resumed, wherever the workspace is.

    What is appended is durable on return; an entry whose `uuid` the session has is not added again. Threads and
    processes may share a session.
    """

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace
        self._logs: dict[str, _Log] = {}
        self._lock = threading.Lock()

    async def append(self, key: SessionKey, entries: list[SessionStoreEntry]) -> None:
        """Add entries to a session's transcript, all or none."""
        await to_thread.run_sync(self._append, key, entries)

    async def load(self, key: SessionKey) -> list[SessionStoreEntry] | None:
        """Return all entries of a transcript, None if there are none."""
        rows = await to_thread.run_sync(lambda: [row for _, row in self._log(_name(key)).rows.read()])
        return cast("list[SessionStoreEntry]", rows) or None

    async def list_sessions(self, project_key: str) -> list[SessionStoreListEntry]:
        """Return the sessions of a project, each with the time of its last entry in milliseconds."""
        rows = await to_thread.run_sync(self._summaries, project_key)
        return [{"session_id": row["session"], "mtime": row["at"]} for row in rows]

    async def list_session_summaries(self, project_key: str) -> list[SessionSummaryEntry]:
        """Return the SDK's summary of each session of a project."""
        rows = await to_thread.run_sync(self._summaries, project_key)
        return [{"session_id": row["session"], "mtime": row["at"], "data": row["data"]} for row in rows]

    async def delete(self, key: SessionKey) -> None:
        """Remove a transcript; that of a session with those of its subagents."""
        await to_thread.run_sync(self._delete, key)

    async def list_subkeys(self, key: SessionListSubkeysKey) -> list[str]:
        """Return the subpaths of a session's subagents."""
        prefix = f"{_name(cast('SessionKey', key))}/"
        names = await to_thread.run_sync(self._workspace.row_logs, prefix)
        return [name.removeprefix(prefix) for name in names]

    def _append(self, key: SessionKey, entries: Sequence[SessionStoreEntry]) -> None:
        log = self._log(_name(key))
        with log.changing():
            added: list[Row] = []
            uuids = set(log.uuids)
            for entry in cast("Sequence[Row]", entries):
                uuid = entry.get("uuid")
                if not isinstance(uuid, str) or uuid not in uuids:
                    added.append(entry)
                    uuids.add(uuid if isinstance(uuid, str) else "")
            before = log.rows.size
            log.rows.append(*added)
            if added and not key.get("subpath"):
                self._summarize(key["project_key"], key["session_id"], log.rows, added, before)

    def _summarize(self, project: str, session: str, rows: RowLog, added: Sequence[Row], before: int) -> Row:
        """Record the summary of a session to which `added` was added when it had `before` bytes; the session is locked.

        A summary of another state, as after a crash between the two writes, is made anew from the whole session.
        """
        index = self._log(f"{_ROOT}/{quote(project, safe='')}")
        with index.changing():
            known = index.latest()
            past = known.get(session)
            is_next = past is not None and past["size"] == before
            last = {"session_id": session, "mtime": past["at"], "data": past["data"]} if past and is_next else None
            entries = added if is_next or not before else [row for _, row in rows.read()]
            folded = fold_session_summary(
                cast("SessionSummaryEntry | None", last),
                {"project_key": project, "session_id": session},
                list(entries),
            )
            at = int(self._workspace.stores.clock.now().timestamp() * 1000)
            row = {"session": session, "at": at, "size": rows.size, "data": folded["data"]}
            if index.count > 2 * len(known) + _SPARE_ROWS:
                index.rows.replace([*(other for name, other in known.items() if name != session), row])
            else:
                index.rows.append(row)
        return row

    def _summaries(self, project: str) -> list[Row]:
        """Return the row of each session of a project, made where it is missing or behind."""
        prefix = f"{_ROOT}/{quote(project, safe='')}"
        known = self._log(prefix).latest()
        result = []
        for name in self._workspace.row_logs(f"{prefix}/"):
            session = unquote(name.removeprefix(f"{prefix}/"))
            if "/" in name.removeprefix(f"{prefix}/"):
                continue
            log = self._log(name)
            row = known.get(session)
            if row is None or row["size"] != log.rows.size:
                with log.changing():
                    size = log.rows.size
                    row = self._summarize(project, session, log.rows, (), size) if size else None
            result += [row] if row else []
        return result

    def _delete(self, key: SessionKey) -> None:
        name = _name(key)
        below = [] if key.get("subpath") else self._workspace.row_logs(f"{name}/")
        for each in (*below, name):
            self._log(each).rows.delete()

    def _log(self, name: str) -> _Log:
        with self._lock:
            if name not in self._logs:
                self._logs[name] = _Log(self._workspace.rows(name))
            return self._logs[name]


class _Log:
    """A log of rows, and what of it is known here: the `uuids` of entries, the latest row of each session."""

    def __init__(self, rows: RowLog) -> None:
        self.rows = rows
        self.uuids: set[str] = set()
        self.count = 0
        self._latest: dict[str, Row] = {}
        self._end = 0
        self._generation = 0
        self._mutex = threading.RLock()

    @contextmanager
    def changing(self) -> Iterator[None]:
        """Exclude other threads and processes, with all known that they added."""
        with self._mutex, self.rows.locked():  # in this order everywhere
            self.catch_up()
            yield

    def catch_up(self) -> None:
        """Read what was added since the last time."""
        with self._mutex:
            while True:
                generation = self.rows.generation
                if generation != self._generation:
                    self.uuids, self._latest, self.count, self._end = set(), {}, 0, 0
                    self._generation = generation
                try:
                    added, self._end = self.rows.since(self._end, generation=generation)
                except ChangedUnderneathError:
                    continue  # replaced since
                break
            self.count += len(added)
            self.uuids.update(uuid for _, row in added if isinstance(uuid := row.get("uuid"), str))
            self._latest.update({str(row["session"]): row for _, row in added if "session" in row and "at" in row})

    def latest(self) -> Mapping[str, Row]:
        """Return the latest row of each session."""
        self.catch_up()
        return dict(self._latest)


def _name(key: SessionKey) -> str:
    """Return the name of the rows of a transcript."""
    parts = [_ROOT, quote(key["project_key"], safe=""), quote(key["session_id"], safe="")]
    return "/".join((*parts, key["subpath"]) if key.get("subpath") else parts)
