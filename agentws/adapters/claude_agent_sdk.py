"""Transcripts of the Claude Agent SDK in a workspace: `ClaudeAgentOptions(session_store=SessionStore(workspace))`.

A session is a log of rows, an entry of the transcript a row. Needs
`pip install 'agentws[claude-agent-sdk]'`.
"""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, cast
from urllib.parse import quote, unquote

from agentws.adapters.row_index import Row, RowIndex

try:
    from anyio import to_thread
    from claude_agent_sdk import fold_session_summary
except ModuleNotFoundError as error:
    raise ModuleNotFoundError(
        f"The Python package {error.name} is not installed: pip install 'agentws[claude-agent-sdk]'", name=error.name
    ) from error

if TYPE_CHECKING:
    from collections.abc import Sequence

    from claude_agent_sdk import SessionKey, SessionStoreEntry, SessionStoreListEntry
    from claude_agent_sdk.types import SessionListSubkeysKey, SessionSummaryEntry

    from agentws.features.data.row_log import RowLog
    from agentws.workspace import Workspace

_ROOT = "claude-agent-sdk"
_SPARE_ROWS = 64
"""The summaries of a project are replaced if they have more rows than this, and than two for each session."""


class SessionStore:
    """A `SessionStore` of the Claude Agent SDK: a session is there, and can be resumed, wherever the workspace is.

    What is appended is durable on return; an entry whose `uuid` the session has is not added again. Threads and
    processes may share a session.
    """

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace
        self._transcripts: dict[str, _Transcript] = {}
        self._of_projects: dict[str, _Summaries] = {}
        self._lock = threading.Lock()

    async def append(self, key: SessionKey, entries: list[SessionStoreEntry]) -> None:
        """Add entries to a session's transcript, all or none."""
        await to_thread.run_sync(self._append, key, entries)

    async def load(self, key: SessionKey) -> list[SessionStoreEntry] | None:
        """Return all entries of a transcript, or None."""
        rows = await to_thread.run_sync(lambda: [row for _, row in self._transcript(_name(key)).log.read()])
        return rows or None

    async def list_sessions(self, project_key: str) -> list[SessionStoreListEntry]:
        """Return the sessions of a project, each with the time of its last entry in milliseconds."""
        rows = await to_thread.run_sync(self._listed, project_key)
        return [{"session_id": row["session"], "mtime": row["at"]} for row in rows]

    async def list_session_summaries(self, project_key: str) -> list[SessionSummaryEntry]:
        """Return the SDK's summary of each session of a project."""
        rows = await to_thread.run_sync(self._listed, project_key)
        return [{"session_id": row["session"], "mtime": row["at"], "data": row["data"]} for row in rows]

    async def delete(self, key: SessionKey) -> None:
        """Remove a transcript; that of a session with those of its subagents."""
        await to_thread.run_sync(self._delete, key)

    async def list_subkeys(self, key: SessionListSubkeysKey) -> list[str]:
        """Return the subpaths of a session's subagents."""
        prefix = f"{_name(cast('SessionKey', key))}/"
        names = await to_thread.run_sync(self._workspace.data.row_logs, prefix)
        return [name.removeprefix(prefix) for name in names]

    def _append(self, key: SessionKey, entries: Sequence[SessionStoreEntry]) -> None:
        transcript = self._transcript(_name(key))
        with transcript.changing():
            added: list[Row] = []
            uuids = set(transcript.uuids)
            for entry in cast("Sequence[Row]", entries):
                uuid = entry.get("uuid")
                if not isinstance(uuid, str) or uuid not in uuids:
                    added.append(entry)
                if isinstance(uuid, str):
                    uuids.add(uuid)
            before = transcript.log.size
            transcript.add(*added)
            if added and not key.get("subpath"):
                self._summarize(key["project_key"], key["session_id"], transcript.log, added, before)

    def _summarize(self, project: str, session: str, log: RowLog, added: Sequence[Row], before: int) -> Row:
        """Record the summary of a session to which `added` was added when it had `before` bytes; the session is locked.

        If a crash came between the two writes, the summary is made of the whole session.
        """
        summaries = self._summaries(project)
        with summaries.changing():
            past = summaries.latest.get(session)
            is_next = past is not None and past["size"] == before
            last = {"session_id": session, "mtime": past["at"], "data": past["data"]} if past and is_next else None
            entries = added if is_next or not before else [row for _, row in log.read()]
            folded = fold_session_summary(
                cast("SessionSummaryEntry | None", last),
                {"project_key": project, "session_id": session},
                list(entries),
            )
            at = int(self._workspace.stores.clock.now().timestamp() * 1000)
            row: Row = {"session": session, "at": at, "size": log.size, "data": folded["data"]}
            if summaries.count > 2 * len(summaries.latest) + _SPARE_ROWS:
                summaries.log.replace([*summaries.latest.values(), row])
            else:
                summaries.add(row)
        return row

    def _listed(self, project: str) -> list[Row]:
        """Return the newest summary of each session of a project; summarizes again those that changed since."""
        summaries = self._summaries(project)
        known = summaries.read(lambda: dict(summaries.latest))
        prefix = f"{summaries.log.name}/"
        result = []
        for name in self._workspace.data.row_logs(prefix):
            if "/" in name.removeprefix(prefix):
                continue
            session = unquote(name.removeprefix(prefix))
            transcript = self._transcript(name)
            row = known.get(session)
            if row is None or row["size"] != transcript.log.size:
                with transcript.changing():
                    size = transcript.log.size
                    row = self._summarize(project, session, transcript.log, (), size) if size else None
            result += [row] if row else []
        return result

    def _delete(self, key: SessionKey) -> None:
        name = _name(key)
        below = [] if key.get("subpath") else self._workspace.data.row_logs(f"{name}/")
        for each in (*below, name):
            self._transcript(each).log.delete()

    def _transcript(self, name: str) -> _Transcript:
        with self._lock:
            if name not in self._transcripts:
                self._transcripts[name] = _Transcript(self._workspace.data.rows(name))
            return self._transcripts[name]

    def _summaries(self, project: str) -> _Summaries:
        with self._lock:
            if project not in self._of_projects:
                self._of_projects[project] = _Summaries(self._workspace.data.rows(f"{_ROOT}/{quote(project, safe='')}"))
            return self._of_projects[project]


class _Transcript(RowIndex):
    """The entries of a session, and their `uuids`."""

    def reset(self) -> None:
        """Forget all entries."""
        self.uuids: set[str] = set()

    def index(self, offset: int, row: Row) -> None:
        """Remember an entry."""
        if isinstance(uuid := row.get("uuid"), str):
            self.uuids.add(uuid)


class _Summaries(RowIndex):
    """The summaries of a project's sessions: the `latest` row of each, and the `count` of all rows."""

    def reset(self) -> None:
        """Forget all rows."""
        self.latest: dict[str, Row] = {}
        self.count = 0

    def index(self, offset: int, row: Row) -> None:
        """Remember a row."""
        self.latest[str(row["session"])] = row
        self.count += 1


def _name(key: SessionKey) -> str:
    """Return the name of the rows of a transcript."""
    parts = [_ROOT, quote(key["project_key"], safe=""), quote(key["session_id"], safe="")]
    return "/".join((*parts, key["subpath"]) if key.get("subpath") else parts)
