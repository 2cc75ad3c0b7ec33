"""Replay: the same events lead to the same state, in one pass, holding no more than is told."""

from __future__ import annotations

import tracemalloc
from collections.abc import Iterator
from typing import Any

import pytest

from agentws.core.formats.journal.event import Event
from agentws.core.journal.events import replay

WRITER = "00000000000000aa"


def happened(seq: int, kind: str, *, session: str | None = "s1", writer: str = WRITER, **body: Any) -> Event:
    """An event, a second after the one with the number before."""
    at = f"2026-11-{1 + seq // 86_400:02}T{seq // 3_600 % 24:02}:{seq // 60 % 60:02}:{seq % 60:02}.000000Z"
    fields = {
        "agentws": 1, "seq": seq, "id": f"id-{seq}", "at": at, "kind": kind, "session": session, "src": "agent",
        "prev": "", "digest": "", "salt": "", "body": {"v": 1, **body},
    }  # fmt: skip
    return Event(fields, writer=writer, hash="", segment=1, offset=0)


def story(*told: tuple[str, dict[str, Any]]) -> list[Event]:
    return [happened(seq, kind, **body) for seq, (kind, body) in enumerate(told, 1)]


def test_nothing_leads_to_an_empty_state() -> None:
    state = replay.replay([])

    assert (state.plan, state.error, state.last, state.events) == (None, None, None, 0)
    assert [*state.actions, *state.decisions, *state.tasks, *state.sessions, *state.files, *state.handoffs] == []


def test_an_action_is_open_until_a_result_or_an_error_ends_its_call() -> None:
    begun = [
        happened(1, "action", call="c1", tool="a"),
        happened(2, "action", call="c2", tool="b"),
        happened(3, "action", tool="no call id"),
        happened(4, "result", call="c1"),
    ]
    other = "00000000000000bb"

    assert list(replay.replay(begun).actions) == [(WRITER, "c2"), (WRITER, f"{WRITER}:3")]
    for ending in (
        happened(5, "error", call="c2"),
        happened(5, "result", call="c2"),
        happened(1, "result", call="c2", writer=other),  # an agent that moved goes on elsewhere
    ):
        assert list(replay.replay([*begun, ending]).actions) == [(WRITER, f"{WRITER}:3")]


def test_a_result_of_another_writer_ends_the_call_that_this_one_has_begun_itself() -> None:
    other = "00000000000000bb"
    events = [
        happened(1, "action", call="c2", tool="b"),
        happened(1, "action", call="c2", tool="b", writer=other),
        happened(2, "result", call="c2", writer=other),
    ]

    assert list(replay.replay(events).actions) == [(WRITER, "c2")]


def test_the_newest_plan_of_each_session_counts() -> None:
    state = replay.replay(
        [
            happened(1, "plan", session="a", text="one"),
            happened(2, "plan", session="b", text="two"),
            happened(3, "plan", session="a", text="three"),
        ]
    )

    assert {session: plan.body["text"] for session, plan in state.plans.items()} == {"a": "three", "b": "two"}  # type: ignore[index]
    assert state.plan is state.plans["a"]


def test_an_error_is_resolved_by_a_result_of_its_call_or_by_the_same_action_done_again() -> None:
    fetch = {"tool": "fetch", "input": {"url": "x"}}
    failed = story(("action", {"call": "1", **fetch}), ("error", {"call": "1", "text": "no"}))
    other = [happened(3, "action", call="2", tool="fetch", input={"url": "y"}), happened(4, "result", call="2")]
    again = [happened(3, "action", call="2", **fetch), happened(4, "result", call="2")]

    assert replay.replay(failed).error is failed[1]
    assert replay.replay([*failed, *other]).error is failed[1]
    assert replay.replay([*failed, *again]).error is None
    assert replay.replay([*failed, happened(3, "result", call="1")]).error is None
    assert replay.replay([*failed, happened(3, "error", text="disk")]).errors[0] is failed[1]


@pytest.mark.parametrize(
    ("kinds", "status"),
    [
        (["added"], "open"),
        (["added", "started"], "active"),
        (["started", "stepped"], "active"),
        (["stepped"], "active"),
        (["started", "waiting", "stepped"], "waiting"),
        (["started", "paused"], "paused"),
        (["paused", "resumed"], "active"),
        (["waiting", "woken"], "active"),
        (["started", "done"], "done"),
        (["cancelled"], "cancelled"),
        (["started", "admired"], "active"),
        (["admired"], "open"),
    ],
)
def test_a_task_stands_where_its_last_event_left_it(kinds: list[str], status: str) -> None:
    state = replay.replay(story(*((f"task.{kind}", {"task": "trip"}) for kind in kinds)))

    assert state.tasks["trip"].status == status


def test_what_an_event_says_of_its_task_counts_for_more_than_its_kind() -> None:
    state = replay.replay(
        story(
            ("task.started", {"task": "trip", "before": "open", "after": "active", "step": "book"}),
            ("task.edited", {"task": "trip", "before": "active", "after": "parked", "reason": "by hand"}),
            ("task.started", {"text": "of no task"}),
        )
    )
    task = state.tasks["trip"]

    assert (task.status, task.step, task.reason, list(state.tasks)) == ("parked", "book", "by hand", ["trip"])


