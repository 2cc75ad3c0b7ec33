"""A session's likely state comes from facts, and is never assumed."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from agentws.core.journal.events import liveness, replay
from agentws.core.journal.events.replay import Run
from tests.core.journal.events.test_replay import happened

BEGAN = datetime(2026, 11, 1, 0, 0, 1, tzinfo=UTC)
SOON, LATE = BEGAN + timedelta(minutes=5), BEGAN + timedelta(hours=25)
FACTS = {"host": "desk", "boot": "b1", "namespace": 1, "process": 42, "started": 900}
OUTER = {**FACTS, "outer": {"process": 7, "started": 100}}


def run(*, ended: bool = False, **body: Any) -> Run:
    events = [happened(1, "session.started", **body), *([happened(2, "session.ended")] if ended else [])]
    return replay.replay(events).sessions["s1"]


def here(
    *, host: str = "desk", boot: str | None = "b1", namespace: int | None = 1, **lives: bool | None
) -> liveness.ThisMachine:
    known = {"p42": (42, 900), "p7": (7, 100)}
    return liveness.ThisMachine(host, boot, namespace, {known[name]: value for name, value in lives.items()})


@pytest.mark.parametrize(
    ("facts", "place", "state"),
    [
        (FACTS, here(p42=True), liveness.RUNNING),
        (FACTS, here(p42=False), liveness.CRASHED),
        (FACTS, here(p42=None), liveness.UNKNOWN),
        (FACTS, here(), liveness.UNKNOWN),
        (FACTS, here(boot="b2", p42=True), liveness.CRASHED),
        (FACTS, here(boot="b2", namespace=2), liveness.CRASHED),
        (FACTS, here(namespace=2, p42=False), liveness.UNKNOWN),
        (FACTS, here(namespace=2, p42=True), liveness.UNKNOWN),
        (FACTS, here(host="lap", p42=False), liveness.UNKNOWN),
        (FACTS, here(host="lap", boot="b2"), liveness.UNKNOWN),
        ({**FACTS, "boot": None}, here(boot=None, p42=False), liveness.CRASHED),
        ({**FACTS, "boot": None}, here(boot=None, p42=None), liveness.UNKNOWN),
        ({"host": "desk", "boot": "b1", "namespace": 1}, here(), liveness.UNKNOWN),
        ({"host": "desk", "boot": "b1"}, here(boot="b2"), liveness.CRASHED),
        (OUTER, here(p42=True, p7=True), liveness.RUNNING),
        (OUTER, here(p42=False, p7=True), liveness.UNKNOWN),
        (OUTER, here(p42=False, p7=None), liveness.UNKNOWN),
        (OUTER, here(p42=False, p7=False), liveness.CRASHED),
        ({**FACTS, "process": "42"}, here(p42=False), liveness.UNKNOWN),
        ({**FACTS, "outer": 3}, here(p42=False), liveness.CRASHED),
        ({}, here(), liveness.UNKNOWN),
    ],
)
def test_the_state_follows_from_the_facts(facts: dict[str, Any], place: liveness.ThisMachine, state: str) -> None:
    likely = liveness.judge(run(**facts), place, SOON)

    assert (likely.state, likely.age_s) == (state, 300)
    assert likely.why


def test_what_has_an_end_has_ended_whatever_lives() -> None:
    assert liveness.judge(run(ended=True, **FACTS), here(p42=True), SOON).state == liveness.ENDED


def test_what_is_not_known_is_said_to_be_so_however_old_it_is() -> None:
    assert liveness.judge(run(**FACTS), here(host="lap"), SOON).words == "may still be running"
    late = liveness.judge(run(**FACTS), here(host="lap"), LATE)
    assert (late.state, late.words, late.age_s) == (liveness.UNKNOWN, "may still be running", 25 * 3600)


def test_age_does_not_make_a_process_that_lives_a_crash() -> None:
    assert liveness.judge(run(**FACTS), here(p42=True), LATE).state == liveness.RUNNING


def test_a_session_of_a_daemon_that_lives_is_quiet_once_it_was_silent_for_half_an_hour() -> None:
    one, before = run(**FACTS, daemon=True), liveness.QUIET_AFTER - timedelta(seconds=1)

    assert liveness.judge(one, here(p42=True), BEGAN + before).state == liveness.RUNNING
    quiet = liveness.judge(one, here(p42=True), BEGAN + liveness.QUIET_AFTER)
    assert (quiet.state, quiet.words, quiet.age_s) == (liveness.QUIET, "quiet", 1800)
    assert quiet.why.startswith("process 42 is running, but also serves other sessions")


def test_a_daemon_that_is_gone_or_cannot_be_seen_is_judged_like_any_process() -> None:
    one = run(**FACTS, daemon=True)

    assert liveness.judge(one, here(p42=False), LATE).state == liveness.CRASHED
    assert liveness.judge(one, here(p42=None), LATE).state == liveness.UNKNOWN
    assert liveness.judge(run(ended=True, **FACTS, daemon=True), here(p42=True), LATE).state == liveness.ENDED
    assert liveness.judge(run(**FACTS, daemon="yes"), here(p42=True), LATE).state == liveness.RUNNING


def test_events_of_a_session_that_never_began_say_nothing_about_its_process() -> None:
    orphan = replay.replay([happened(1, "note", **FACTS)]).sessions["s1"]

    assert liveness.judge(orphan, here(p42=False), SOON).state == liveness.UNKNOWN


def test_only_processes_of_this_host_and_of_sessions_without_an_end_are_asked_for() -> None:
    runs = [run(**OUTER), run(ended=True, **FACTS), run(**{**FACTS, "host": "lap", "process": 43})]

    assert liveness.processes(runs, "desk") == [(42, 900), (7, 100)]


def test_a_clock_that_was_set_back_makes_no_negative_age() -> None:
    assert liveness.seconds("2026-11-20T07:00:00.000000Z", BEGAN) == 0
    assert liveness.seconds("yesterday", BEGAN) is None


def forest(**parents: str | None) -> list[tuple[int, str]]:
    events = [
        happened(seq, "session.started", session=name, **({"parent": parent} if parent else {}))
        for seq, (name, parent) in enumerate(parents.items(), 1)
    ]
    return [(depth, one.id) for depth, one in liveness.tree(list(replay.replay(events).runs.values()))]


def test_sessions_stand_below_the_one_that_began_them_each_once() -> None:
    assert forest(a=None, b=None, c="a", d="c", e="a", f="gone") == [
        (0, "a"), (1, "c"), (2, "d"), (1, "e"), (0, "b"), (0, "f"),
    ]  # fmt: skip


def test_a_circle_of_parents_loses_nobody() -> None:
    assert sorted(name for _, name in forest(a="c", b="a", c="b", d="d", e="a")) == ["a", "b", "c", "d", "e"]


@pytest.mark.parametrize(
    ("kind", "src", "more", "state"),
    [
        ("note", "agent:qwen", {"text": "Five herons."}, liveness.EXITED),
        ("host.stopped", "agent:qwen", {}, liveness.EXITED),
        ("host.stopped", "agent:qwen", {"agent": "a7"}, liveness.CRASHED),
        ("note", "agent:qwen", {"agent": "a7", "text": "Two."}, liveness.CRASHED),
        ("note", "user", {"text": "Count"}, liveness.CRASHED),
        ("action", "agent:qwen", {"tool": "Bash"}, liveness.CRASHED),
        ("note", "agent", {"text": "Half of it"}, liveness.CRASHED),
    ],
)
def test_a_session_that_is_gone_has_exited_only_if_its_agent_had_answered(
    kind: str, src: str, more: dict[str, Any], state: str
) -> None:
    last = happened(2, kind, **more)
    last.src = src
    gone = replay.replay([happened(1, "session.started", **FACTS), last]).sessions["s1"]

    assert liveness.judge(gone, here(p42=False), SOON).state == state
    assert liveness.judge(gone, here(p42=True), SOON).state == liveness.RUNNING
