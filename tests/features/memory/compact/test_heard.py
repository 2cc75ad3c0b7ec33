"""What came from outside keeps its origin through compact, why, undo, forget and a handoff of old workspaces."""

from __future__ import annotations

import json
from pathlib import Path

from agentws.core.formats.documents import managed, sources
from agentws.core.text import origin
from agentws.features.memory.compact import command as compact
from agentws.workspace import Workspace
from tests import outside
from tests.features.memory.compact.test_compacting import full, memory, put  # noqa: F401

HARBOUR = f"{outside.CANARY} of the harbour office answers letters within 60 days"
PAGE = "memory/digest.md"
ARCHIVED = "memory/archive/2026/2026-10-01.md"


def bare(workspace: Workspace) -> list[str]:
    """The lines of MEMORY.md that name what was heard, and do not say where."""
    return [line for line in memory(workspace).split("\n") if outside.CANARY in line and not origin.of_line(line)]


def place(workspace: Workspace, path: str = "MEMORY.md") -> str:
    lines = Path(workspace.root, path).read_text().split("\n")
    return f"{path}:{next(at for at, line in enumerate(lines, 1) if outside.CANARY in line)}"


def test_through_every_verb_its_origin_is_known_and_printed(full: Workspace) -> None:  # noqa: F811
    lines = "".join(outside.entry(claim, source) for claim in outside.CLAIMS for source in outside.SOURCES)
    put(full, 4, f"# 2026-10-04\n\n{outside.entry(HARBOUR, 'net:slack')}{lines}")

    full.memory.compact()

    archived = ARCHIVED.replace("01.md", "04.md")
    assert outside.CANARY not in memory(full)
    assert not Path(full.root, PAGE).exists()
    assert full.memory.why(place(full, archived)).src == "net:slack"
    full.memory.forget(subjects=["Maria Keller"])
    assert full.memory.why(place(full, archived)).src == "net:slack"

    full.memory.undo()
    assert full.memory.why(place(full, "memory/2026-10-04.md")).src == "net:slack"


def unmarked(full: Workspace) -> str:  # noqa: F811
    """Make MEMORY.md one of an earlier version, which kept what was heard without its mark; what it is with it."""
    put(full, 1, f"# 2026-10-01\n\n{outside.entry(HARBOUR)}")
    full.memory.compact()
    file, side = Path(full.root, "MEMORY.md"), Path(full.root, sources.PATH)
    kept = memory(full)
    text = f"2026-10-01 {HARBOUR}"
    file.write_text(managed.rewritten(kept, joining=[("Preferences", text)]))
    line = sources.of_lines(Path(full.root, ARCHIVED).read_bytes(), 3, 3)
    row = {
        "entry": managed.of_text(text), "day": "2026-10-01", "sources": [["memory/2026-10-01.md", 3, 3, line]],
        "run": json.loads(side.read_text().splitlines()[-1])["run"],
    }  # fmt: skip
    side.write_text(f"{json.dumps(row)}\n{side.read_text()}")
    assert full.memory.why(place(full)).src == "tool:web"
    return managed.rewritten(kept, joining=[("Heard, not verified", f"{text} (via tool:web)")])


def test_what_an_earlier_version_kept_unmarked_is_marked_by_the_next_run(full: Workspace) -> None:  # noqa: F811
    marked = unmarked(full)

    done = full.memory.compact()

    assert next(compact.compacted_lines(done, explain=False)) == "No new log to compact. Changed: MEMORY.md."
    assert memory(full) == marked
    assert [one.path for one in full.memory.why(place(full)).sources] == ["memory/2026-10-01.md"]
    assert full.memory.verify().faults == []
    before = memory(full)
    assert full.memory.compact().changes.changes == ()
    assert memory(full) == before


def test_a_run_that_is_taken_back_takes_no_mark_of_an_origin_back(full: Workspace) -> None:  # noqa: F811
    """Neither from MEMORY.md nor from `why`; and the runs before it are taken back after it."""
    marked = unmarked(full)
    full.memory.compact()

    done = full.memory.undo()

    assert done.left == []
    assert memory(full) == marked
    assert full.memory.why(place(full)).src == "tool:web"
    assert full.memory.verify().faults == []
    assert full.memory.undo().run != done.run
    assert bare(full) == []
