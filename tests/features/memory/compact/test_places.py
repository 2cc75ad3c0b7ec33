"""Where a source is: a path may have had several days, and a day several paths."""

from __future__ import annotations

from pathlib import Path

from agentws.core.formats.documents import managed
from agentws.workspace import Workspace

DAY, AGAIN = "memory/2026-10-01.md", "memory/archive/2026/2026-10-01.2.md"
RULE, BETTER = "Ask Sam before anything is pushed", "Before anything is pushed, ask Sam"


def write(workspace: Workspace, text: str) -> None:
    path = Path(workspace.root, DAY)
    path.parent.mkdir(exist_ok=True)
    path.write_text(text)


def source(workspace: Workspace) -> tuple[str, str]:
    """(where the sources of the rule are now, what has become of them); nothing is wrong otherwise."""
    memory = managed.read(Path(workspace.root, "MEMORY.md").read_text())
    (line,) = [one.line for one in memory.entries if one.text.startswith((RULE, BETTER))]
    assert [fault.wrong for fault in workspace.memory.verify().faults] == []
    found = workspace.memory.why(f"MEMORY.md:{line}").sources
    assert all(RULE in one.text for one in found)
    (place,) = {(one.now, one.state) for one in found}
    return place


def test_a_line_of_a_day_that_was_written_anew_is_its_own(workspace: Workspace) -> None:
    write(workspace, "- [decision] SQLite for the index\n")
    workspace.memory.compact()
    write(workspace, f"- [rule] {RULE}\n")

    workspace.memory.curate(f"ADD [rule] {RULE} {{{DAY}:1}}\n")

    assert source(workspace) == (DAY, "as it was")
    workspace.memory.compact()
    assert source(workspace) == (AGAIN, "as it was")


def test_a_day_that_comes_back_is_found_by_where_it_was_archived(workspace: Workspace) -> None:
    for text in ("- [decision] SQLite for the index\n", f"- [preference] {RULE}\n"):
        write(workspace, text)
        workspace.memory.compact()
    shown = workspace.memory.brief().brief.rows
    number = next(row.number for row in shown if row.entry.text.startswith(RULE))
    workspace.memory.curate(f"UPDATE {number} {BETTER} {{{AGAIN}:1}}\n")
    workspace.memory.undo()

    assert source(workspace) == (DAY, "as it was")
