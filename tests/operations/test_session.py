"""session: a run of the agent, in whose actions the intent comes before and the result after."""

from __future__ import annotations

import pytest

from agentws.errors import NeedsYouError
from agentws.workspace import Workspace
from tests.operations.test_event import lines


def kinds(workspace: Workspace) -> list[str]:
    return [event["kind"] for event in lines(workspace) if event["kind"] != "seal"]


def test_a_session_has_a_beginning_and_an_end_and_its_events_are_its_own(workspace: Workspace) -> None:
    with workspace.session("Report") as session:
        session.thought("It may rain.")
        session.plan("Look first.")
        session.decision("Take the umbrella.", importance=9)
        session.note("It rained.")

    assert kinds(workspace) == ["session.started", "thought", "plan", "decision", "note", "session.ended"]
    assert {event["session"] for event in lines(workspace) if event["kind"] != "seal"} == {session.id}
    started, ended = lines(workspace)[0]["body"], lines(workspace)[5]["body"]
    assert {"text", "host", "boot", "process", "started"} <= set(started)
    assert ended["outcome"] == "succeeded"


def test_an_action_is_durable_before_its_block_runs_and_its_result_after(workspace: Workspace) -> None:
    with workspace.session() as session, session.action("web_search", {"query": "rain"}) as call:
        before = kinds(workspace)
        assert call.result({"mm": 4}) == {"mm": 4}

    assert before == ["session.started", "action"]
    assert kinds(workspace) == ["session.started", "action", "result", "session.ended"]
    action, result = lines(workspace)[1]["body"], lines(workspace)[2]["body"]
    assert action["call"] == result["call"]
    assert (action["tool"], action["input"], result["output"]) == ("web_search", {"query": "rain"}, {"mm": 4})


def test_a_block_without_a_result_is_done_all_the_same(workspace: Workspace) -> None:
    with workspace.session() as session, session.action("touch", "a.txt"):
        pass

    assert kinds(workspace)[1:3] == ["action", "result"]


@pytest.mark.parametrize("error", [ValueError("no such page"), KeyboardInterrupt()])
def test_an_exception_is_recorded_as_an_error_and_goes_on(workspace: Workspace, error: BaseException) -> None:
    with pytest.raises(type(error)), workspace.session() as session, session.action("fetch", "x"):
        raise error

    assert kinds(workspace) == ["session.started", "action", "error", "session.ended"]
    assert type(error).__name__ in lines(workspace)[2]["body"]["text"]
    assert lines(workspace)[3]["body"]["outcome"] == "failed"


def test_ending_takes_the_newest_that_runs_and_refuses_what_does_not(workspace: Workspace) -> None:
    workspace.start_session(session="one")
    workspace.start_session(session="two")

    assert workspace.end_session().session == "two"
    assert workspace.end_session().session == "one"
    with pytest.raises(NeedsYouError):
        workspace.end_session()
    with pytest.raises(NeedsYouError, match="two"):
        workspace.end_session(session="two")


def test_the_name_of_a_session_says_when_it_began(workspace: Workspace) -> None:
    assert workspace.start_session().session.startswith("20261120-0715-")
