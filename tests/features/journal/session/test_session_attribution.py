"""Whose work it is: nothing done by hand belongs to a session that is gone; that it broke off is said where known."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from agentws.core.installation import host_info
from agentws.core.journal import attribution, head
from agentws.errors import MissingFileError, NeedsYouError, UsageError
from agentws.workspace import Workspace
from tests.core.journal import journals
from tests.features.journal.test_event import lines

PLACES: dict[str, dict[str, Any]] = {
    "same host": {},
    "other host": {"host": "elsewhere"},
    "other boot": {"boot": "00000000-0000-4000-8000-000000000000"},
    "other container": {"namespace": 1},
    "process not recorded": {"process": None},
}


@pytest.fixture(autouse=True, params=["the segment", "the hint"])
def source(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Where the next process finds what it has to know: all that is asserted here holds for both."""
    if request.param == "the hint":
        monkeypatch.setattr(attribution, "ENOUGH_BYTES", 0)
    return str(request.param)


FATES = ("alive", "gone", "unknown")
GONE = {("same host", "gone"), *(("other boot", fate) for fate in FATES)}
RUNNING = {("same host", "alive")}


def process(fate: str) -> dict[str, object]:
    if fate == "gone":
        with subprocess.Popen([sys.executable, "-S", "-c", "input()"], stdin=subprocess.PIPE) as child:
            return {key: value for key, value in host_info.process(child.pid).items() if key != "outer"}
    found = {**host_info.process(os.getpid())}
    return {**found, "started": None} if fate == "unknown" else found


def began(workspace: Workspace, place: str, fate: str, name: str = "agent-1") -> None:
    facts = {"host": host_info.name(), "boot": host_info.boot_id(), "namespace": host_info.namespace(), **process(fate)}
    journals.record(workspace, "session.started", session=name, **{**facts, **PLACES[place]})
    journals.record(workspace, "plan", session=name, text="Sort the letters")


def reopened(workspace: Workspace) -> Workspace:
    return Workspace.open(workspace.root, environment=workspace.stores.environment)


def by_hand(workspace: Workspace) -> list[str | None]:
    """The sessions of what a person does in a shell of their own, without naming any."""
    count = len(lines(workspace))
    opened = reopened(workspace)
    opened.event("note", "by hand")
    opened.journal.record_lines([b'{"kind":"note","text":"by hand too"}'])
    opened.tasks.add("Write to Ada")
    return [one["session"] for one in lines(workspace)[count:]]


@pytest.mark.parametrize("fate", FATES)
@pytest.mark.parametrize("place", PLACES)
def test_what_is_done_by_hand_belongs_to_a_session_only_while_that_may_run(
    workspace: Workspace, place: str, fate: str
) -> None:
    began(workspace, place, fate)

    assert set(by_hand(workspace)) == {None if (place, fate) in GONE else "agent-1"}


@pytest.mark.parametrize("fate", FATES)
@pytest.mark.parametrize("place", PLACES)
def test_one_whose_work_was_taken_over_does_not_come_back_by_what_is_done_by_hand(
    workspace: Workspace, place: str, fate: str
) -> None:
    began(workspace, place, fate)
    if (place, fate) in RUNNING:
        assert [row.session for row in reopened(workspace).handoff.list().rows] == []
        return
    reopened(workspace).handoff.ack("agent-1")

    assert set(by_hand(workspace)) == {None}
    assert [row.session for row in reopened(workspace).handoff.list().rows] == []
    assert "agent-1" not in reopened(workspace).boot().text.partition("## Recent activity")[0]


@pytest.mark.parametrize("fate", FATES)
@pytest.mark.parametrize("place", PLACES)
def test_that_it_broke_off_is_said_only_where_that_is_known(workspace: Workspace, place: str, fate: str) -> None:
    began(workspace, place, fate)

    text = reopened(workspace).boot().text
    (row,) = reopened(workspace).session.list().rows

    assert ("session agent-1 ended without one" in text) == ((place, fate) in GONE)
    assert ("session agent-1 may still be running" in text) == ((place, fate) not in GONE | RUNNING)
    words = "crashed" if (place, fate) in GONE else "running" if (place, fate) in RUNNING else "may still be running"
    assert row.likely.words == words


def test_an_older_session_that_runs_comes_before_a_newer_one_that_is_gone(workspace: Workspace) -> None:
    began(workspace, "same host", "alive", "runs")
    began(workspace, "same host", "gone", "died")

    assert set(by_hand(workspace)) == {"runs"}
    assert reopened(workspace).session.end().session == "runs"
    assert set(by_hand(workspace)) == {None}
    with pytest.raises(NeedsYouError, match="No session is running") as caught:
        reopened(workspace).session.end()
    assert "died" in (caught.value.hint or "")


