"""The index asked in SQL: views that people know, nothing written, nothing without an end."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from agentws.errors import UsageError
from agentws.features.search.store import schema
from agentws.workspace import Environment, Workspace
from tests.features.search.worlds import DAY, opened, put, without_templates

REFUSED = (
    "DELETE FROM units",
    "INSERT INTO meta VALUES ('a', 'b')",
    "DROP TABLE units",
    "ATTACH 'other.sqlite' AS other",
    "PRAGMA journal_mode=WAL",
    "VACUUM INTO 'copy.sqlite'",
    "SELECT load_extension('x')",
    "SELECT writefile('x', 'y')",
    "SELECT hex(zeroblob(1000000000))",
    "SELECT 1; SELECT 2",
    "SELEC 1",
    "CREATE TEMP TABLE t (a)",
    "\0",
)


def test_the_views_tell_what_the_files_hold(workspace: Workspace) -> None:
    put(workspace, f"memory/{DAY}.md", "- 09:00 [decision] Gravel !7\n- hearsay (via net:chat)\n")
    put(workspace, "MEMORY.md", "# Memory\n\n- The key hangs behind the door\n")
    put(workspace, "memory/archive/2025/2025-01-01.md", "- old\n")
    put(workspace, "tasks/fence.md", "---\nstatus: waiting\ndue: 2026-12-01\nwaiting_on: Sam\n---\n# Mend the fence\n")
    put(
        workspace,
        "handoffs/2026-11-19.md",
        "---\nsession: one\nat: 2026-11-19T18:00:00Z\n---\n## Next step\n\nImport.\n",
    )
    workspace.session.start("Garden", session="s1")
    workspace.event("action", tool="bash", input={"command": "ls"}, call="c1", session="s1")
    workspace.event("result", output={"stdout": "a.txt"}, call="c1", tool="bash", session="s1")
    workspace.session.end("s1")

    def rows(query: str) -> list[list[object]]:
        return workspace.search.sql(query).rows

    assert rows(
        "SELECT content, memory_type, importance, created_at, path, line, src FROM memories WHERE line < 4"
    ) == [
        ["- The key hangs behind the door", "longterm", None, None, "MEMORY.md", 3, ""],
        ["- old", "longterm", None, "2025-01-01", "memory/archive/2025/2025-01-01.md", 1, ""],
        ["- 09:00 [decision] Gravel !7", "session", 7, f"{DAY}T09:00", f"memory/{DAY}.md", 1, ""],
        ["- hearsay (via net:chat)", "session", None, DAY, f"memory/{DAY}.md", 2, "net:chat"],
    ]
    assert rows("SELECT slug, title, status, due, waiting_on FROM tasks") == [
        ["fence", "Mend the fence", "waiting", "2026-12-01", "Sam"]
    ]
    assert rows("SELECT session_id, status, content FROM handoffs") == [["one", None, "Import."]]
    calls = rows("SELECT event_type, tool_name, tool_input, tool_output FROM events WHERE tool_name IS NOT NULL")
    assert calls == [["action", "bash", "ls", None], ["result", "bash", None, "a.txt"]]
    ((session, goal, ended),) = rows(
        "SELECT session_id, goal, ended_at IS NOT NULL FROM sessions WHERE session_id = 's1'"
    )
    assert (session, goal, ended) == ("s1", "Garden", 1)
    assert rows("SELECT count(*) FROM sources") == [[0]]


def test_every_view_is_listed_with_its_columns(workspace: Workspace) -> None:
    found = {str(name): str(columns) for name, columns in workspace.search.sql().rows}

    assert found.keys() == schema.VIEWS.keys()
    assert found["memories"].startswith("content, memory_type, importance, created_at, accessed_at, path, line, src")
    assert found["events"].startswith("session_id, event_type, content, tool_name, tool_input, tool_output, timestamp")


@pytest.mark.parametrize("query", REFUSED)
def test_nothing_but_one_query_is_answered(workspace: Workspace, query: str) -> None:
    with pytest.raises(UsageError):
        workspace.search.sql(query)


def test_a_query_without_an_end_is_ended(workspace: Workspace) -> None:
    with pytest.raises(UsageError, match="longer than"):
        workspace.search.sql(
            "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT sum(x) FROM c", timeout_s=0
        )


def test_rows_are_bounded(workspace: Workspace) -> None:
    query = "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c LIMIT 50) SELECT x FROM c"

    found = workspace.search.sql(query, limit=10)

    assert (len(found.rows), found.are_more) == (10, True)


def test_the_file_opens_in_any_sqlite(workspace: Workspace) -> None:
    put(workspace, "MEMORY.md", "- one\n")

    with sqlite3.connect(workspace.search.refresh().path) as connection:
        assert connection.execute("SELECT content FROM memories").fetchall() == [("- one",)]
        for view in schema.VIEWS:
            connection.execute(f"SELECT * FROM {view}").fetchall()


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    Workspace.init(str(tmp_path / "w"), environment=Environment(cache=None), name="Robin", git=False)
    without_templates(str(tmp_path / "w"))
    return opened(str(tmp_path / "w"), cache=str(tmp_path / "cache"))
