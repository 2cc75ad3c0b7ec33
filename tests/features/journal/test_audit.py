"""journal audit: who did what, over segments, blobs and writers."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest

from agentws.features.journal import audit
from agentws.workspace import Workspace
from tests.conftest import NOW
from tests.core.journal import journals


@pytest.fixture
def journal(workspace: Workspace, monkeypatch: pytest.MonkeyPatch) -> Workspace:
    journals.small(monkeypatch)
    journals.fill(workspace)
    return workspace


def test_what_was_done_stands_with_its_result_across_segments(journal: Workspace) -> None:
    found = audit.audit(journal.stores)

    assert [(row.kind, row.outcome) for row in found.rows] == [
        ("session.started", ""),
        ("action", "ok"),
        ("action", "error"),
        ("action", "ok"),
        ("action", "ok"),
        ("action", "error"),
        ("decision", ""),
    ]
    assert found.rows[3].result_text.startswith("天気天気")
    assert not found.more


def test_a_limit_gives_the_newest_and_says_that_there_are_more(journal: Workspace) -> None:
    found = audit.audit(journal.stores, limit=2)

    assert [row.kind for row in found.rows] == ["action", "decision"]
    assert [row.outcome for row in found.rows] == ["error", ""]
    assert found.more
    assert not audit.audit(journal.stores, limit=7).more


def test_session_task_and_moment_choose(journal: Workspace) -> None:
    journals.record(journal, "action", session="s2", tool="pay", task="trip")

    assert [row.what for row in audit.audit(journal.stores, session="s2").rows] == ["pay"]
    assert [row.kind for row in audit.audit(journal.stores, task="trip").rows] == ["decision", "action"]
    assert [row.kind for row in audit.audit(journal.stores, task="trip", limit=1).rows] == ["action"]
    assert audit.audit(journal.stores, since=NOW + timedelta(seconds=1)).rows == []


def test_both_writers_are_told(journal: Workspace, tmp_path: Path) -> None:
    other = journals.another(journal, tmp_path)
    journals.record(other, "action", call="c0", tool="theirs")
    journals.knows(journal, other)

    found = audit.audit(journal.stores)

    (row,) = [row for row in found.rows if row.what == "theirs"]
    assert row.outcome == "no result"
    assert len({row.cursor.partition(":")[0] for row in found.rows}) == 2


def test_the_beginning_of_the_name_of_a_task_is_enough(workspace: Workspace) -> None:
    workspace.tasks.add("Order firewood")

    assert [row.kind for row in audit.audit(workspace.stores, task="order").rows] == ["task.added"]


def test_a_task_that_is_gone_is_not_taken_for_one_whose_name_begins_so(workspace: Workspace) -> None:
    for title in ("Order firewood", "Order firewood again"):
        workspace.tasks.add(title)
    Path(workspace.root, "tasks", "order-firewood.md").unlink()

    assert {row.task for row in audit.audit(workspace.stores, task="order-firewood").rows} == {"order-firewood"}