def test_it_is_found_where_it_began_in_an_earlier_segment(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    journals.small(monkeypatch)
    began(workspace, "same host", "gone")
    for number in range(20):
        journals.record(workspace, "note", session="other", text=f"{number} {'x' * 300}")
    assert len(journals.segments(workspace)) > 2

    assert set(by_hand(workspace)) == {None}


def test_one_that_began_again_after_it_was_taken_over_is_itself_again(workspace: Workspace) -> None:
    began(workspace, "other host", "alive")
    reopened(workspace).handoff.ack("agent-1")
    began(workspace, "other host", "alive")

    assert set(by_hand(workspace)) == {"agent-1"}


def test_what_was_taken_over_and_given_back_is_told_by_what_came_since(workspace: Workspace) -> None:
    began(workspace, "other host", "alive")
    assert set(by_hand(workspace)) == {"agent-1"}

    reopened(workspace).handoff.ack("agent-1")
    assert set(by_hand(workspace)) == {None}
    reopened(workspace).undo()  # the task that was added by hand
    reopened(workspace).undo()
    assert set(by_hand(workspace)) == {"agent-1"}


def read_bytes(workspace: Workspace, monkeypatch: pytest.MonkeyPatch) -> int:
    """How much of the journal one event by hand reads to know whose it is."""
    count = 0
    lines_of = attribution._lines

    def counted(*words: Any) -> bytes:
        nonlocal count
        found = lines_of(*words)
        count += len(found)
        return found

    with monkeypatch.context() as watched:
        watched.setattr(attribution, "_lines", counted)
        reopened(workspace).event("note", "by hand")
    return count


@pytest.mark.parametrize("sessions", [("agent-1",), ("agent-1", "died", "died-too")])
def test_of_a_long_segment_only_what_came_since_is_read(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch, sessions: tuple[str, ...]
) -> None:
    monkeypatch.setattr(attribution, "ENOUGH_BYTES", 1 << 15)
    for name in sessions:
        began(workspace, "same host" if name != "agent-1" else "process not recorded", "gone", name)
    for number in range(60):
        journals.record(workspace, "note", session="other", text=f"{number} {'x' * 1000}")

    first, *others = (read_bytes(workspace, monkeypatch) for _ in range(3))

    assert first > 60_000
    assert max(others) < 2_000
    assert set(by_hand(workspace)) == {"agent-1"}


@pytest.mark.parametrize(
    "harm", ["torn", "another place", "no place", "another hash", "another writer", "nonsense", "gone"]
)
def test_a_hint_that_does_not_fit_the_journal_is_not_believed(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch, harm: str
) -> None:
    monkeypatch.setattr(attribution, "ENOUGH_BYTES", 0)
    began(workspace, "same host", "alive")
    assert set(by_hand(workspace)) == {"agent-1"}
    writer = journals.here(workspace).writer
    path = f".agentws/{writer}.sessions"
    values = head.get(workspace.stores.files, path, 1 << 13)
    assert values is not None
    _, segment, start, seq, hash_, _ = values
    lies = {"agent-1": [{"host": host_info.name(), "boot": "another"}, False]}
    made = {
        "another place": [writer, segment, start - 1, seq, hash_, lies],
        "no place": [writer, segment, 0, seq, hash_, lies],
        "another hash": [writer, segment, start, seq, "0" * len(hash_), lies],
        "another writer": ["f" * 16, segment, start, seq, hash_, lies],
        "nonsense": [writer, segment, start, seq, hash_, {"agent-1": 7}],
    }
    file = Path(workspace.root, path)
    if harm in made:
        head.put(workspace.stores.files, path, made[harm])
    else:
        file.write_bytes(file.read_bytes()[:40] if harm == "torn" else b"")

    assert set(by_hand(workspace)) == {"agent-1"}


@pytest.mark.parametrize("part", ["20261120-0715-3fa9c1", "3fa9c1", "20261120-0715-3"])
def test_a_session_is_ended_by_any_form_of_its_id_that_is_printed(workspace: Workspace, part: str) -> None:
    for name in ("20261120-0715-3fa9c1", "20261120-0715-aa00bb"):
        workspace.session.start("one", session=name, process=os.getpid())

    workspace.session.end(session=workspace.session.find(part))

    last = [one for one in lines(workspace) if one["kind"] == "session.ended"]
    assert [(one["session"], one["body"].get("text")) for one in last] == [("20261120-0715-3fa9c1", None)]


def test_an_id_that_no_session_has_names_those_that_are_near(workspace: Workspace) -> None:
    for name in ("20261120-0715-3fa9c1", "20261120-0715-aa00bb"):
        workspace.session.start(session=name)

    with pytest.raises(MissingFileError) as caught:
        workspace.session.find("20261120-0715-3fa9c2")
    assert "20261120-0715-3fa9c1" in (caught.value.hint or "")
    with pytest.raises(UsageError):
        workspace.session.find("20261120-0715-")
