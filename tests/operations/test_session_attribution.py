"""Whose work it is: nothing done by hand belongs to a session that is gone; that it broke off is said where known."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import Any

import pytest

from agentws.errors import MissingFileError, NeedsYouError, UsageError
from agentws.storage import machine
from agentws.workspace import Workspace
from tests.operations.test_event import lines
from tests.storage.journal import journals

PLACES: dict[str, dict[str, Any]] = {
    "same host": {},
    "other host": {"host": "elsewhere"},
    "other boot": {"boot": "00000000-0000-4000-8000-000000000000"},
    "other container": {"namespace": 1},
    "process not recorded": {"process": None},
}
FATES = ("alive", "gone", "unknown")
GONE = {("same host", "gone"), *(("other boot", fate) for fate in FATES)}
RUNNING = {("same host", "alive")}


def process(fate: str) -> dict[str, object]:
    if fate == "gone":
        with subprocess.Popen([sys.executable, "-S", "-c", "input()"], stdin=subprocess.PIPE) as child:
            return {key: value for key, value in machine.process(child.pid).items() if key != "outer"}
    found = {**machine.process(os.getpid())}
    return {**found, "started": None} if fate == "unknown" else found


def began(workspace: Workspace, place: str, fate: str, name: str = "agent-1") -> None:
    facts = {"host": machine.name(), "boot": machine.boot_id(), "namespace": machine.namespace(), **process(fate)}
    journals.record(workspace, "session.started", session=name, **{**facts, **PLACES[place]})
    journals.record(workspace, "plan", session=name, text="Sort the letters")


def reopened(workspace: Workspace) -> Workspace:
    return Workspace.open(workspace.root, environment=workspace.environment)


def by_hand(workspace: Workspace) -> list[str | None]:
    """The sessions of what a person does in a shell of their own, without naming any."""
    count = len(lines(workspace))
    opened = reopened(workspace)
    opened.event("note", "by hand")
    opened.record_lines([b'{"kind":"note","text":"by hand too"}'])
    opened.add_task("Write to Ada")
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
        assert [row.session for row in reopened(workspace).handoffs().rows] == []
        return
    reopened(workspace).ack_handoff("agent-1")

    assert set(by_hand(workspace)) == {None}
    assert [row.session for row in reopened(workspace).handoffs().rows] == []
    assert "agent-1" not in reopened(workspace).boot().text.partition("## Recent activity")[0]


@pytest.mark.parametrize("fate", FATES)
@pytest.mark.parametrize("place", PLACES)
def test_that_it_broke_off_is_said_only_where_that_is_known(workspace: Workspace, place: str, fate: str) -> None:
    began(workspace, place, fate)

    text = reopened(workspace).boot().text
    (row,) = reopened(workspace).sessions().rows

    assert ("session agent-1 broke off" in text) == ((place, fate) in GONE)
    assert ("session agent-1 may still run" in text) == ((place, fate) not in GONE | RUNNING)
    words = "crashed" if (place, fate) in GONE else "running" if (place, fate) in RUNNING else "may still run"
    assert row.likely.words == words


def test_an_older_session_that_runs_comes_before_a_newer_one_that_is_gone(workspace: Workspace) -> None:
    began(workspace, "same host", "alive", "runs")
    began(workspace, "same host", "gone", "died")

    assert set(by_hand(workspace)) == {"runs"}
    assert reopened(workspace).end_session().session == "runs"
    assert set(by_hand(workspace)) == {None}
    with pytest.raises(NeedsYouError, match="No session runs") as caught:
        reopened(workspace).end_session()
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
    reopened(workspace).ack_handoff("agent-1")
    began(workspace, "other host", "alive")

    assert set(by_hand(workspace)) == {"agent-1"}


@pytest.mark.parametrize("part", ["20261120-0715-3fa9c1", "3fa9c1", "20261120-0715-3"])
def test_a_session_is_ended_by_any_form_of_its_id_that_is_printed(workspace: Workspace, part: str) -> None:
    for name in ("20261120-0715-3fa9c1", "20261120-0715-aa00bb"):
        workspace.start_session("one", session=name, process=os.getpid())

    workspace.end_session(session=workspace.find_session(part))

    last = [one for one in lines(workspace) if one["kind"] == "session.ended"]
    assert [(one["session"], one["body"].get("text")) for one in last] == [("20261120-0715-3fa9c1", None)]


def test_an_id_that_no_session_has_names_those_that_are_near(workspace: Workspace) -> None:
    for name in ("20261120-0715-3fa9c1", "20261120-0715-aa00bb"):
        workspace.start_session(session=name)

    with pytest.raises(MissingFileError) as caught:
        workspace.find_session("20261120-0715-3fa9c2")
    assert "20261120-0715-3fa9c1" in (caught.value.hint or "")
    with pytest.raises(UsageError):
        workspace.find_session("20261120-0715-")
