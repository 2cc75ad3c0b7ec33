"""The size of the journal and its growth, as `status` tells them."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest

from agentws.core.journal import stamp
from agentws.core.journal.sealing import pack
from agentws.features.journal import checks, compaction as step
from agentws.workspace import Environment, Workspace
from tests.core.journal import journals

DAYS = 10


@pytest.fixture
def journal(workspace: Workspace, monkeypatch: pytest.MonkeyPatch) -> Workspace:
    """Small segments, written over ten days; some of them are compressed."""
    journals.small(monkeypatch)
    monkeypatch.setattr(pack, "NEWEST", 2)
    now = workspace.stores.environment.now
    assert now is not None
    found = workspace
    for day in range(DAYS + 1):
        moment = now + timedelta(days=day)
        micros = round(moment.timestamp() * 1_000_000)
        monkeypatch.setattr(stamp, "now", lambda micros=micros: micros)
        environment = Environment(now=moment, timezone="UTC", state=workspace.stores.environment.state)
        found = Workspace.open(workspace.root, environment=environment)
        for number in range(4):
            journals.record(found, "note", text=f"day {day} {number} {'x' * 500}")
    step.compact(found.stores, dry_run=False)
    return found


def test_each_file_counts_and_the_newest_tell_of_the_growth(
    journal: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = journals.folder(journal)
    files = [path for path in folder.rglob("*") if path.is_file()]
    packed = [path for path in files if path.suffix == ".gz"]
    monkeypatch.setattr(checks, "_NEWEST", 4)
    newest = journals.segments(journal)[-4:]

    found = checks.size(journal.stores.files, [folder.name])

    assert found.bytes == sum(path.stat().st_size for path in files)
    assert found.packed == sum(path.stat().st_size for path in packed) > 0
    written = sum(path.stat().st_size for path in newest)
    assert found.monthly is not None
    assert written * 30 / DAYS < found.monthly <= written * 30
    assert checks.size(journal.stores.files, ["0" * 16]).bytes == 0


def test_less_than_a_day_tells_of_no_growth(workspace: Workspace) -> None:
    journals.fill(workspace)

    found = checks.size(workspace.stores.files, [journals.here(workspace).writer])

    assert (found.monthly, found.packed) == (None, 0)
    assert found.bytes == sum(path.stat().st_size for path in journals.segments(workspace))


def test_status_tells_of_a_large_journal_and_not_of_a_small_one(
    journal: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    def told() -> str:
        return next(one.says for one in journal.status().checks if one.name == "journal")

    assert "compressed" not in told()

    monkeypatch.setattr("agentws.features.journal.checks._SMALL_BYTES", 1000)

    assert "KiB (" in told()
    assert "% compressed), " in told()
    assert told().endswith("of events a month")


def test_a_file_that_is_none_of_ours_does_not_stop_it(journal: Workspace) -> None:
    folder = journals.folder(journal)
    before = checks.size(journal.stores.files, [folder.name]).bytes
    Path(folder, "notes").mkdir()
    Path(folder, "gone.jsonl").symlink_to("nowhere")

    assert checks.size(journal.stores.files, [folder.name]).bytes == before
