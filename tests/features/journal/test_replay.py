"""journal replay: the state at any event, the same as if nothing had happened since."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from agentws.core.formats.journal.event import Event
from agentws.errors import MissingFileError, UsageError
from agentws.features.journal.replay import Replayed
from agentws.workspace import Environment, Workspace
from tests.conftest import NOW
from tests.core.journal import journals


def at(workspace: Workspace, minutes: int) -> Workspace:
    """The same installation, some minutes later."""
    later = Environment(now=NOW + timedelta(minutes=minutes), timezone="UTC", state=workspace.stores.environment.state)
    return Workspace.open(workspace.root, environment=later)


def told(found: Replayed) -> dict[str, Any]:
    """What the state says, in words that can be compared."""
    state = found.state
    return {
        "plan": state.plan and state.plan.cursor,
        "actions": [one.cursor for one in state.actions.values()],
        "decisions": [one.cursor for one in state.decisions],
        "tasks": {slug: task.status for slug, task in state.tasks.items()},
        "errors": [one.cursor for one in state.errors],
        "sessions": {run.id: (run.events, run.ended is None) for run in state.runs.values()},
        "files": state.files,
        "events": state.events,
    }


def test_the_state_at_an_event_is_what_it_was_then(workspace: Workspace) -> None:
    was: list[tuple[str, str, dict[str, Any]]] = []
    for kind, body in (
        ("session.started", {"session": "s"}), ("plan", {"text": "Look"}), ("task.started", {"task": "trip"}),
        ("action", {"call": "c1", "tool": "edit", "input": {"path": "a.py"}}), ("decision", {"text": "Train"}),
        ("error", {"call": "c1", "text": "no"}), ("action", {"call": "c2", "tool": "edit", "input": {"path": "a.py"}}),
        ("result", {"call": "c2"}), ("task.done", {"task": "trip"}), ("session.ended", {"session": "s"}),
    ):  # fmt: skip
        cursor = journals.record(workspace, kind, **body)
        newest: Event = list(workspace.journal.list())[-1]
        was.append((cursor, newest.id, told(workspace.journal.replay())))

    for cursor, name, state in was:
        assert told(workspace.journal.replay(until=cursor)) == state
        assert told(workspace.journal.replay(until=cursor.partition(":")[2])) == state
        assert told(workspace.journal.replay(until=name)) == state
        assert workspace.journal.replay(until=cursor).after == cursor
    assert was[3][2]["actions"] == [was[3][0]]
    assert was[5][2]["errors"] == [was[5][0]]
    assert was[7][2]["errors"] == []
    assert [state["tasks"].get("trip") for _, _, state in was] == [None] * 2 + ["active"] * 6 + ["done"] * 2


def test_a_time_counts_what_was_recorded_until_then(workspace: Workspace) -> None:
    for minute in (0, 10, 20):
        journals.record(at(workspace, minute), "decision", text=str(minute))

    def decided(until: str) -> list[str]:
        return [one.body["text"] for one in workspace.journal.replay(until=until).state.decisions]  # type: ignore[index]

    assert decided("2026-11-20T07:25:00+00:00") == ["0", "10"]
    assert decided("2026-11-20T07:24") == ["0"]
    assert decided("2026-11-20") == []
    before = workspace.journal.replay(until="2026-11-20")
    assert (before.state.events, before.after) == (0, None)
    assert decided("2026-11-21") == ["0", "10", "20"]


def test_after_a_clock_was_set_back_a_time_ends_at_the_first_later_event(workspace: Workspace) -> None:
    for minute in (0, 60, -60, -50):
        journals.record(at(workspace, minute), "decision", text=str(minute))

    found = workspace.journal.replay(until="2026-11-20T07:20")

    assert [one.body["text"] for one in found.state.decisions] == ["0"]  # type: ignore[index]


def test_several_writers_are_told_in_the_order_in_which_they_are_listed(journal: Workspace, tmp_path: Path) -> None:
    other = journals.another(journal, tmp_path)
    for minute in range(6):
        journals.record(at(other if minute % 2 else journal, minute), "decision", text=f"d{minute}")
        journals.record(at(other if minute % 2 else journal, minute), "action", call="same", tool=f"t{minute}")
    journals.knows(journal, other)
    listed = [one.cursor for one in journal.journal.list()]
    middle = next(one for one in journal.journal.list(kinds=("decision",)) if (one.body or {}).get("text") == "d3")

    found = journal.journal.replay(until=middle.cursor)

    assert found.state.events == listed.index(middle.cursor) + 1
    told = [one.cursor for one in found.state.decisions]
    assert told == [cursor for cursor in listed if cursor in told]
    assert told[-1] == middle.cursor
    assert len({one.writer for one in journal.journal.replay().state.actions.values()}) == 2


def test_a_place_of_several_writers_is_the_state_behind_what_was_read(journal: Workspace, tmp_path: Path) -> None:
    other = journals.another(journal, tmp_path)
    for number in range(6):
        journals.record(other if number % 2 else journal, "decision", text=f"d{number}")
    journals.knows(journal, other)
    whole = sum(1 for _ in journal.journal.list())
    listed = journal.journal.list(after="", limit=whole - 2)
    count = sum(1 for _ in listed)
    assert "," in listed.after

    found = journal.journal.replay(until=listed.after)

    assert (found.state.events, found.after) == (count, listed.after)


def test_a_session_alone_is_told_by_its_own_events(journal: Workspace) -> None:
    journals.record(journal, "decision", session="s2", text="mine")
    last = journals.record(journal, "decision", session="s3", text="later")
    journals.record(journal, "decision", session="s2", text="latest")

    def decided(**wanted: str) -> list[str]:
        return [one.body["text"] for one in journal.journal.replay(**wanted).state.decisions]  # type: ignore[index, arg-type]

    assert decided(session="s2") == ["mine", "latest"]
    assert decided(session="s2", until=last) == ["mine"]
    assert decided(session="s3", until=journals.record(journal, "decision", session="s4", text="s4")) == ["later"]
    assert decided(session="s4", until=last) == []


def test_a_session_that_is_none_is_refused_and_the_end_of_an_id_will_do(workspace: Workspace) -> None:
    """An empty answer would say that nothing is in flight."""
    for session in ("20261120-0715-3fa9c1", "20261120-0715-aaaaaa"):
        workspace.session.start(session=session)
    workspace.event("action", tool="send_mail", session="20261120-0715-3fa9c1")
    workspace.event("note", "hello", session="never-begun")

    (action,) = workspace.journal.replay(session="3fa9c1").state.actions.values()

    assert action.session == "20261120-0715-3fa9c1"
    assert workspace.journal.replay(session="never-begun").state.events == 1
    with pytest.raises(MissingFileError, match="No session 'nobody'"):
        workspace.journal.replay(session="nobody")
    with pytest.raises(UsageError, match="2 sessions"):
        workspace.journal.replay(session="20261120-0715")
    with pytest.raises(UsageError):
        workspace.journal.replay(until="")


def test_a_body_in_a_blob_says_what_it_says(journal: Workspace) -> None:
    journals.record(journal, "action", call="c", tool="edit", input={"path": "a.py", "content": "x" * 2000})
    journals.record(journal, "decision", text="long " * 500)

    state = journal.journal.replay().state

    assert state.files == ["a.py"]
    assert state.decisions[-1].body["text"].startswith("long long")  # type: ignore[index]


def test_a_blob_that_is_gone_and_a_damaged_line_are_notices(journal: Workspace) -> None:
    journals.record(journal, "decision", text="long " * 500)
    for blob in (journals.folder(journal) / "blobs").iterdir():
        blob.unlink()
    first = journals.segments(journal)[0]
    first.write_bytes(first.read_bytes().replace(b'"kind":"session.started"', b'"kind":session.started"', 1))

    found = journal.journal.replay()

    assert len(found.state.decisions) == 2
    assert any("Skipped" in notice for notice in found.notices)
    assert any("blob" in notice for notice in found.notices)


@pytest.mark.parametrize(
    ("until", "error"),
    [
        ("17:x", UsageError),
        ("someday", UsageError),
        ("ffffffffffffffff:1", UsageError),
        ("9999", MissingFileError),
        ("01a1f7ce-fd9b-7901-9190-8745ac665f65", MissingFileError),
    ],
)
def test_what_is_no_event_is_an_error(journal: Workspace, until: str, error: type[Exception]) -> None:
    with pytest.raises(error):
        journal.journal.replay(until=until)


def test_replay_changes_nothing(journal: Workspace) -> None:
    def everything() -> dict[str, bytes]:
        return {str(path): path.read_bytes() for path in Path(journal.root).rglob("*") if path.is_file()}

    before = everything()
    journal.journal.replay()
    journal.session.list()
    journal.session.show("s1")

    assert everything() == before


def test_a_workspace_without_events_has_an_empty_state(workspace: Workspace) -> None:
    found = workspace.journal.replay()

    assert (found.state.events, found.after, found.notices) == (0, None, [])
