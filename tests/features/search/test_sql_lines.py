"""What `sql` prints: rows in columns, and every name of a column."""

from __future__ import annotations

from pathlib import Path

from agentws.features.search.render import sql as render
from agentws.features.search.sql import Rows
from agentws.features.search.store import schema
from agentws.workspace import Workspace
from tests import forked


def test_wide_characters_take_two_columns() -> None:
    rows = Rows(("a", "b"), [("砂利", 1), ("gravel", 2), (None, b"abc")])

    assert list(render.lines(rows)) == ["a       b", "砂利    1", "gravel  2", "        3 bytes"]


def test_the_overview_cuts_no_name(tmp_path: Path) -> None:
    Workspace.init(str(tmp_path / "w"), git=False)

    code, shown = forked.on_a_terminal("sql", columns=60, cwd=tmp_path / "w")
    piped = forked.run_text("sql", cwd=tmp_path / "w").stdout

    assert code == 0
    assert "…" not in shown + piped
    assert all(f"{view}: " in piped for view in schema.VIEWS)
    assert "heading" in shown.split()
    assert max(map(len, piped.splitlines())) <= 80


def test_what_is_left_out_and_what_failed_is_told_in_one_sentence(tmp_path: Path) -> None:
    Workspace.init(str(tmp_path / "w"), git=False)
    for name in ("SOUL.md", "USER.md", "AGENTS.md"):
        (tmp_path / "w" / name).unlink()

    cut = forked.run_text("sql", "SELECT 1 UNION SELECT 2", "--limit", "1", cwd=tmp_path / "w")
    failed = forked.run_text("sql", "SELECT 1; SELECT 2", cwd=tmp_path / "w")
    counted = forked.run_text("index", "status", cwd=tmp_path / "w").stdout

    assert "Only the first row is shown" in cut.stderr
    assert failed.stderr.count(".\n") == 1
    assert ".." not in failed.stderr
    assert counted.startswith("1 entry of 1 file, ")
