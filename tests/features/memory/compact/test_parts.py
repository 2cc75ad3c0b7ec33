"""A long history is folded in several runs, each whole by itself, and each can be taken back."""

from __future__ import annotations

from pathlib import Path

import pytest

from agentws.errors import NothingToUndoError
from agentws.features.memory.compact import inputs
from agentws.workspace import Workspace

DAYS = ("2024-03-01", "2025-04-02", "2026-05-03")
TEXT = "# {0}\n\n- [decision] Chose harbour lamp {0} for the pier, since the old one went out twice\n- rain\n"
NAMES = [f"memory/{day}.md" for day in DAYS]


@pytest.fixture
def full(workspace: Workspace, monkeypatch: pytest.MonkeyPatch) -> Workspace:
    """A workspace of three days, of which each is as much as one run takes."""
    for day in DAYS:
        Path(workspace.root, f"memory/{day}.md").write_text(TEXT.format(day))
    monkeypatch.setattr(inputs, "MOST_BYTES", len(TEXT.format(DAYS[0])))
    return workspace


def documents(workspace: Workspace) -> dict[str, bytes]:
    root = Path(workspace.root)
    files = [*root.glob("*.md"), *(root / "memory").rglob("*")]
    return {str(one.relative_to(root)): one.read_bytes() for one in sorted(files) if one.is_file()}


def lying(workspace: Workspace) -> list[str]:
    return [name for name in NAMES if Path(workspace.root, name).exists()]


def test_each_part_is_a_run_and_the_result_tells_of_all(full: Workspace) -> None:
    done = full.memory.compact()

    assert [path for path, _ in done.days] == NAMES
    assert lying(full) == []
    assert len(done.new) == len(DAYS)
    assert done.memory[1] == Path(full.root, "MEMORY.md").read_text()
    assert all(day in done.memory[1] and day not in done.memory[0] for day in DAYS)
    assert [one.kind for one in full.journal.list() if one.kind.startswith("compaction.")].count(
        "compaction.finished"
    ) == 3
    verified = full.memory.verify()
    assert (verified.days, verified.faults) == (3, [])
    assert any("in 3 runs" in notice and "--undo" in notice for notice in done.notices)
    assert full.memory.compact().changes.changes == ()


def test_each_part_is_taken_back_by_itself_the_newest_first(full: Workspace) -> None:
    before = documents(full)
    full.memory.compact()

    for count in (1, 2, 3):
        full.memory.undo()
        assert lying(full) == NAMES[3 - count :]
    assert documents(full) == before
    with pytest.raises(NothingToUndoError):
        full.memory.undo()


def test_a_dry_run_shows_the_first_part_and_changes_nothing(full: Workspace) -> None:
    before = documents(full)
    done = full.memory.compact(dry_run=True)

    assert [path for path, _ in done.days] == NAMES[:1]
    assert any("in several runs" in notice and DAYS[1] in notice for notice in done.notices)
    assert documents(full) == before


def test_days_that_stay_are_counted_once(full: Workspace) -> None:
    manifest = Path(full.root, "agentws.toml")
    manifest.write_text(manifest.read_text() + "\n[compaction]\narchive = false\n")
    again = Workspace.open(full.root, environment=full.stores.environment)
    asked = again.memory.compact()
    assert asked.must_agree
    assert [path for path, _ in asked.days] == NAMES[:1]

    done = again.memory.compact(agreed=True)
    assert [path for path, _ in done.days] == NAMES
    late = Path(full.root, "memory/2026-06-01.md")
    late.write_text(TEXT.format("2026-06-01"))

    night = again.memory.compact()
    assert [path for path, _ in night.days] == ["memory/2026-06-01.md"]
    assert not [notice for notice in night.notices if " runs" in notice]
