"""A pytest plugin: the OpenAI Agents SDK's own tests of sessions get ours in place of its SQLiteSession.

At the end it prints how many sessions of ours were made and how many items they got.
"""

from __future__ import annotations

import atexit
import collections
import hashlib
import tempfile
from pathlib import Path

import agents
import agents.memory
from agents.memory.session_settings import SessionSettings, coerce_session_settings

from agentws import Workspace
from agentws.adapters.openai_agents import Session

counts: collections.Counter[str] = collections.Counter()


class SQLiteSession(Session):
    def __init__(self, session_id, db_path=":memory:", *tables, session_settings=None):
        counts["sessions"] += 1
        settings = SessionSettings() if session_settings is None else coerce_session_settings(session_settings)
        super().__init__(_workspace(str(db_path)), session_id, session_settings=settings)

    async def add_items(self, items):
        counts["items"] += len(items)
        await super().add_items(items)

    def close(self):
        pass


def _workspace(db_path: str) -> Workspace:
    """Return the workspace that stands for a database: for one in memory, a new one."""
    if db_path == ":memory:":
        return Workspace.init(tempfile.mkdtemp(), git=False)
    folder = Path(tempfile.gettempdir(), f"suite-{hashlib.sha256(db_path.encode()).hexdigest()[:16]}")
    return Workspace.open(str(folder)) if folder.exists() else Workspace.init(str(folder), git=False)


agents.SQLiteSession = agents.memory.SQLiteSession = SQLiteSession
atexit.register(lambda: print("made:", dict(counts)))
