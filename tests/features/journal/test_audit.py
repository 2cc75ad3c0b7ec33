"""journal audit: who did what, over segments, blobs and writers."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from agentws.core.formats.journal import event
from agentws.core.formats.journal.thread import MAY_RUN
from agentws.core.stores import record as recording
from agentws.core.stores.record import Happening
from agentws.features.journal import audit
from agentws.workspace import Workspace
from tests.conftest import NOW
from tests.core.journal import journals


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


def at_minute(workspace: Workspace, minute: int) -> Workspace:
    workspace.stores.environment.now = NOW + timedelta(minutes=minute)
    return Workspace.open(workspace.root, environment=workspace.stores.environment)


@pytest.fixture
def hour(workspace: Workspace, tmp_path: Path) -> Workspace:
    """Actions of two writers: ended at once, later, elsewhere, by an interruption, never, or undone; then many more."""
    other = journals.another(workspace, tmp_path)
    for minute, kind, body in (
        (0, "action", {"call": "c1", "tool": "search"}),
        (1, "result", {"call": "c1", "text": "Zürich"}),
        (2, "action", {"call": "c2", "tool": "late"}),
        (3, "action", {"call": "c3", "tool": "elsewhere"}),
        (4, "action", {"call": "c4", "tool": "interrupted", "session": "s1", "src": "agent:kim"}),
        (5, "action", {"call": "c5", "tool": "never"}),
        (20, "result", {"call": "c2", "text": "at last"}),
        (21, "host.interrupted", {"session": "s1", "src": "agent:kim"}),
        *((minute, "action", {"call": f"m{minute}", "tool": "more"}) for minute in range(22, 60, 4)),
    ):
        session, src = (body.pop(name, None) for name in ("session", "src"))
        recording.record(at_minute(workspace, minute).stores, [Happening(kind, dict(body), session=session, src=src)])
    journals.record(at_minute(other, 19), "error", call="c3", text="no such host")
    journals.knows(workspace, other)
    return at_minute(workspace, 60)


@pytest.mark.parametrize("minute", [0, 1, 3, 4, 6, 20, 21, 40, 61])
def test_actions_before_a_moment_are_those_of_the_whole_audit(hour: Workspace, minute: int) -> None:
    def fields(rows: Sequence[audit.AuditRow]) -> list[list[object]]:
        return sorted([row.cursor, *(getattr(row, name) for name in row.__slots__)] for row in rows)

    before = NOW + timedelta(minutes=minute)
    rows = [row for row in audit.audit(hour.stores).rows if datetime.fromisoformat(row.at) < before]

    assert {row.result_text for row in rows} >= ({MAY_RUN} if minute > 4 else set())
    assert fields(audit.audit(hour.stores, before=before).rows) == fields(rows)


def test_later_events_are_not_read_for_actions_before_a_moment(
    hour: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    decode, seqs = event.decode, list[int]()

    def counted(line: bytes, **where: Any) -> event.Event:
        decoded = decode(line, **where)
        seqs.append(decoded.seq)
        return decoded

    monkeypatch.setattr(event, "decode", counted)

    audit.audit(hour.stores, before=NOW + timedelta(minutes=2))

    assert len(seqs) < 10


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
