"""session: a run of the agent, in whose actions the intent comes before and the result after."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from agentws.cli import main
from agentws.core.installation import host_info
from agentws.errors import MissingFileError, NeedsYouError, UsageError
from agentws.features.journal import session as room
from agentws.features.journal.session import Session
from agentws.workspace import Environment, Workspace
from tests.conftest import NOW
from tests.core.journal import journals
from tests.features.journal.test_event import lines


def kinds(workspace: Workspace) -> list[str]:
    return [event["kind"] for event in lines(workspace) if event["kind"] != "seal"]


def test_all_that_the_room_offers_is_there() -> None:
    assert [name for name in room.__all__ if not callable(getattr(room, name))] == []


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


@pytest.mark.parametrize(
    "work",
    [
        lambda session: session.note("Too late."),
        lambda session: session.event("decision", "Too late."),
        lambda session: session.action("write").__enter__(),
    ],
    ids=["note", "event", "action"],
)
def test_ended_session_new_work_is_refused_and_a_late_result_is_recorded(
    workspace: Workspace, work: Callable[[Session], object]
) -> None:
    with workspace.session() as session:
        late = session.action("fetch", {"from": "the harbour"}).__enter__()
    late.result("two boats")
    before = kinds(workspace)

    with pytest.raises(UsageError, match="has ended"):
        work(session)

    assert kinds(workspace) == before
    assert before[-1] == "result"
    with session:  # begun again, it takes work again
        session.note("In time.")


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
    workspace.session.start(session="one")
    workspace.session.start(session="two")

    assert workspace.session.end().session == "two"
    assert workspace.session.end().session == "one"
    with pytest.raises(NeedsYouError) as refused:
        workspace.session.end()
    assert refused.value.hint == "Start one: agentws session start"
    with pytest.raises(NeedsYouError, match="two"):
        workspace.session.end(session="two")


def test_the_name_of_a_session_says_when_it_began(workspace: Workspace) -> None:
    assert workspace.session.start().session.startswith("20261120-0715-")


# The list, and one of them


def likely(workspace: Workspace) -> dict[str, str]:
    return {row.run.id: row.likely.state for row in workspace.session.list().rows}


def gone() -> int:
    """The id of a process that is over, and whose exit code nobody has asked for: no other one gets that id."""
    process = subprocess.Popen([sys.executable, "-c", ""])
    _over.append(process)
    while Path(f"/proc/{process.pid}/stat").exists() and host_info.lives(process.pid, None) is not False:
        time.sleep(0.001)
    return process.pid


_over: list[subprocess.Popen[bytes]] = []


@pytest.fixture(autouse=True)
def _ask_for_their_exit_codes() -> Iterator[None]:
    yield
    while _over:
        _over.pop().wait()


def test_sessions_are_listed_with_their_likely_state(workspace: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    workspace.session.start("is over", session="over")
    workspace.session.end()
    workspace.session.start(session="runs", process=os.getpid())
    workspace.session.start(session="died", process=gone())
    workspace.session.start(session="silent")
    with monkeypatch.context() as other:
        other.setattr(host_info, "name", lambda: "elsewhere")
        workspace.session.start(session="far", process=os.getpid())
        other.undo()
        other.setattr(host_info, "boot_id", lambda: "before this one restarted")
        workspace.session.start(session="power", process=os.getpid())
        other.undo()
        other.setattr(host_info, "namespace", lambda: 1)
        workspace.session.start(session="box", process=gone())
    workspace.event("note", session="nobody")

    assert likely(workspace) == {
        "over": "ended", "runs": "running", "died": "crashed", "silent": "unknown", "far": "unknown",
        "power": "crashed", "box": "unknown", "nobody": "unknown",
    }  # fmt: skip


def test_a_session_of_another_writer_on_this_machine_is_judged_alike(workspace: Workspace, tmp_path: Path) -> None:
    other = journals.another(workspace, tmp_path)
    other.session.start(session="theirs", process=gone())
    workspace.session.start(session="ours", process=os.getpid())
    journals.knows(other, workspace)
    journals.knows(workspace, other)

    assert likely(workspace) == likely(other) == {"theirs": "crashed", "ours": "running"}


def test_a_workspace_without_sessions_lists_none(workspace: Workspace) -> None:
    assert workspace.session.list().rows == []
    with pytest.raises(MissingFileError, match="No session yet"):
        workspace.session.show()


def test_what_a_session_began_stands_below_it_and_has_an_id_of_its_own(tmp_path: Path, workspace: Workspace) -> None:
    inside = Workspace.open(workspace.root, environment=Environment(now=NOW, timezone="UTC", session="boss"))
    inside.session.start()
    with inside.session("Look", parent="boss") as first, inside.session("Read", parent=first.id) as second:
        pass

    rows = workspace.session.list().rows
    assert [(row.depth, row.run.id) for row in rows] == [(0, "boss"), (1, first.id), (2, second.id)]
    assert len({row.run.id for row in rows}) == 3
    assert workspace.session.show("boss").children == [first.id]
    with pytest.raises(UsageError):
        workspace.session.start(parent="two words")


def test_the_list_takes_those_last_heard_of_in_the_order_in_which_they_began(workspace: Workspace) -> None:
    for minute, name in enumerate(("a", "b", "c", "a")):
        later = Environment(now=NOW + timedelta(minutes=minute), timezone="UTC")
        Workspace.open(workspace.root, environment=later).event("note", session=name)

    found = workspace.session.list(limit=2)

    assert ([row.run.id for row in found.rows], found.older) == (["a", "c"], 1)


def test_a_session_is_shown_with_what_matters(workspace: Workspace) -> None:
    workspace.session.start("Report", session="one")
    workspace.event("plan", "Look first", session="one")
    workspace.event("decision", "Take the train", session="one", body={"why": "x" * 70_000})
    workspace.event("action", tool="mail", call="c1", input={"path": "out.txt"}, session="one")
    workspace.event("error", "no host", session="one")
    workspace.event("decision", "of another one", session="two")
    Path(workspace.root, "handoffs").mkdir(exist_ok=True)
    Path(workspace.root, "handoffs", "2026-11-20.md").write_text("---\nsession: one\n---\n## Doing\n\nA report.\n")
    Path(workspace.root, "handoffs", "2026-11-21.md").write_text("---\nsession: two\n---\n## Doing\n\nWith one.\n")

    found = workspace.session.show("one")

    assert [one.body["text"] for one in found.decisions] == ["Take the train"]  # type: ignore[index]
    assert [one.call for one in found.state.actions.values()] == ["c1"]
    assert found.state.plan.body["text"] == "Look first"  # type: ignore[union-attr, index]
    assert found.state.error.body["text"] == "no host"  # type: ignore[union-attr, index]
    assert (found.state.files, found.handoff) == (["out.txt"], "handoffs/2026-11-20.md")
    assert found.run.counts == {"session.started": 1, "plan": 1, "decision": 1, "action": 1, "error": 1}


def test_decisions_of_an_earlier_run_with_the_same_id_are_not_shown_but_what_is_in_flight_is(
    workspace: Workspace,
) -> None:
    for text in ("before", "now"):
        workspace.session.start(session="nightly")
        workspace.event("decision", text, session="nightly")
        workspace.event("action", tool="mail", call=text, session="nightly")

    found = workspace.session.show("nightly")

    assert [one.body["text"] for one in found.decisions] == ["now"]  # type: ignore[index]
    assert [one.call for one in found.state.actions.values()] == ["before", "now"]
    assert (found.run.earlier, found.run.unended) == (1, 1)


def test_a_resumed_session_is_listed_from_its_beginning(
    workspace: Workspace, capsys: pytest.CaptureFixture[str]
) -> None:
    workspace.session.start(session="nightly")
    workspace.event("note", "before", session="nightly")
    workspace.session.end(session="nightly")
    workspace.session.start(session="nightly")
    (first, _) = (one for one in workspace.journal.list() if one.kind == "session.started")

    assert main.run(["session", "list", "--json", "-C", workspace.root]) == 0

    (row,) = json.loads(capsys.readouterr().out)["sessions"]
    assert (row["began"], row["events"], row["ended"]) == (first.at, 4, None)


def test_a_session_is_named_by_its_beginning_or_end_where_that_is_clear(workspace: Workspace) -> None:
    for name in ("20261120-0715-aaaaaa", "20261120-0715-bbbbbb"):
        workspace.session.start(session=name)

    assert workspace.session.show("aaaa").run.id.endswith("aaaaaa")
    assert workspace.session.show().run.id.endswith("bbbbbb")
    with pytest.raises(UsageError, match="2 sessions"):
        workspace.session.show("20261120")
    with pytest.raises(MissingFileError):
        workspace.session.show("cccc")


# A crash, as the next session finds it


def test_a_session_that_crashed_is_a_notice_with_what_was_in_flight_until_it_is_ended(workspace: Workspace) -> None:
    workspace.session.start(session="died", process=gone())
    workspace.event("action", tool="send_mail", input={"to": "sam"}, session="died")
    workspace.event("action", tool="done", call="c", session="died")
    workspace.event("result", call="c", session="died")

    (notice,) = workspace.session.start(session="next", process=os.getpid()).notices
    assert "Session died has crashed" in notice
    assert "send_mail sam" in notice
    assert "done" not in notice
    workspace.session.end(session="died")

    assert workspace.session.start(session="third").notices == []


def test_a_session_that_runs_or_may_run_is_no_crash(workspace: Workspace) -> None:
    workspace.session.start(session="runs", process=os.getpid())
    workspace.session.start(session="silent")

    assert workspace.session.start(session="next").notices == []


def test_a_crash_is_found_in_an_earlier_segment(workspace: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    journals.small(monkeypatch)
    workspace.session.start(session="died", process=gone())
    workspace.event("action", tool="send_mail", session="died")
    journals.fill(workspace)
    assert len(journals.segments(workspace)) > 3

    (notice,) = workspace.session.start(session="next").notices

    assert "Session died has crashed" in notice
    assert "send_mail" in notice


def test_of_many_crashes_the_newest_are_told_and_the_others_counted(workspace: Workspace) -> None:
    pid = gone()
    notices = [workspace.session.start(session=f"s{number}", process=pid).notices for number in range(6)][-1]

    assert [notice.split()[1] for notice in notices[:3]] == ["s4", "s3", "s2"]
    assert notices[3:] == ["2 more sessions crashed earlier: agentws session list"]


# Several threads


def test_one_session_used_by_several_threads_keeps_every_call_together(workspace: Workspace) -> None:
    failed: list[BaseException] = []

    def work(session: Session, thread: int) -> None:
        try:
            for number in range(10):
                with session.action("count", {"thread": thread, "number": number}) as call:
                    call.result(thread * 100 + number)
        except BaseException as error:
            failed.append(error)

    with workspace.session() as session:
        threads = [threading.Thread(target=work, args=(session, thread)) for thread in range(8)]
        for each in threads:
            each.start()
        for each in threads:
            each.join()

    assert failed == []
    calls: dict[str, list[dict[str, Any]]] = {}
    for event in lines(workspace):
        if event["kind"] in ("action", "result"):
            calls.setdefault(event["body"]["call"], []).append(event)
    assert len(calls) == 80
    for action, result in calls.values():
        assert (action["kind"], result["kind"]) == ("action", "result")
        assert result["body"]["output"] == action["body"]["input"]["thread"] * 100 + action["body"]["input"]["number"]
        assert action["session"] == result["session"] == session.id
    assert workspace.journal.verify().sound


def test_sessions_in_several_threads_keep_their_events_apart(workspace: Workspace) -> None:
    def work(name: str) -> None:
        own = Workspace.open(workspace.root, environment=Environment(now=NOW, timezone="UTC"))
        with own.session(session=name, parent="boss") as session:
            for number in range(5):
                session.note(f"{name} {number}")

    workspace.session.start(session="boss")
    threads = [threading.Thread(target=work, args=(f"t{number}",)) for number in range(6)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()

    for event in lines(workspace):
        if event["kind"] == "note":
            assert event["body"]["text"].startswith(event["session"])
    rows = workspace.session.list().rows
    assert [row.depth for row in rows] == [0, 1, 1, 1, 1, 1, 1]
    assert {row.run.counts.get("note") for row in rows[1:]} == {5}
    assert {row.likely.state for row in rows[1:]} == {"ended"}


def test_a_session_can_be_ended_however_many_began_after_it(workspace: Workspace) -> None:
    for number in range(20):
        workspace.session.start(session=f"s{number}")

    assert workspace.session.end(session="s0").session == "s0"
    for name in ("s0", "never"):
        with pytest.raises(NeedsYouError):
            workspace.session.end(session=name)
    assert workspace.session.end().session == "s19"


def test_words_behind_session_end_are_no_session_and_are_told_where_they_go(
    workspace: Workspace, capsys: pytest.CaptureFixture[str]
) -> None:
    workspace.session.start("Report", session="s1", process=os.getpid())

    assert main.run(["session", "end", "It went well", "-C", workspace.root]) == MissingFileError.exit_code

    assert "--text" in capsys.readouterr().err
    assert "session.ended" not in kinds(workspace)
