"""The connections of clients: each has the workspace opened for itself, and a separate session."""

from __future__ import annotations

import os
import threading

from agentws.errors import AgentwsError
from agentws.features.mcp.plan import shown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from agentws.workspace import Workspace


class Connection:
    """A client's connection: its `workspace`, the origin `src` of its words, and its session once one has begun."""

    def __init__(self, workspace: Workspace, client: str) -> None:
        self.workspace = workspace
        self.src = shown.source(client)
        self._client = client
        self._session = ""
        self._parent = workspace.stores.environment.session
        self._lock = threading.Lock()

    def begin(self, *, is_daemon: bool) -> list[str]:
        """Start the session, unless it runs; return its notices, such as sessions that crashed. AgentwsError."""
        with self._lock:
            if self._session:
                return []
            environment = self.workspace.stores.environment
            started = self.workspace.session.start(
                f"{self._client} over MCP",
                process=os.getpid(),
                parent=self._parent,
                audience=environment.audience,
                via=self.src,
                daemon=is_daemon,
            )
            environment.session = self._session = started.session
            return started.notices

    def end(self) -> list[str]:
        """End the session, if one has begun; return its notices."""
        with self._lock:
            if not self._session:
                return []
            try:
                return self.workspace.session.end(session=self._session, via=self.src).notices
            except AgentwsError as error:
                return [error.notice]
            finally:
                self._session = ""


class Connections:
    """The open connections by key; `open_workspace` opens the workspace again for each."""

    def __init__(self, open_workspace: Callable[[], Workspace], *, is_daemon: bool = False) -> None:
        self._open = open_workspace
        self.is_daemon = is_daemon
        self._by_key: dict[str, Connection] = {}
        self._lock = threading.Lock()

    def of(self, key: str, client: str) -> Connection:
        """Return the connection with this key, opened for the client that names itself so; AgentwsError."""
        with self._lock:
            if key not in self._by_key:
                self._by_key[key] = Connection(self._open(), client)
            return self._by_key[key]

    def end(self, key: str) -> list[str]:
        """End the session of the connection with this key, if there is one; return the notices of that."""
        with self._lock:
            connection = self._by_key.pop(key, None)
        return connection.end() if connection else []

    def close(self) -> list[str]:
        """End all sessions, and return the notices of that."""
        with self._lock:
            return [notice for connection in self._by_key.values() for notice in connection.end()]
