"""A workspace that an earlier version compacted: its runs are taken up, proved and taken back as those of today.

`earlier.json` is what the version before `memory/digest.md` made of three days: never write it anew.
"""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest

from agentws.core.formats.documents import managed
from agentws.workspace import Environment, Workspace
from tests.crash import harness

FILES = json.loads(Path(__file__).with_name("earlier.json").read_text())
DAYS = ["memory/2026-10-01.md", "memory/2026-10-02.md", "memory/2026-10-03.md"]


@pytest.fixture
def heron(tmp_path: Path) -> Workspace:
    for path, text in FILES.items():
        (tmp_path / "heron" / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "heron" / path).write_bytes(text.encode())
    here = Environment(now=datetime(2026, 11, 23, 7, 15, tzinfo=UTC), timezone="UTC")
    return Workspace.open(str(tmp_path / "heron"), environment=here)


def read(heron: Workspace, path: str) -> str:
    return Path(heron.root, path).read_text()


def documents(heron: Workspace) -> dict[str, bytes]:
    found = harness.documents(heron.root).items()
    return {path: data for path, data in found if not path.startswith(("journal/", "identity/"))}


def titles(heron: Workspace) -> list[str]:
    return list(dict.fromkeys(one.kind for one in managed.read(read(heron, "MEMORY.md")).entries))


def faults(heron: Workspace) -> list[tuple[str, int, str]]:
    return [(one.path, one.line, one.wrong) for one in heron.memory.verify().faults]


def sources(heron: Workspace, path: str) -> list[tuple[str, int, str]]:
    """(text, how many sources, src) of each line that compaction or an answer wrote."""
    lines = enumerate(read(heron, path).split("\n"), 1)
    told = [(line[2:], heron.memory.why(f"{path}:{at}")) for at, line in lines if line.startswith("- ")]
    return [(text, len(found.sources), found.src) for text, found in told if "Sam is the owner" not in text]


def test_what_stands_in_memory_stays_there_and_its_runs_are_taken_back(heron: Workspace) -> None:
    before = documents(heron)
    assert titles(heron) == ["Decisions", "Preferences", "Lessons", "Open", "What happened", "Heard, not verified"]
    assert faults(heron) == []

    assert heron.memory.compact().changes.changes == ()

    assert documents(heron) == before
    heron.memory.undo()
    assert titles(heron) == []
    assert [path for path in DAYS if Path(heron.root, path).exists()] == DAYS
    assert faults(heron) == []


def test_all_that_stands_there_then_leads_to_its_lines_and_what_was_heard_stays_marked(heron: Workspace) -> None:
    heron.memory.compact()

    found = sources(heron, "MEMORY.md")
    assert found
    assert all(count for _, count, _ in found)
    assert {src for text, _, src in found if "harbour" in text} <= {"tool:web"}
    assert ("2026-10-02 The harbour office opens at 6 (via tool:web)", 1, "tool:web") in sources(heron, "MEMORY.md")


def test_its_author_may_curate_it_and_a_run_may_be_taken_back_behind_that(heron: Workspace) -> None:
    heron.memory.compact()
    shown = heron.memory.brief().brief
    numbers = {one.entry.text.partition(" ")[2][:5]: one.number for one in shown.rows}
    sqlite, lesson, heard = (numbers[word] for word in ("Chose", "Never", "The h"))
    better, rule = "SQLite for the bird counts: one file, no server", "Ask Sam before anything is pushed"

    done = heron.memory.curate(
        f"UPDATE {sqlite} {better}\nKEEP {lesson}\nADD [rule] {rule} {{memory/2026-10-03.md:4}}\n"
        f"UPDATE {heard} The harbour office opens at 6\n"
    )

    assert [one.verb for one in done.applied] == ["UPDATE", "KEEP", "ADD"]
    assert [one.verb for one, _ in done.refused] == ["UPDATE"], "from outside"
    assert "(via tool:web)" in read(heron, "MEMORY.md")
    assert all(count for _, count, _ in sources(heron, "MEMORY.md"))
    assert faults(heron) == []
    heron.memory.compact()
    assert f"- {better}\n" in read(heron, "MEMORY.md")

    heron.memory.undo()
    assert {better, rule} <= {one.text for one in managed.read(read(heron, "MEMORY.md")).entries}
    assert faults(heron) == []
