"""What boots have shown of MEMORY.md: entries that no boot has shown for sixty days are named."""

from __future__ import annotations

import json
import os
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from agentws.core.journal import recall_marks
from agentws.features.boot import shown
from agentws.workspace import Environment, Workspace
from tests.forked import run_text

NOW = datetime(2026, 5, 4, 9, 0, tzinfo=UTC)
SMALL = 800
LINES = [f"- Heron {number} fishes at the weir at dusk, as the miller wrote" for number in range(60)]
LAST = f"MEMORY.md:{2 + len(LINES)}"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    made = Workspace.init(str(tmp_path / "robin"), environment=Environment(now=NOW, timezone="UTC"), git=False)
    Path(made.root, "MEMORY.md").write_text("# Memory\n\n" + "\n".join(LINES) + "\n")
    return Path(made.root)


def on(root: Path, days: int) -> Workspace:
    """The workspace so many days later."""
    return Workspace.open(str(root), environment=Environment(now=NOW + timedelta(days=days), timezone="UTC"))


def given(root: Path, days: int, budget: int) -> None:
    """A boot that hooks give to an agent."""
    workspace = on(root, days)
    shown.note(workspace.stores, workspace.boot(budget=budget))


def unshown(root: Path, days: int, budget: int = SMALL) -> list[shown.UnshownEntry]:
    workspace = on(root, days)
    return workspace.plumbing.unshown(workspace.boot(budget=budget))


def test_an_entry_that_no_boot_has_shown_for_sixty_days_is_named_with_its_place_and_day(root: Path) -> None:
    given(root, 0, SMALL)

    assert unshown(root, 59) == []
    entries = unshown(root, 60)
    text = on(root, 60).boot(budget=SMALL).text
    assert [entry.text for entry in entries] == [line for line in LINES if line not in text]
    assert {(entry.path, entry.since) for entry in entries} == {("MEMORY.md", "2026-05-04")}
    assert all(LINES[entry.line - 3] == entry.text for entry in entries)


def test_each_boot_that_shows_an_entry_starts_its_count_again(root: Path) -> None:
    given(root, 0, SMALL)
    given(root, 30, 8000)
    given(root, 40, SMALL)

    assert unshown(root, 89) == []
    assert {entry.since for entry in unshown(root, 90)} == {"2026-06-03"}


def test_an_entry_that_the_present_boot_shows_is_not_named(root: Path) -> None:
    given(root, 0, SMALL)

    assert unshown(root, 60, budget=8000) == []


def test_nothing_is_named_before_a_boot_was_noted_or_for_a_shared_audience(root: Path) -> None:
    assert unshown(root, 90) == []
    given(root, 0, SMALL)
    workspace = on(root, 90)

    assert workspace.plumbing.unshown(workspace.boot(budget=SMALL, audience="shared")) == []
    shown.note(workspace.stores, workspace.boot(budget=SMALL, audience="shared"))
    assert {entry.since for entry in unshown(root, 90)} == {"2026-05-04"}


def test_an_entry_that_was_removed_leaves_no_trace_and_damage_counts_as_nothing(root: Path) -> None:
    given(root, 0, SMALL)
    (root / "MEMORY.md").write_text("# Memory\n\n" + LINES[0] + "\n")
    given(root, 1, SMALL)
    files = on(root, 1).stores.files
    assert len(recall_marks.read_shown(files)["entries"]) == 1

    recall_marks.write_shown(files, {"entries": {"a": 1, "b": "2026-02-31"}})
    assert unshown(root, 90) == []


def test_old_marks_of_sessions_are_swept_and_the_days_of_entries_stay(root: Path) -> None:
    given(root, 0, SMALL)
    files = on(root, 0).stores.files

    recall_marks.sweep(files, now_s=1 << 40)

    assert recall_marks.read_shown(files)
    recall_marks.forget(files)
    assert recall_marks.read_shown(files) == {}


def test_explain_and_json_name_the_entries(root: Path) -> None:
    given(root, 0, SMALL)
    words = ("boot", "--budget", str(SMALL), "-C", str(root))
    later = {**os.environ, "AGENTWS_NOW": "2026-07-10T09:00:00+00:00"}

    explained = run_text(*words, "--explain", env=later).stdout
    assert "In MEMORY.md, but in no boot for 60 days" in explained
    assert "more: agentws boot --json" in explained
    assert LAST in json_places(run_text(*words, "--json", env=later).stdout)


def json_places(output: str) -> list[str]:
    return [f"{entry['path']}:{entry['line']}" for entry in json.loads(output)["unshown"]]