def test_a_session_has_a_beginning_an_end_and_counts() -> None:
    events = [
        happened(1, "session.started", parent="boss"),
        happened(2, "note"),
        happened(3, "note", session="other"),
        happened(4, "session.ended"),
        happened(5, "seal"),
    ]
    state = replay.replay(events)
    run = state.sessions["s1"]

    assert (run.started, run.ended, run.newest, run.parent) == (events[0], events[3], events[3], "boss")
    assert run.counts == {"session.started": 1, "note": 1, "session.ended": 1}
    assert (state.sessions["other"].started, state.sessions["other"].first) == (None, events[2])


def test_a_session_that_begins_again_is_another_run_of_it() -> None:
    state = replay.replay(
        story(("session.started", {}), ("session.ended", {}), ("session.started", {}), ("session.started", {}))
    )
    run = state.sessions["s1"]

    assert (run.earlier, run.unended, run.ended, run.first.seq, len(state.runs)) == (2, 1, None, 4, 1)
    assert (run.origin.seq, run.events, run.all_events) == (1, 1, 4)


def test_two_writers_that_begin_a_session_of_one_name_are_two_runs_and_a_third_one_joins_the_newest() -> None:
    other, third = "00000000000000bb", "00000000000000cc"
    state = replay.replay(
        [
            happened(1, "session.started"),
            happened(2, "session.started", writer=other),
            happened(3, "session.ended"),
            happened(4, "note", writer=third),
        ]
    )

    assert state.runs["s1", WRITER].ended is not None
    assert state.runs["s1", other].ended is None
    assert state.runs["s1", other].counts == {"session.started": 1, "note": 1}
    assert len(state.runs) == 2


def test_what_was_purged_takes_part_without_its_words() -> None:
    events = story(("action", {}), ("decision", {}), ("session.started", {}), ("task.done", {}), ("plan", {}))
    for one in events:
        one.body = None

    state = replay.replay(events)

    assert (len(state.actions), len(state.decisions), state.plan) == (1, 1, events[4])
    assert (state.tasks, state.files, state.sessions["s1"].parent) == ({}, [], None)


def test_files_are_what_actions_name_the_newest_first_each_once() -> None:
    state = replay.replay(
        story(
            ("action", {"input": {"file_path": "a.py", "content": "path: no.py"}}),
            ("action", {"input": {"paths": ["b.py", "c.py"], "path": 3}}),
            ("action", {"input": {"edits": [{"path": "a.py"}], "url": {"path": "https://example.org/x"}}}),
            ("action", {"input": "d.py"}),
            ("result", {"input": {"path": "e.py"}}),
        )
    )

    assert state.files == ["a.py", "c.py", "b.py"]


@pytest.mark.parametrize(
    "odd", [{"path": ""}, {"path": "a\nb"}, {"path": "x" * 600}, {"path": None}, [[[[[[{"path": "deep"}]]]]]], 7]
)
def test_what_is_no_path_is_no_file(odd: object) -> None:
    files = replay.Files()

    files.take(odd)

    assert files.newest() == []


def test_the_newest_are_kept_and_the_older_ones_counted() -> None:
    many = replay.MOST_SESSIONS + 7
    state = replay.replay(
        one
        for number in range(many)
        for one in (
            happened(4 * number, "session.started", session=f"s{number}"),
            happened(4 * number + 1, "action", session=f"s{number}", input={"path": f"f{number}"}),
            happened(4 * number + 2, "decision", session=f"s{number}", text=f"d{number}"),
            happened(4 * number + 3, "error", session=f"s{number}"),
        )
    )

    assert len(state.decisions) == replay.MOST_DECISIONS
    assert state.decisions[-1].body["text"] == f"d{many - 1}"  # type: ignore[index]
    assert len(state.runs) == len(state.sessions) == replay.MOST_SESSIONS
    assert len(state.actions) == replay.MOST_ACTIONS
    assert state.older == {
        "actions": many - replay.MOST_ACTIONS,
        "decisions": many - replay.MOST_DECISIONS,
        "errors": many - replay.MOST_ERRORS,
        "handoffs": 0,
        "sessions": 7,
        "tasks": 0,
    }
    assert state.files[0] == f"f{many - 1}"
    assert len(state.files) == replay.MOST_FILES


def test_kinds_without_end_are_counted_as_others() -> None:
    state = replay.replay(happened(number, f"kind-{number}") for number in range(replay.MOST_KINDS + 5))

    counts = state.sessions["s1"].counts
    assert counts[replay.OTHERS] == 5
    assert len(counts) == replay.MOST_KINDS + 1


def test_many_events_take_no_more_memory_than_few() -> None:
    def told(count: int) -> Iterator[Event]:
        for seq in range(count):
            kind = ("action", "result", "decision", "note")[seq % 4]
            yield happened(seq, kind, session=f"s{seq // 1000}", call=f"c{seq // 4}", text="x" * 100)

    def held(count: int) -> int:
        tracemalloc.start()
        state = replay.replay(told(count))
        size, _ = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        assert state.events == count
        return size

    assert held(40_000) < held(4_000) + 200_000


def test_the_same_events_lead_to_the_same_state() -> None:
    events = story(
        ("session.started", {}), ("plan", {"text": "p"}), ("action", {"call": "c", "input": {"path": "a"}}),
        ("error", {"call": "c"}), ("task.started", {"task": "t"}), ("handoff.written", {"path": "handoffs/x.md"}),
    )  # fmt: skip

    first, second = replay.replay(events), replay.replay(iter(events))

    assert first.handoffs == second.handoffs == [events[5]]
    assert (first.plan, first.error, first.files) == (second.plan, second.error, second.files)
    assert list(first.runs) == list(second.runs)
