"""`agentws status --line`: one line for another program's status line, and never a failure."""

from __future__ import annotations

from pathlib import Path

from agentws.workspace import Workspace
from tests.features.hosts.install.test_install_cli import run


def test_a_line_says_who_what_and_that_all_is_well(workspace: Workspace) -> None:
    run(workspace, "log", "Counted the herons")
    run(workspace, "task", "add", "Move the address book", "--start")
    run(workspace, "handoff", "--doing", "Counting")

    line = run(workspace, "status", "--line")

    day = next(Path(workspace.root, "memory").glob("*.md")).stem
    assert line == f"Robin · 1 active · 1 handoff open · log {day} · ✓\n"


def test_where_something_needs_a_person_it_says_so_and_exits_0(workspace: Workspace) -> None:
    Path(workspace.root, "AGENTS.md").write_bytes(b"\xff\xfe\x00")

    assert "✗ 1 problem: agentws status" in run(workspace, "status", "--line")
    run(workspace, "status", code=3)


def test_it_says_that_approvals_wait(workspace: Workspace) -> None:
    run(workspace, "ask", "Pay the deposit?", "--action", "1")
    run(workspace, "ask", "Book the hall?", "--action", "2")

    assert " · 2 approvals wait · ✓\n" in run(workspace, "status", "--line")


def test_it_is_one_form_of_two(workspace: Workspace) -> None:
    assert "cannot be used together" in run(workspace, "status", "--line", "--json", code=2)
