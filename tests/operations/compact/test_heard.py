"""What came from outside keeps its origin through compact, why, undo, forget and a handoff of old workspaces."""

from __future__ import annotations

import json
from pathlib import Path

from agentws.cli.render import compact
from agentws.formats import origin
from agentws.formats.documents import managed, sources
from agentws.workspace import Workspace
from tests import outside
from tests.operations.compact.test_compacting import full, memory, put  # noqa: F401

HARBOUR = f"{outside.CANARY} of the harbour office answers letters within 60 days"
PAGE = "memory/digest.md"
ARCHIVED = "memory/archive/2026/2026-10-01.md"


def bare(workspace: Workspace) -> list[str]:
    """The lines of MEMORY.md that name what was heard, and do not say where."""
    return [line for line in memory(workspace).split("\n") if outside.CANARY in line and not origin.of_line(line)]


def place(workspace: Workspace, path: str = "MEMORY.md") -> str:
    lines = Path(workspace.root, path).read_text().split("\n")
    return f"{path}:{next(at for at, line in enumerate(lines, 1) if outside.CANARY in line)}"


def digest(workspace: Workspace) -> list[str]:
    """The lines of the digest that name what was heard."""
    path = Path(workspace.root, PAGE)
    return [line for line in path.read_text().split("\n") if outside.CANARY in line] if path.exists() else []


def test_through_every_verb_its_origin_is_known_and_printed(full: Workspace) -> None:  # noqa: F811
    lines = "".join(outside.entry(claim, source) for claim in outside.CLAIMS for source in outside.SOURCES)
    put(full, 4, f"# 2026-10-04\n\n{outside.entry(HARBOUR, 'net:slack')}{lines}")

    full.compact(budget=4000)

    assert outside.CANARY not in memory(full)
    assert digest(full)
    assert all(map(origin.of_line, digest(full)))
    harbour = next(at for at, line in enumerate(Path(full.root, PAGE).read_text().split("\n"), 1) if HARBOUR in line)
    found = full.why(f"{PAGE}:{harbour}")
    assert (found.src, {one.src for one in found.sources}) == ("net:slack", {"net:slack"})
    assert full.why(place(full, ARCHIVED.replace("01.md", "04.md"))).src == "net:slack"
    full.forget(subjects=["Maria Keller"])
    assert all(map(origin.of_line, digest(full)))

    full.undo_compaction()
    assert digest(full) == []
    assert full.why(place(full, "memory/2026-10-04.md")).src == "net:slack"
    full.compact(budget=4000)
    assert all(map(origin.of_line, digest(full)))


def unmarked(full: Workspace) -> str:  # noqa: F811
    """Make MEMORY.md one of an earlier version, which kept what was heard without its mark; what it is with it."""
    put(full, 1, f"# 2026-10-01\n\n{outside.entry(HARBOUR)}")
    full.compact(budget=4000)
    file, side = Path(full.root, "MEMORY.md"), Path(full.root, sources.PATH)
    kept = memory(full)
    text = f"2026-10-01 {HARBOUR}"
    file.write_text(managed.rewritten(kept, joining=[("Preferences", text)]))
    rows = [json.loads(line) for line in side.read_text().splitlines()]
    mark = managed.of_text(f"{text} (via tool:web)")
    (made,) = [row for row in rows if row.get("entry") == mark]
    made["entry"] = managed.of_text(text)
    side.write_text("".join(json.dumps({k: v for k, v in row.items() if k != "src"}) + "\n" for row in rows))
    page = Path(full.root, PAGE)
    page.write_text("".join(line for line in page.read_text().splitlines(keepends=True) if HARBOUR not in line))
    assert full.why(place(full)).src == "tool:web"
    return managed.rewritten(kept, joining=[("Heard, not verified", f"{text} (via tool:web)")])


def test_what_an_earlier_version_kept_unmarked_is_marked_by_the_next_run(full: Workspace) -> None:  # noqa: F811
    marked = unmarked(full)

    done = full.compact(budget=4000)

    assert next(compact.lines(done, explain=False)) == "No new log to compact. Changed: MEMORY.md."
    assert memory(full) == marked
    assert [one.path for one in full.why(place(full)).sources] == ["memory/2026-10-01.md"]
    assert full.verify_compaction().faults == []
    before = memory(full)
    assert full.compact(budget=4000).changes.changes == ()
    assert memory(full) == before


def test_a_dry_run_says_what_would_not_be_restored(full: Workspace) -> None:  # noqa: F811
    unmarked(full)
    full.compact(budget=4000)

    notices = full.undo_compaction(dry_run=True).notices

    assert any("would not be restored: the entry comes from tool:web" in notice for notice in notices)
    assert not any("was not restored" in notice for notice in notices)


def test_a_run_that_is_taken_back_takes_no_mark_of_an_origin_back(full: Workspace) -> None:  # noqa: F811
    """Neither from MEMORY.md nor from `why`; and the runs before it are taken back after it."""
    marked = unmarked(full)
    full.compact(budget=4000)

    done = full.undo_compaction()

    assert [why for what, why in done.left if "MEMORY.md" in what] == ["the entry comes from tool:web"]
    assert any("was not restored: the entry comes from tool:web" in notice for notice in done.notices)
    assert memory(full) == marked
    assert full.why(place(full)).src == "tool:web"
    assert full.verify_compaction().faults == []
    assert full.undo_compaction().run != done.run
    assert bare(full) == []
